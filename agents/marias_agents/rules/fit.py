"""Fits the points by rollouts: `python -m marias_agents.rules.fit --rounds 3 --out points.json`.

Three copies of the player play deals. At a sample of the decisions every action worth considering
is tried: the true deal is copied, the action taken, and the copies play on to the end. What one
action brings more than another is then explained by the entries that speak for it: a ridge
regression of the differences within a decision, on top of the points so far.
The hidden cards of the true deal average out, since the entries do not depend on them. One round
improves the player against itself;
rounds are repeated until duplicate deals show no further gain.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from marias_agents.rules.kernel import choose, intention, terms, worth_considering
from marias_agents.rules.sight import look
from marias_agents.rules.tables import MAX_TERMS, POINTS_FILE, load_points, num_points, save_points
from marias_env.actions import DISCARD, OVER, PHASES, PLAY, SUIT_GAME
from marias_env.core.bits import lowest_bit, popcount
from marias_env.core.deal import DEAL, pack_rules
from marias_env.core.dealing import new_episode
from marias_env.core.jit import jit
from marias_env.core.knowledge import erase
from marias_env.core.rng import advance, below, random_bit, stream
from marias_env.core.step import step
from marias_env.core.worth import hearts_factor
from marias_env.rules import RULES
from marias_env.seeds import random_root

SCALE: Final = 1000
"""Points per unit."""
RATES: Final = np.array([300, 300, 80, 300, 300, 700, 400, 150, 0, 300], dtype=np.int64)
"""Per thousand, how many decisions of each phase are tried; the last: play without trumps."""
SHARES: Final = {"traditional": 0.8, "online": 0.2}
"""Presets the deals are played under."""
RIDGE_PLAY: Final = 60.0
RIDGE_CALLS: Final = 150.0
"""Strength of the pull to the points so far, in decisions."""
DAMPING: Final = 0.7
"""Share of the fitted change that is made: all phases change at once, each assuming the others."""


class Objective(NamedTuple):
    """What a fit is after. Other objectives make players of other styles.

    Attributes:
        cap: units per opponent beyond which a deal counts no more: tames doubled hundreds.
        power: a payment of x units counts x**power: 1 units, 0.5 afraid of high stakes, near 0 who
            wins the deal and not how much.
        tens: what ten card points count in play beside the result, in units.
        explore: per thousand decisions before play a random action is taken, so that rare contracts
            are seen.
    """

    cap: float = 40.0
    power: float = 1.0
    tens: float = 0.03
    explore: int = 50


UNITS: Final = Objective()
"""What the shipped points were fitted to."""


class Rows(NamedTuple):
    """Tried actions, one a row."""

    terms: npt.NDArray[np.int32]
    """(N, MAX_TERMS) places in the vector of points."""
    counts: npt.NDArray[np.int32]
    """(N,) number of terms."""
    decisions: npt.NDArray[np.int32]
    """(N,) number of the decision."""
    worth: npt.NDArray[np.float64]
    """(N,) what the action brought."""
    blocks: npt.NDArray[np.int32]
    """(N,) phase, or 9 for play without trumps."""


@jit
def play_on(deal: Any, r: Any, points: Any, at: Any, view: Any) -> None:
    """Plays a deal to its end, every seat by its view."""
    while deal["phase"] != OVER:
        view[0] = deal
        erase(view[0], r, np.int64(deal["turn"]))
        step(deal, r, choose(view[0], r, points, at))


@jit
def counted(units: Any, cap: Any, power: Any) -> Any:
    """What units per opponent count under an objective, with their sign."""
    size = min(abs(units), cap)
    if power != 1.0:
        size = size**power
    return size if units > 0 else -size


@jit
def outcome(deal: Any, play: Any, objective: Any) -> Any:
    """What a finished deal was worth to its declarer, for fitting.

    Before play: units. In play the stakes are given, so levels and hearts are divided out, and
    trick points count a little beside the result.
    """
    value = np.float64(deal["value"])
    if not play:
        return counted(value, objective.cap, objective.power)
    if deal["contract"] != SUIT_GAME:
        return 2.0 if deal["made"] == 1 else -2.0
    stake = np.float64((1 << np.int64(deal["levels"][0])) * hearts_factor(deal["trump"]))
    tens = np.float64(deal["points"][0] - deal["points"][1]) / 10.0
    return counted(value / stake, 10.0, objective.power) + objective.tens * tens


@jit
def try_actions(
    rules: Any,
    points: Any,
    objective: Any,
    root: Any,
    rates: Any,
    at_rows: Any,
    counts: Any,
    decisions: Any,
    worth: Any,
    blocks: Any,
) -> Any:
    """Plays deals, tries actions until the arrays (see `Rows`) are full; returns the rows used."""
    r = rules[0]
    deals = np.zeros(1, dtype=DEAL)
    copies = np.zeros(1, dtype=DEAL)
    views = np.zeros(2, dtype=DEAL)
    at = np.empty(MAX_TERMS, dtype=np.int64)
    row = 0
    decision = 0
    number = 0
    while True:
        d = deals[0]
        d["key"] = stream(root, number)
        d["episode"] = 0
        new_episode(d, r)
        random = stream(d["key"], 1 << 20)
        number += 1
        explored = False
        while d["phase"] != OVER:
            seat = np.int64(d["turn"])
            views[0] = d
            v = views[0]
            erase(v, r, seat)
            phase = np.int64(d["phase"])
            play = phase == PLAY
            s = look(v, r)
            actions = worth_considering(v, r, s)
            chosen = choose(v, r, points, at)
            random = advance(random)
            block = np.int64(9) if play and d["contract"] != SUIT_GAME else phase
            # Answers to a call that was made at random would be answers to a call nobody makes.
            natural = not explored or play or phase == DISCARD
            tried = natural and below(random, 1000) < rates[block]
            if actions & (actions - 1) != 0 and tried:
                if row + popcount(actions) > worth.shape[0]:
                    return row
                common = intention(v, s, points, at)
                rest = actions
                while rest != 0:
                    action = lowest_bit(rest)
                    rest &= rest - 1
                    counts[row] = terms(v, r, s, common, action, at)
                    for i in range(counts[row]):
                        at_rows[row, i] = at[i]
                    copies[0] = d
                    step(copies[0], r, action)
                    play_on(copies[0], r, points, at, views[1:])
                    own = outcome(copies[0], play, objective)
                    if seat != copies[0]["declarer"]:
                        own = -own
                    elif not play:
                        own = 2.0 * own
                    worth[row] = own
                    decisions[row] = decision
                    blocks[row] = block
                    row += 1
                decision += 1
            random = advance(random)
            if not play and below(random, 1000) < objective.explore:
                random = advance(random)
                other = random_bit(actions, random)
                if other != chosen and phase != DISCARD:
                    explored = True
                chosen = other
            step(d, r, chosen)


@jit
def centre(values: Any, decisions: Any) -> None:
    """Subtracts from every row the mean of its decision; rows of a decision are neighbours."""
    start = 0
    while start < values.shape[0]:
        end = start
        total = 0.0
        while end < values.shape[0] and decisions[end] == decisions[start]:
            total += values[end]
            end += 1
        for i in range(start, end):
            values[i] -= total / (end - start)
        start = end


@jit
def gather_points(at_rows: Any, counts: Any, points: Any, out: Any) -> None:
    """Sums the points of every row's terms."""
    for i in range(out.shape[0]):
        total = 0.0
        for j in range(counts[i]):
            total += points[at_rows[i, j]]
        out[i] = total


