"""Labels with little noise: decisions at which every action was tried in many worlds.

`python -m marias_training.labels --out runs/labels --shards 100 --processes 2`

Players of several kinds play deals. At a sample of the decisions every legal action is taken in
worlds as likely as the others' bidding and play make them, the same worlds for all actions, and the
players that the search takes the others for go on to the end (docs/search.md). What an action
brings more than another is then hardly the luck of one deal any more. Replies, announcements and
raises are left out: what they bring hangs on what the others think of them, which no playout tells.

Each shard is one file and a function of its number, so a run that was stopped goes on where it
was. Files are NumPy arrays of `LABEL`, to be memory-mapped.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from marias_agents import make
from marias_agents.net.kernel import bucket_rows
from marias_agents.search.beliefs import likely_worlds
from marias_agents.search.engine import Engine
from marias_agents.search.options import PimcOptions
from marias_env import DealBatch
from marias_env.actions import CONTRACT, DISCARD, NUM_ACTIONS, PLAY, TRUMP
from marias_env.canonical import ACTION_OF, NUM_INPUTS, canonical
from marias_env.files import write_bytes_atomic
from marias_training.self_play import mixed_seed, stake_rows

LABEL: Final = np.dtype(
    [
        ("features", np.int8, NUM_INPUTS),  # canonical
        ("mask", np.int8, NUM_ACTIONS),  # canonical legal actions
        ("worth", np.float16, NUM_ACTIONS),  # payment by stake, over the mean of the legal actions
        ("bucket", np.int8),
        ("done", np.int8),  # what the player did, canonical
        ("worlds", np.int16),  # that the actions were tried in
    ]
)
EXPLORE: Final = 0.05
"""Share of decisions in which a random action is taken, so that unusual positions are seen."""
CAP: Final = 16.0
"""Units per opponent beyond which a payment counts no more."""


def try_actions(engine: Engine, view: Any, rules: Any, n: int) -> npt.NDArray[np.float64]:
    """Returns (48,) what each legal action brings on average, in units of the seat; others NaN."""
    actions = np.flatnonzero(int(view["legal"][0]) >> np.arange(NUM_ACTIONS) & 1)
    likely = likely_worlds(engine, view, rules, n)
    seat = int(view["turn"][0])
    options = actions[:, None].astype(np.int64)
    paid = engine.played(likely.worlds, rules, options, seat, likely.models)
    most = 2 * CAP if seat == int(view["declarer"][0]) else CAP
    out = np.full(NUM_ACTIONS, np.nan)
    out[actions] = np.average(np.clip(paid, -most, most), 0, likely.weights)
    return out


def make_shard(
    number: int,
    rules: str,
    players: Sequence[str],
    rate: float,
    num_worlds: int,
    seed: int,
    deals: int,
) -> npt.NDArray[Any]:
    """Plays and labels the deals of a shard.

    Args:
        number: of the shard.
        rules: preset.
        players: agents, one for each seat by lot.
        rate: share of the decisions with a choice that are tried.
        num_worlds: worlds a decision is tried in.
        seed: of all shards.
        deals: deals to play.

    Returns:
        (N,) LABEL.
    """
    agents = [make(name) for name in players]
    engine = Engine(PimcOptions(), seed)
    batch = DealBatch(deals, rules, mixed_seed([seed, number]), autoreset=False)
    rng = np.random.default_rng([seed, number])
    who = rng.integers(len(agents), size=(deals, 3))
    place_of = np.argsort(ACTION_OF, axis=1)
    parts = []
    while (batch.turn >= 0).any():
        rows = np.flatnonzero(batch.turn >= 0)
        views, masks = batch.views(rows), batch.legal_mask()[rows]
        chosen = np.empty(len(rows), dtype=np.int64)
        seats = batch.turn[rows].astype(np.int64)
        for i, agent in enumerate(agents):
            mine = np.flatnonzero(who[rows, seats] == i)
            if mine.size:
                chosen[mine] = agent.act(views[mine], masks[mine])
        phase = views.deals["phase"]
        first_word = (phase == CONTRACT) & (views.deals["talon_taken"] == 0)
        asked = np.isin(phase, (TRUMP, DISCARD, PLAY)) | first_word
        free = masks.sum(1) > 1
        pick = np.flatnonzero(asked & free & (rng.random(len(rows)) < rate))
        if pick.size:
            some = views[pick]
            inputs = canonical(some.observe(), np.ascontiguousarray(masks[pick]))
            out = np.zeros(len(pick), dtype=LABEL)
            buckets = np.empty(len(pick), dtype=np.int64)
            bucket_rows(some.deals, seats[pick], buckets)
            stakes = np.empty(len(pick), dtype=np.float32)
            stake_rows(some.deals, views.packed_rules, stakes)
            out["features"], out["mask"] = inputs.features, inputs.masks
            out["bucket"], out["worlds"] = buckets, num_worlds
            out["done"] = place_of[inputs.order, chosen[pick]]
            for i in range(len(pick)):
                worth = try_actions(engine, some.deals[i : i + 1], views.packed_rules, num_worlds)
                worth = (worth - np.nanmean(worth)) / min(float(stakes[i]), CAP)
                out["worth"][i] = np.nan_to_num(worth[ACTION_OF[inputs.order[i]]])
            parts.append(out)
        actions = np.full(deals, -1, dtype=np.int64)
        actions[rows] = np.where(
            rng.random(len(rows)) < EXPLORE, batch.sample_legal()[rows], chosen
        )
        batch.step(actions)
    return np.concatenate(parts)


def _write_shard(path: Path, make_it: partial[npt.NDArray[Any]]) -> int:
    labels = make_it()
    buffer = io.BytesIO()
    np.save(buffer, labels)
    write_bytes_atomic(path, buffer.getvalue())
    return len(labels)


def main() -> None:
    """Writes shards that are not there yet."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder")
    parser.add_argument("--shards", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="number of the first shard")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rules", default="traditional")
    parser.add_argument("--players", default="rules", help="agents, with commas between")
    parser.add_argument("--worlds", type=int, default=16)
    parser.add_argument("--rate", type=float, default=0.3, help="share of decisions tried")
    parser.add_argument("--deals", type=int, default=200, help="of a shard")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    todo = []
    for number in range(given.first, given.first + given.shards):
        path = given.out / f"{number:05d}.npy"
        if not path.exists():
            make_it = partial(
                make_shard, number, given.rules, given.players.split(","), given.rate, given.worlds,
                given.seed, given.deals,
            )  # fmt: skip
            todo.append((path, make_it))
    with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
        jobs = {pool.submit(_write_shard, path, make_it): path for path, make_it in todo}
        for job in as_completed(jobs):
            print(f"{jobs[job]}: {job.result()} decisions", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
