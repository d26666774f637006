"""Labelled decisions: games of `rules` with random cards among its own, and what cards cost.

Double dummy: what a card gives away, were all cards seen by everybody.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from marias_agents.registry import make
from marias_agents.solver import NO_VALUE, solve_cards
from marias_env.actions import PLAY
from marias_env.batch import DealBatch
from marias_env.core.deal import HISTORY
from marias_env.core.kernels import NO_ACTION

NOT_LEGAL: Final = -1
"""Regret of a card that may not be played."""
RANDOM_SHARE: Final = 0.1
"""Share of the cards that are drawn from the legal ones, all alike, instead of chosen."""
CHUNK: Final = 100
"""Games played and solved between two reports of progress."""

Columns = tuple[npt.NDArray[np.int64], ...]

_CARDS: Final = np.uint64(0xFFFFFFFF)


def play_games(
    batch: DealBatch,
    seed: int,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, npt.NDArray[Any]]:
    """Plays fresh deals to their end and solves every decision between two legal cards or more.

    `rules` bids, announces and doubles in every seat, and plays the cards but for every tenth or
    so, which is drawn. What is drawn in game g follows from (seed, g) alone.

    Args:
        batch: deals in which nobody has acted, autoreset disabled; played to the end.
        seed: of the random cards.
        threads: of the solver; None: one per core.
        progress: called with the games done and the games in all.

    Returns:
        `history` (G, 112) uint8, actions with seats as in DEAL, `num_actions` (G,) uint8;
        `decision_game` (D,) int32, `decision_step` (D,) uint8, actions before the decision, `best`
        and `regrets` as `label` returns them; decisions by game, then step.
    """
    columns: list[Columns] = []
    for start in range(0, len(batch), CHUNK):
        stop = min(start + CHUNK, len(batch))
        part = batch[start:stop]
        found = _play_chunk(part, _draws(seed, start, stop), threads)
        batch[start:stop] = part
        order = np.lexsort((found[1], found[0]))
        columns.append((found[0][order] + start, *(column[order] for column in found[1:])))
        if progress is not None:
            progress(stop, len(batch))
    games, steps, best, regrets = (np.concatenate(column) for column in zip(*columns))
    return {
        "history": batch.deals["history"].copy(),
        "num_actions": batch.deals["num_actions"].copy(),
        "decision_game": games.astype(np.int32),
        "decision_step": steps.astype(np.uint8),
        "best": best,
        "regrets": regrets,
    }


def label(
    batch: DealBatch, threads: int | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Solves every card of positions in play, from the side of the seat on turn.

    Returns:
        (B,) int64, what the best card is worth, in units per opponent, and (B, 32) int64, what each
        legal card gives away against it, never negative (`NOT_LEGAL` where a card is not legal).
    """
    values = solve_cards(batch, threads=threads)
    lone = batch.deals["turn"] == batch.deals["declarer"]
    own = np.where(lone[:, None], values, -values)
    legal = values != NO_VALUE
    best = np.where(legal, own, NO_VALUE).max(axis=1)
    return best, np.where(legal, best[:, None] - own, NOT_LEGAL)


def _draws(seed: int, start: int, stop: int) -> npt.NDArray[np.uint64]:
    # Raw output of the bit generator: NumPy keeps that the same for ever, unlike its distributions.
    return np.stack(
        [
            np.random.PCG64(np.random.SeedSequence([seed, game])).random_raw(2 * HISTORY)
            for game in range(start, stop)
        ]
    ).reshape(stop - start, HISTORY, 2)


def _play_chunk(batch: DealBatch, draws: npt.NDArray[np.uint64], threads: int | None) -> Columns:
    # Row, step, best value and regrets of every decision, in the order of play.
    agent = make("rules")
    none = np.zeros(0, dtype=np.int64)
    found: list[Columns] = [(none, none, none, none.reshape(0, 32))]
    while True:
        running = np.flatnonzero(batch.turn >= 0)
        if not running.size:
            break
        actions = np.full(len(batch), NO_ACTION, dtype=np.int64)
        views = batch.views(running)
        masks = views.legal_mask()
        chosen = agent.act(views, masks)
        step = batch.deals["num_actions"][running].astype(np.int64)
        drawn = draws[running, step]
        lucky = drawn[:, 0] < np.uint64(int(RANDOM_SHARE * 2**64))
        for place in np.flatnonzero(lucky & (views.deals["phase"] == PLAY)):
            legal = np.flatnonzero(masks[place])
            chosen[place] = legal[int(drawn[place, 1]) % len(legal)]
        free = _free(batch, running)
        if free.size:
            steps = batch.deals["num_actions"][free].astype(np.int64)
            found.append((free, steps, *label(batch[free], threads)))
        actions[running] = chosen
        batch.step(actions)
    return tuple(np.concatenate(column) for column in zip(*found))


def _free(batch: DealBatch, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    # Rows in which somebody chooses between two cards or more.
    legal = batch.legal_bits[rows] & _CARDS
    several = (legal & (legal - np.uint64(1))) != 0
    free: npt.NDArray[np.int64] = rows[several & (batch.phase[rows] == PLAY)]
    return free
