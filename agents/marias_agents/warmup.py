"""What `marias warmup` uses of the agents, so that all of their code is compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

_SPECS: Final = {"pimc": "pimc:1", "net+pimc": "net+pimc:1", "ismcts": "ismcts:4"}
"""Of agents whose default would think for long."""


def steps() -> Iterator[tuple[str, Callable[[], None]]]:
    """Yields what is made ready, and the function that uses it."""
    from marias_agents.registry import names

    for name in names():
        yield f"agent {name}", partial(play_through, name)
    yield "solver and analysis", _analyse
    yield "benchmark suite", _suite


def play_through(spec: str) -> None:
    """Plays two whole deals with an agent, or with a light one of its kind: all of it is compiled.

    Args:
        spec: the agent; one that cannot be made is passed over.
    """
    from marias_agents.registry import make
    from marias_env.batch import DealBatch
    from marias_env.errors import AgentError

    try:
        agent = make(_SPECS.get(spec.partition("@")[0].partition(":")[0], spec))
    except AgentError:
        return  # one that is nothing without an argument, or needs what is not installed
    batch = DealBatch(2, seed=0, autoreset=False)
    while (batch.turn >= 0).any():
        rows = (batch.turn >= 0).nonzero()[0]
        views = batch.views(rows)
        part = batch[rows]
        part.step(agent.act(views, views.legal_mask()))
        batch[rows] = part


def _analyse() -> None:
    from marias_agents.analysis import analyse, best_line
    from marias_agents.registry import make
    from marias_env.batch import DealBatch
    from marias_env.records import beginning, record_of
    from marias_env.rules import Rules

    agent = make("rules")
    batch = DealBatch(1, Rules(suits="sh", ranks="9TJQKA7"), seed=0, autoreset=False)
    while batch.turn[0] >= 0:
        views = batch.views()
        batch.step(agent.act(views, views.legal_mask()))
    record = record_of(batch)
    cards = len(analyse(record).cards)
    if cards:
        best_line(beginning(record, len(record["actions"]) - 1))


def _suite() -> None:
    from marias_agents.suite import make_suite

    make_suite(deals=1, games=1, threads=1)