@jit
def scatter_rows(at_rows: Any, counts: Any, values: Any, out: Any) -> None:
    """The transpose of `gather_points`: adds every row's value to its terms."""
    out[:] = 0.0
    for i in range(values.shape[0]):
        for j in range(counts[i]):
            out[at_rows[i, j]] += values[i]


def ridge(
    rows: Rows, start: npt.NDArray[np.float64], pull: float, steps: int = 80
) -> tuple[npt.NDArray[np.float64], float, float]:
    """Fits points to rows by conjugate gradients.

    Args:
        rows: tried actions.
        start: the points so far, in units; the fit is pulled to them.
        pull: how strongly.
        steps: steps of the method.

    Returns:
        The points, and the spread of the differences that is left without and with the fit.
    """
    left = rows.worth.copy()
    product = np.empty_like(left)
    gather_points(rows.terms, rows.counts, start, product)
    left -= product
    centre(left, rows.decisions)
    before = float(left.std())
    residual = np.empty_like(start)
    scatter_rows(rows.terms, rows.counts, left, residual)
    change = np.zeros_like(start)
    direction = residual.copy()
    square = first = float(residual @ residual)
    image = np.empty_like(start)
    for _ in range(steps):
        if square <= 1e-8 * first:
            break
        gather_points(rows.terms, rows.counts, direction, product)
        centre(product, rows.decisions)
        scatter_rows(rows.terms, rows.counts, product, image)
        image += pull * direction
        length = square / float(direction @ image)
        change += length * direction
        residual -= length * image
        previous, square = square, float(residual @ residual)
        direction = residual + (square / previous) * direction
    gather_points(rows.terms, rows.counts, change, product)
    centre(product, rows.decisions)
    return start + change, before, float((left - product).std())


