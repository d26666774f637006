"""Records of deals that are known by their hands, as books and players write them down."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from marias_env.actions import ACTION_IDS
from marias_env.cards import CARD_IDS, CARDS, card_id
from marias_env.core.deal import NUM_SEATS, TALON_PLACE, pack_rules
from marias_env.errors import CardError, RecordError
from marias_env.records import Record, play_actions, record_of
from marias_env.rules import Rules, get_rules

Cards = str | Iterable[str | int]
"""Cards as one text (`"Qh Th 7s"` or `"QhTh7s"`), or as a list of texts or ids."""


def record_from_hands(
    hands: Sequence[Cards],
    talon: Cards = (),
    dealer: int = 2,
    rules: str | Rules = "traditional",
    actions: Sequence[str] | Sequence[tuple[int, str]] = (),
    **extra: Any,
) -> Record:
    """Returns the record of a deal with given hands: the deck is put together to give them.

    Where trumps are chosen (`traditional`, `additive`; RULES.md 3a) there is no talon when cards
    are dealt: forehand gets two cards more than the others. They may stand in its hand, 12 cards of
    the full deck, or under `talon`. The order of forehand's cards counts: it chooses trumps from
    the first packet, the first seven. A trump card that the first action names is moved there.

    Args:
        hands: the three hands by seat.
        talon: two cards; may be left out where forehand's hand holds them.
        dealer: seat 0, 1 or 2; forehand is the next one.
        rules: a preset's name, with options as `read_rules` takes them, or a rule set.
        actions: what was done, in order: action texts, or pairs of seat and text.
        **extra: further keys of the record, such as `agents`.

    Returns:
        A record that replays; unfinished where the actions do not end the deal.

    Raises:
        RulesError: unknown rules.
        RecordError: cards that are none, missing, twice, or too many in a hand; an illegal action.
    """
    chosen = get_rules(rules)
    if isinstance(dealer, bool) or dealer not in (0, 1, 2):
        raise RecordError(f"dealer: {dealer!r}; expected a seat 0, 1 or 2")
    if isinstance(hands, str) or len(hands) != 3:
        raise RecordError(f"hands: {len(hands)}; expected three, one for each seat")
    held = [_cards(hand, f"hand of seat {seat}") for seat, hand in enumerate(hands)]
    left = _cards(talon, "talon")
    forehand = (dealer + 1) % NUM_SEATS
    if chosen.dealing == "chosen_trump":
        held[forehand] += left
        left = []
    places = pack_rules(chosen)[0]["places"][: chosen.num_cards].tolist()
    _check_complete(held, left, forehand, places, chosen)
    if chosen.dealing == "chosen_trump" and actions:
        first = actions[0] if isinstance(actions[0], str) else actions[0][-1]
        packet = places.count(0)
        if first in CARD_IDS and CARD_IDS[first] in held[forehand][packet:]:
            held[forehand].remove(CARD_IDS[first])
            held[forehand].insert(0, CARD_IDS[first])
    deck = [0] * chosen.num_cards
    # By packets: a hand's first cards are those that are dealt to it first.
    for order in range(NUM_SEATS):
        _fill(deck, places, (2 * order, 2 * order + 1), held[(forehand + order) % NUM_SEATS])
    _fill(deck, places, (TALON_PLACE,), left)
    pairs = [(0, action) if isinstance(action, str) else action for action in actions]
    seated = not any(isinstance(action, str) for action in actions)
    return record_of(play_actions(chosen, deck, dealer, pairs, check_seats=seated), **extra)


def parse_actions(text: str) -> list[str]:
    """Returns the action texts of one text, separated by spaces or commas.

    Raises:
        RecordError: a word that is no action.
    """
    words = re.split(r"[\s,]+", text.strip()) if text.strip() else []
    for number, word in enumerate(words):
        if word not in ACTION_IDS:
            raise RecordError(f"{word[:60]!r} is not an action", number)
    return words


def _cards(cards: Cards, what: str) -> list[int]:
    if isinstance(cards, str):
        text = re.sub(r"[\s,]+", "", cards)
        cards = [text[i : i + 2] for i in range(0, len(text), 2)]
    try:
        return [card_id(card) for card in cards]
    except (CardError, TypeError) as error:
        raise RecordError(f"{what}: {error}") from error


def _fill(deck: list[int], places: list[int], packets: tuple[int, ...], cards: list[int]) -> None:
    where = [i for packet in packets for i, place in enumerate(places) if place == packet]
    for i, card in zip(where, cards, strict=True):
        deck[i] = card


def _check_complete(
    held: list[list[int]], left: list[int], forehand: int, places: list[int], rules: Rules
) -> None:
    everything = [card for hand in (*held, left) for card in hand]
    for card in everything:
        if not rules.deck_mask >> card & 1:
            raise RecordError(f"{CARDS[card]} is not in the deck of these rules")
        if everything.count(card) > 1:
            raise RecordError(f"{CARDS[card]} stands more than once in the hands and the talon")
    for seat, hand in enumerate(held):
        order = (seat - forehand) % NUM_SEATS
        size = sum(place // 2 == order for place in places if place != TALON_PLACE)
        if len(hand) != size:
            also = ", the talon included" if rules.dealing == "chosen_trump" and not order else ""
            raise RecordError(f"hand of seat {seat}: {len(hand)} cards; expected {size}{also}")
    if len(left) != places.count(TALON_PLACE):
        raise RecordError(f"talon: {len(left)} cards; expected {places.count(TALON_PLACE)}")
