"""What `marias warmup` uses of the environment, so that all of its code is compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def steps() -> Iterator[tuple[str, Callable[[], None]]]:
    """Yields what is made ready, and the function that uses it."""
    yield "deals in batches", _batches
    yield "records and views", _records
    yield "environments", _environments


def _batches() -> None:
    from marias_env.batch import DealBatch

    for autoreset in ("same_step", "next_step", "disabled"):
        batch = DealBatch(8, seed=0, autoreset=autoreset)
        for _ in range(60):
            batch.legal_mask()
            batch.observe()
            batch.state()
            batch.step(batch.sample_legal())
        batch[[0, 1]].copy()


def _records() -> None:
    from marias_env.batch import DealBatch
    from marias_env.positions import from_position, position_text
    from marias_env.records import record_of, replay
    from marias_env.showing.transcript import transcript

    batch = DealBatch(1, seed=0, autoreset=False)
    while batch.turn[0] >= 0:
        batch.views().legal_mask()
        batch.step(batch.sample_legal())
    replay(record_of(batch))
    from_position(position_text(batch))
    transcript(batch)


def _environments() -> None:
    import gymnasium

    import marias_env

    single = gymnasium.make("Marias-v0")
    _, info = single.reset(seed=0)
    ended = False
    while not ended:
        _, _, ended, _, info = single.step(int(info["action_mask"].argmax()))
    several = gymnasium.make_vec("Marias-v0", num_envs=2)
    _, info = several.reset(seed=0)
    for _ in range(30):
        *_, info = several.step(info["action_mask"].argmax(axis=1))
    table: Any = marias_env.marias_v0.env()
    table.reset(seed=0)
    for _ in table.agent_iter():
        observation, _, ended, _, _ = table.last()
        table.step(None if ended else int(observation["action_mask"].argmax()))