def rows_at(rows: Rows, where: Any) -> Rows:
    """Returns some rows."""
    return Rows(
        rows.terms[where],
        rows.counts[where],
        rows.decisions[where],
        rows.worth[where],
        rows.blocks[where],
    )


def joined(parts: list[Rows]) -> Rows:
    """Returns the rows of all parts, the decisions of different parts told apart."""
    return Rows(
        np.concatenate([part.terms for part in parts]),
        np.concatenate([part.counts for part in parts]),
        np.concatenate([len(parts) * part.decisions + i for i, part in enumerate(parts)]),
        np.concatenate([part.worth for part in parts]),
        np.concatenate([part.blocks for part in parts]),
    )


def collect(
    points: npt.NDArray[np.int64], preset: str, size: int, seed: int, objective: Objective = UNITS
) -> Rows:
    """Returns about `size` tried actions of deals under a preset."""
    rows = Rows(
        np.zeros((size, MAX_TERMS), dtype=np.int32),
        np.zeros(size, dtype=np.int32),
        np.zeros(size, dtype=np.int32),
        np.zeros(size, dtype=np.float64),
        np.zeros(size, dtype=np.int32),
    )
    root = random_root([seed, list(RULES).index(preset)])
    used = try_actions(pack_rules(RULES[preset]), points, objective, root, RATES, *rows)
    return rows_at(rows, slice(0, used))


def fit_round(
    points: npt.NDArray[np.int64], size: int, seed: int, objective: Objective = UNITS
) -> npt.NDArray[np.int64]:
    """Returns the points after one round of `size` tried actions."""
    start = points / SCALE
    new = start.copy()
    every = joined(
        [
            collect(points, preset, int(size * share), seed, objective)
            for preset, share in SHARES.items()
        ]
    )
    for block in np.unique(every.blocks):
        mine = rows_at(every, every.blocks == block)
        pull = RIDGE_PLAY if block in (PLAY, 9) else RIDGE_CALLS
        fitted, before, after = ridge(mine, start, pull)
        new += DAMPING * (fitted - start)
        name = PHASES[block] if block < 9 else "PLAY without trumps"
        print(f"{name}: {len(mine.worth)} rows, spread {before:.3f} -> {after:.3f}", flush=True)  # noqa: T201
    fitted_points: npt.NDArray[np.int64] = np.rint(SCALE * new).astype(np.int64)
    return fitted_points


def main() -> None:
    """Runs some rounds from the shipped points, or from nothing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=3_000_000, help="tried actions a round")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, default=POINTS_FILE)
    parser.add_argument("--from-nothing", action="store_true", help="start with every entry 0")
    parser.add_argument("--cap", type=float, default=UNITS.cap, help="units per opponent")
    parser.add_argument("--power", type=float, default=UNITS.power, help="1 units, near 0 wins")
    parser.add_argument("--tens", type=float, default=UNITS.tens, help="units for ten points")
    parser.add_argument("--explore", type=int, default=UNITS.explore, help="per thousand calls")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    points = load_points(given.start)
    if given.from_nothing:
        points = np.zeros(num_points(), dtype=np.int64)
    objective = Objective(given.cap, given.power, given.tens, given.explore)
    for number in range(given.rounds):
        points = fit_round(points, given.rows, given.seed + number, objective)
        save_points(points, given.out)


if __name__ == "__main__":
    main()
