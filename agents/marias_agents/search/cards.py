"""Deciding a card: double dummy in some worlds, and played out by the rules player in more.

Each has a fault of its own. The solver sees all cards, so it takes for granted that everybody finds
what only who sees all cards can find; playing out is done by players who see no more than at the
table, but play no better than the rules player.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from marias_agents.search.beliefs import likely_worlds
from marias_agents.search.decision import Decision
from marias_agents.search.engine import Engine, Floats, Ints
from marias_agents.search.kernels.cards import different_rows
from marias_agents.search.race import race

MORE_WORLDS: Final = (1, 2, 4, 8, 16, 20, 20, 20, 20, 20)
"""Worlds to solve by trick, in terms of those for the first: a later trick is solved faster."""
FIRST_LOOK: Final = 8
"""After so many worlds solving ends if one card is best in all of them."""


def decide_card(engine: Engine, view: Any, rules: Any, rules_card: int) -> Decision:
    """Chooses a card.

    Args:
        engine: the search.
        view: (1,) DEAL, in play.
        rules: packed.
        rules_card: the rules player's choice, which decides where all else is equal.
    """
    different = int(different_rows(view, rules))
    cards = np.array([card for card in range(32) if different >> card & 1], dtype=np.int64)
    if len(cards) == 1:
        return Decision(rules_card, "all cards play alike")
    options = engine.options
    to_solve = options.worlds * MORE_WORLDS[min(int(view["tricks"][0]), len(MORE_WORLDS) - 1)]
    to_play = options.worlds * options.plays
    worlds, weights = likely_worlds(
        engine, view, rules, to_solve if options.cards == "solve" else max(to_solve, to_play)
    )
    how = []
    solved_units = np.zeros(len(cards))
    if options.cards != "play":
        solved = _solve(engine, worlds[:to_solve], weights[:to_solve], rules, cards)
        solved_units = weights[: len(solved)] @ solved / weights[: len(solved)].sum()
        how.append(f"{len(solved)} worlds solved")
    # Also where the solver decides, for cards that are worth the same to it.
    found = race(engine, worlds[:to_play], weights[:to_play], rules, cards[:, None])
    how.append(f"{found.worlds} played out")
    if options.cards == "play":
        units = found.units
    elif options.cards == "search" and len(worlds) > 1:
        units = (solved_units + found.units) / 2
    else:
        units = solved_units + 1e-6 * found.units  # of the only world there is the solver knows all
    # A card that fell behind in playing out is still one that the solver may speak for.
    best = [int(card) for card in cards[units >= units.max() - 1e-9]]
    choice = rules_card if rules_card in best else best[0]
    return Decision(
        choice,
        ", ".join(how),
        [(int(card),) for card in cards],
        units.tolist(),
        found.wins.tolist(),
        chosen=(choice,),
    )


def _solve(engine: Engine, worlds: Any, weights: Floats, rules: Any, cards: Ints) -> Ints:
    # (worlds, cards) payments; fewer worlds where one card is best in all.
    sign = 2 if worlds["turn"][0] == worlds["declarer"][0] else -1
    blocks: list[Ints] = []
    done = 0
    while done < len(worlds):
        # Enumerated worlds come in an order of their own, but then they are all weighed.
        size = FIRST_LOOK if done < FIRST_LOOK or engine.options.ms else len(worlds)
        part = worlds[done : done + size].copy()
        blocks.append(engine.solved_cards(part, rules, cards.tolist(), sign))
        done += len(part)
        found = np.concatenate(blocks)
        best = (found == found.max(axis=1, keepdims=True)).all(axis=0)
        if done < len(worlds) and (weights == weights[0]).all() and best.any():
            break
        if engine.late():
            break
    return np.concatenate(blocks)
