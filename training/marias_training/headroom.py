"""What is left to gain over a player, by kind of decision.

`python -m marias_training.headroom --agent rules --compare net:base --deals 200`

The rules player plays deals. At a sample of the decisions every legal action is played out in
likely worlds. One half of the worlds says which action is best, the other half what that brings
more than the agent's own choice: so the choice does not profit from the luck of its own worlds.
Units are those of the labels: by the stake in play, divided by four before it.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_agents import make
from marias_agents.net.kernel import bucket_rows
from marias_agents.net.shape import BUCKETS, TABLE_OF
from marias_agents.search.beliefs import likely_worlds
from marias_agents.search.engine import Engine
from marias_agents.search.options import PimcOptions
from marias_env import DealBatch
from marias_training.labels import CAP
from marias_training.self_play import stake_rows
from marias_training.tryouts import BID_SCALE

WORLDS = 160
"""Half of them to choose by, half to judge."""


def headroom(
    agent: Any, other: Any, rules: str, deals: int, rate: float, seed: int
) -> dict[str, npt.NDArray[np.float64]]:
    """Measures what a search gains on decisions of deals between rules players.

    Args:
        agent: whose choice is compared with the search's.
        other: whose choice is compared with the agent's.
        rules: preset.
        deals: deals to play.
        rate: share of the decisions with a choice that are looked at.
        seed: of deals and samples.

    Returns:
        By bucket, (N, 2) what the search's choice brings more than the agent's, and what the
        other's does.
    """
    player = make("rules")
    engine, rng = Engine(PimcOptions(models="rules"), seed), np.random.default_rng(seed)
    batch = DealBatch(deals, rules, seed, autoreset=False)
    found: dict[str, list[tuple[float, float]]] = {}
    while (batch.turn >= 0).any():
        rows = np.flatnonzero(batch.turn >= 0)
        views, masks = batch.views(rows), batch.legal_mask()[rows]
        choices = [one.act(views, masks) for one in (player, agent, other)]
        stakes = np.empty(len(rows), dtype=np.float32)
        stake_rows(views.deals, views.packed_rules, stakes)
        buckets = np.empty(len(rows), dtype=np.int64)
        bucket_rows(views.deals, batch.turn[rows].astype(np.int64), buckets)
        for i in np.flatnonzero((masks.sum(1) > 1) & (rng.random(len(rows)) < rate)):
            view, actions = views.deals[i : i + 1], np.flatnonzero(masks[i])
            seat = int(view["turn"][0])
            likely = likely_worlds(engine, view, views.packed_rules, WORLDS)
            paid = engine.played(likely.worlds, views.packed_rules, actions[:, None], seat)
            most = CAP * (2 if seat == int(view["declarer"][0]) else 1)
            scale = min(float(stakes[i]), CAP) if TABLE_OF[buckets[i]] else BID_SCALE
            # One world: nothing is left to luck, and it serves for both.
            order = rng.permutation(np.repeat(np.arange(len(paid)), 2 if len(paid) == 1 else 1))
            units, weights = np.clip(paid, -most, most)[order] / scale, likely.weights[order]
            half = len(order) // 2
            choose = np.average(units[:half], 0, weights[:half])
            judge = np.average(units[half:], 0, weights[half:])
            own, others = (judge[actions == choice[i]][0] for choice in choices[1:])
            gains = judge[choose.argmax()] - own, others - own
            found.setdefault(BUCKETS[buckets[i]], []).append(gains)
        actions = np.full(deals, -1)
        actions[rows] = choices[0]
        batch.step(actions)
    return {name: np.array(found[name]) for name in BUCKETS if name in found}


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--agent", default="rules")
    parser.add_argument("--compare", default="net:base", help="another agent")
    parser.add_argument("--rules", default="traditional", help="preset")
    parser.add_argument("--deals", type=int, default=200)
    parser.add_argument("--rate", type=float, default=0.35, help="share of decisions looked at")
    parser.add_argument("--seed", type=int, default=99)
    given = parser.parse_args()
    found = headroom(
        make(given.agent), make(given.compare), given.rules, given.deals, given.rate, given.seed
    )
    print(f"{'decision':26} {'n':>5}  search - {given.agent:<10} {given.compare} - {given.agent}")  # noqa: T201
    for name, gains in found.items():
        mean, error = gains.mean(0), 1.96 * gains.std(0) / len(gains) ** 0.5
        cells = "".join(f"   {m:+.3f} ± {e:.3f} " for m, e in zip(mean, error))
        print(f"{name:26} {len(gains):5}{cells}")  # noqa: T201


if __name__ == "__main__":
    main()
