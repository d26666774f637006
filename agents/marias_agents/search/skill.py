"""The skill correction: what the solver misses of how deals go among players who see no cards.

Double dummy flatters the defence, most of all in betl, where it knows every hole; and it flatters a
declarer who needs every trick for an announced hundred. The corrections are means of (V paid - V
double dummy) over the rules player's games against itself, in units before doubling and hearts.

`python -m marias_agents.search.skill` measures them anew.
"""

from __future__ import annotations

import argparse
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from marias_env.actions import BETL, PLAY, SUIT_GAME
from marias_env.batch import DealBatch
from marias_env.core.deal import DECLARER, DEFENDERS
from marias_env.rules import HEARTS, HEARTS_FACTOR

PLAIN: Final = 0.28
SEVEN: Final = 0.0
HUNDRED: Final = -1.2
HUNDRED_AGAINST: Final = 1.2
BETL_GAIN: Final = 2.1

KINDS: Final = (
    ("plain game", PLAIN),
    ("announced seven", SEVEN),
    ("announced hundred", HUNDRED),
    ("hundred against", HUNDRED_AGAINST),
    ("betl", BETL_GAIN),
    ("others", 0.0),
)
"""Kinds of games and their corrections, units per opponent before doubling and hearts."""
_CORRECTIONS: Final = np.array([worth for _, worth in KINDS])
_BLOCK: Final = 500
"""Deals that are played and solved at a time."""


def kinds_of(ends: Any) -> npt.NDArray[np.int64]:
    """Returns (n,) places in `KINDS` of deals in play; ends: (n,) DEAL."""
    game = np.where(ends["seven_side"] == DECLARER, 1, 0)
    game = np.where(ends["hundred_side"] == DECLARER, 2, game)
    game = np.where(ends["hundred_side"] == DEFENDERS, 3, game)
    rest = np.where(ends["contract"] == BETL, 4, 5)
    return np.asarray(np.where(ends["contract"] == SUIT_GAME, game, rest), dtype=np.int64)


def stakes_of(ends: Any) -> npt.NDArray[np.float64]:
    """Returns (n,) what doubling and hearts multiply by; ends: (n,) DEAL in play."""
    hearts = (ends["contract"] == SUIT_GAME) & (ends["trump"] == HEARTS)
    factor = np.where(hearts, HEARTS_FACTOR, 1)
    return np.asarray(factor * 2.0 ** ends["levels"][:, 0], dtype=np.float64)


def corrections(ends: Any) -> npt.NDArray[np.float64]:
    """Returns (n,) what to add to V of deals at the first lead, units per opponent.

    Args:
        ends: (n,) DEAL in play.
    """
    return np.asarray(_CORRECTIONS[kinds_of(ends)] * stakes_of(ends), dtype=np.float64)


class Gap(NamedTuple):
    """What one kind of game pays beyond double dummy.

    Attributes:
        kind: name in `KINDS`.
        deals: how many were played.
        mean: V paid minus V double dummy, units per opponent before doubling and hearts.
        half_width: of the 95 % interval; NaN with fewer than two deals.
    """

    kind: str
    deals: int
    mean: float
    half_width: float


def measure(deals: int, seed: int = 0, rules: str = "traditional", threads: int = 1) -> list[Gap]:
    """Lets the rules player play against itself and compares with double dummy.

    Args:
        deals: how many.
        seed: of the deals.
        rules: preset.
        threads: of the solver.

    Returns:
        One for each kind of `KINDS` that came up.
    """
    from marias_agents import make
    from marias_agents.solver import solve_batch

    player = make("rules")
    batch = DealBatch(deals, rules, seed, autoreset=False)
    _go_on(player, batch, PLAY)
    played = np.flatnonzero(batch.phase == PLAY)
    if not played.size:
        return []
    kinds, stakes = kinds_of(batch.deals[played]), stakes_of(batch.deals[played])
    solved = np.concatenate(
        [
            solve_batch(batch[played[i : i + _BLOCK]], threads=threads)
            for i in range(0, len(played), _BLOCK)
        ]
    )
    _go_on(player, batch, PLAY + 1)
    gaps = (batch.deals["value"][played] - solved) / stakes
    found = []
    for kind, (name, _) in enumerate(KINDS):
        some = gaps[kinds == kind]
        if some.size:
            error = some.std(ddof=1) / some.size**0.5 if some.size > 1 else np.nan
            found.append(Gap(name, int(some.size), float(some.mean()), float(1.96 * error)))
    return found


def _go_on(player: Any, batch: DealBatch, phase: int) -> None:
    # Until all deals have come to a phase, or are over.
    while (rows := np.flatnonzero((batch.turn >= 0) & (batch.phase < phase))).size:
        part = batch[rows]
        views = part.views()
        part.step(player.act(views, views.legal_mask()))
        batch[rows] = part


def main() -> None:
    """Measures the corrections and prints them beside those in use."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--deals", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rules", default="traditional")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    used = dict(KINDS)
    for gap in measure(given.deals, given.seed, given.rules, given.threads):
        print(  # noqa: T201
            f"{gap.kind}: {gap.mean:+.2f} ± {gap.half_width:.2f} ({gap.deals} deals); "
            f"in use {used[gap.kind]:+.2f}"
        )


if __name__ == "__main__":
    main()
