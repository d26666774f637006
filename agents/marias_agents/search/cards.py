"""Deciding a card: double dummy in some worlds, and played out by the rules player in more.

Each has a fault of its own. The solver sees all cards, so it takes for granted that everybody finds
what only who sees all cards can find; playing out is done by players who see no more than at the
table, but play no better than the rules player.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from marias_agents.search.beliefs import likely_worlds
from marias_agents.search.engine import Engine, Floats, Ints, race
from marias_agents.search.searching import Decision
from marias_agents.solver.lanes import (
    SEVEN_FENCE,
    TOP_FENCE,
    VALUE_FENCE,
    card_bit,
    distinct,
    to_lanes,
)
from marias_env.actions import SUIT_GAME
from marias_env.core.bits import marriages_in
from marias_env.core.jit import jit


@jit
def different_cards(view: Any, r: Any) -> Any:
    """The legal cards less those that play like another one; bit set.

    Of neighbours in one hand, with no card between them that anybody could still hold, one is
    enough: they win the same tricks, count the same and leave the same behind.
    """
    me = np.int64(view["viewer"])
    legal = np.int64(view["legal"])
    suit_game = view["contract"] == SUIT_GAME
    hand = np.int64(view["hands"][me])
    trump = np.int64(view["trump"]) if suit_game else np.int64(-1)
    gone = np.int64(view["played"][0] | view["played"][1] | view["played"][2])
    table = np.int64(0)
    for i in range(view["in_trick"]):
        table |= np.int64(1) << np.int64(view["table"][i])
    present = (np.int64(r["deck"]) & ~gone & ~np.int64(view["talon"])) | table
    fences = np.int64(TOP_FENCE)
    if suit_game:
        fences |= np.int64(VALUE_FENCE) | np.int64(SEVEN_FENCE)
    apart = distinct(to_lanes(hand & legal, trump), to_lanes(present, trump), fences)
    cards = np.int64(0)
    for card in range(32):
        if (legal >> card) & 1 and (card_bit(np.int64(card), trump) & apart) != 0:
            cards |= np.int64(1) << card
    if suit_game and r["queen_forced"] == 0:
        # With a king in front of its queen goes the marriage, so it is no neighbour.
        cards |= legal & (marriages_in(hand) << 1)
    return cards


@jit
def different_rows(views: Any, rules: Any) -> Any:
    """`different_cards` of row 0."""
    return different_cards(views[0], rules[0])


MORE_WORLDS: Final = (1, 2, 4, 8, 16, 20, 20, 20, 20, 20)
"""Worlds to solve by trick, in terms of those for the first: a later trick is solved faster."""
FIRST_LOOK: Final = 8
"""After so many worlds solving ends if one card is best in all of them."""


def decide_card(
    engine: Engine,
    view: Any,
    rules: Any,
    base_card: int,
    liked: Floats | None = None,
    top: int = 32,
) -> Decision:
    """Chooses a card.

    Args:
        engine: the search.
        view: (1,) DEAL, in play.
        rules: packed.
        base_card: choice of the player without search, which decides where all else is equal.
        liked: (32,) a prior: the higher, the better a card; decides instead, where it is given.
        top: of the prior's cards so many are searched.
    """
    different = int(different_rows(view, rules))
    cards = np.array([card for card in range(32) if different >> card & 1], dtype=np.int64)
    if len(cards) == 1:
        return Decision(base_card, "all cards play alike")
    if liked is not None:
        cards = np.sort(cards[np.argsort(-liked[cards], kind="stable")[:top]])
        if len(cards) == 1:
            return Decision(int(cards[0]), "the network's card")
    options = engine.options
    to_solve = options.worlds * MORE_WORLDS[min(int(view["tricks"][0]), len(MORE_WORLDS) - 1)]
    to_play = options.worlds * options.plays
    likely = likely_worlds(
        engine, view, rules, to_solve if options.cards == "solve" else max(to_solve, to_play)
    )
    how = []
    solved_units = np.zeros(len(cards))
    if options.cards != "play":
        some = likely.first(to_solve)
        solved = _solve(engine, some.worlds, some.weights, rules, cards)
        share = some.weights[: len(solved)] / some.weights[: len(solved)].sum()
        solved_units = share @ solved
        how.append(f"{len(solved)} worlds solved")
    # Also where the solver decides, for cards that are worth the same to it.
    some = likely.first(to_play)
    found = race(engine, some.worlds, some.weights, rules, cards[:, None], models=some.models)
    how.append(f"{found.worlds} played out, {likely.effective:.0f} effective")
    if options.cards == "play":
        units = found.units
    elif options.cards == "search" and len(likely.worlds) > 1:
        units = (solved_units + found.units) / 2
    else:
        units = solved_units + 1e-6 * found.units  # of the only world there is the solver knows all
    # A card that fell behind in playing out is still one that the solver may speak for.
    best = [int(card) for card in cards[units >= units.max() - 1e-9]]
    if liked is None:
        choice = base_card if base_card in best else best[0]
    else:
        choice = max(best, key=lambda card: (liked[card], card == base_card))
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
