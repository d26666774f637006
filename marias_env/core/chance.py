"""Explicit chance: a deal as few draws of unordered packets, for exact methods on small decks.

A shuffled deck of 8 cards has 40,320 orders, but the players can tell only 1,680 deals of it apart.
What is dealt is therefore drawn packet by packet, each a uniformly random set of the cards that are
left; the order within a packet means nothing, and cards that can only go to one place are not drawn
at all. One exception needs a draw of its own, when it comes to it: which card of forehand's second
packet a blind choice turns up (`blind_cards`, `put_first`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from marias_env.cards import cards_of
from marias_env.core.deal import NO_PLACE, TALON_PLACE, pack_rules
from marias_env.rules import Rules

MAX_OUTCOMES = 20_000
"""A packet with more combinations (full deck only) is drawn card by card."""


class Draw(NamedTuple):
    """One chance node of the deal: `size` cards for packet number `packet`."""

    packet: int
    size: int
    outcomes: int


def packet_sizes(rules: Rules) -> tuple[int, ...]:
    """Returns the sizes of the packets that a player can tell apart, in the order of drawing.

    With chosen trumps: forehand's first packet, his second (if any), the next player's hand, the
    dealer's. With a dealt talon: three hands, forehand's first, and the talon.
    """
    return tuple(len(places) for places in _places(rules))


@lru_cache(maxsize=64)
def _places(rules: Rules) -> tuple[tuple[int, ...], ...]:
    # Indices into the deck of each packet's cards.
    of = [int(place) for place in pack_rules(rules)[0]["places"]]
    groups: list[tuple[int, ...]] = [(0,), (1,)] if rules.dealing == "chosen_trump" else [(0, 1)]
    groups += [(2, 3), (4, 5), (TALON_PLACE,)]
    assert all(place == NO_PLACE for place in of[rules.num_cards :])
    packets = (tuple(i for i, place in enumerate(of) if place in group) for group in groups)
    return tuple(packet for packet in packets if packet)


@lru_cache(maxsize=64)
def draws(rules: Rules) -> tuple[Draw, ...]:
    """Returns the chance nodes that deal the cards; the last packet takes what they leave."""
    left = rules.num_cards
    found: list[Draw] = []
    for packet, size in enumerate(packet_sizes(rules)[:-1]):
        outcomes = math.comb(left, size)
        if outcomes <= MAX_OUTCOMES:
            found.append(Draw(packet, size, outcomes))
        else:
            found += [Draw(packet, 1, left - i) for i in range(size)]
        left -= size
    return tuple(found)


@lru_cache(maxsize=64)
def _combinations(cards: int, size: int) -> tuple[tuple[int, ...], ...]:
    return tuple(combinations(range(cards), size))


def drawn(left: Sequence[int], draw: Draw, outcome: int) -> tuple[int, ...]:
    """Returns the cards that an outcome of a draw stands for.

    Args:
        left: the cards not drawn yet, ascending.
        draw: the chance node.
        outcome: 0 to `draw.outcomes` - 1, all equally likely.
    """
    return tuple(left[i] for i in _combinations(len(left), draw.size)[outcome])


def outcome_of(left: Sequence[int], draw: Draw, cards: Sequence[int]) -> int:
    """Returns the outcome by which a draw gives these cards: the inverse of `drawn`."""
    wanted = tuple(sorted(left.index(card) for card in cards))
    return _combinations(len(left), draw.size).index(wanted)


def deck_of(rules: Rules, packets: Sequence[Sequence[int]]) -> npt.NDArray[np.uint8]:
    """Returns a deck in dealing order whose packets are these sets of cards.

    Args:
        rules: the rule set.
        packets: as many as `packet_sizes` tells; the last may be left out.
    """
    places = _places(rules)
    given = [sorted(packet) for packet in packets]
    if len(given) < len(places):
        taken = {card for packet in given for card in packet}
        given.append([card for card in cards_of(rules.deck_mask) if card not in taken])
    deck = np.zeros(rules.num_cards, dtype=np.uint8)
    for indices, packet in zip(places, given):
        deck[list(indices)] = packet
    return deck


def packets_of(rules: Rules, deck: Sequence[int] | npt.NDArray[Any]) -> list[list[int]]:
    """Returns the packets of a deck, each ascending: the inverse of `deck_of`."""
    return [sorted(int(deck[i]) for i in indices) for indices in _places(rules)]


def all_decks(rules: Rules) -> npt.NDArray[np.uint8]:
    """Returns (D, n) decks, one for each deal that can be told apart; all are equally likely.

    Raises:
        ValueError: the deck is too large for that (more than two million deals).
    """
    left, count = rules.num_cards, 1
    for size in packet_sizes(rules):
        count *= math.comb(left, size)
        left -= size
    if count > 2_000_000:
        raise ValueError(
            f"{rules.num_cards} cards can be dealt in {count:,} ways; exact methods need a smaller "
            "deck, such as suits='h', ranks='TJQKA'"
        )
    return np.array([deck_of(rules, packets) for packets in _splits(rules)], dtype=np.uint8)


def _splits(rules: Rules) -> Iterator[list[tuple[int, ...]]]:
    sizes = packet_sizes(rules)

    def split(left: tuple[int, ...], number: int) -> Iterator[list[tuple[int, ...]]]:
        if number == len(sizes):
            yield []
            return
        for packet in combinations(left, sizes[number]):
            rest = tuple(card for card in left if card not in packet)
            for others in split(rest, number + 1):
                yield [packet, *others]

    return split(tuple(cards_of(rules.deck_mask)), 0)


def blind_cards(deal: Any) -> list[int]:
    """Returns the cards that a blind choice of trumps may turn up now, all equally likely."""
    return cards_of(int(deal["pending"]))


def put_first(deal: Any, rules: Rules, card: int) -> None:
    """Makes a card the first of forehand's second packet, in place: the one a blind choice takes.

    Nobody has seen that packet yet, so this changes nothing that a player knows.

    Args:
        deal: a `DEAL` record in phase TRUMP.
        rules: its rule set.
        card: one of `blind_cards`.
    """
    indices = list(_places(rules)[1])
    others = [int(other) for other in deal["deck"][indices] if other != card]
    deal["deck"][indices] = [card, *others]
