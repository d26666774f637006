"""A deal as a receiver of the table may see it: the part of `State` that comes from the cards.

Everything is read from an information view: a seat's, or the public one, from which all that is
not known to two seats at once has been erased. There is nothing else here to read from.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from marias_env.actions import (
    ACTIONS,
    BAD,
    BLIND,
    CONTRACT_0,
    CONTRACTS,
    FLEK_GAME,
    GOOD,
    NO_CONTRACT,
    OVER,
    PHASES,
    PLAY,
    REPLY,
    SEVEN,
    SUIT_GAME,
)
from marias_env.batch import DealBatch
from marias_env.cards import CARDS, SUITS, card_name, cards_of
from marias_env.core.deal import (
    DECLARER,
    DEFENDERS,
    ENDINGS,
    GAME,
    NO_CARD,
    NOBODY,
    NUM_SEATS,
    SEVEN_COMPONENT,
)
from marias_env.core.history import history_of
from marias_env.rules import Rules
from marias_env.showing.explain import settlement_lines
from marias_env.showing.phrases import CONTRACT_NAMES, PHASE_NAMES, level_name, phrases
from marias_env.showing.render import TextTable
from marias_env.showing.story import (
    Trick,
    hand_counts,
    marriages_in,
    sorted_hand,
    tricks_of,
)
from marias_env.showing.why import forbidden_cards, why_text
from marias_env.views import Views, make_views
from marias_table.messages import CallState, Choice, Forbidden, Result, StakeState, TrickState

EVERYTHING: Final = -1
"""A receiver that sees all cards: a spectator, where the host allows it."""
PUBLIC: Final = None
"""A receiver that sees the open table only."""

_ROW: Final = np.zeros(1, dtype=np.int64)
_SEATS: Final = tuple(np.array([seat], dtype=np.int64) for seat in range(NUM_SEATS))


@dataclasses.dataclass
class Memo:
    """What of a deal in play stays as it is from one card to the next: worked out once.

    Attributes:
        calls: the bidding, by receiver and language.
        tricks: the finished tricks, the same for everybody.
    """

    calls: dict[tuple[int | None, str], list[CallState]] = dataclasses.field(default_factory=dict)
    tricks: list[TrickState] = dataclasses.field(default_factory=list)


def view_of(batch: DealBatch, receiver: int | None) -> Any:
    """Returns what a receiver knows of the deal in row 0, as a DEAL record.

    Args:
        batch: one row.
        receiver: a seat, `EVERYTHING`, or `PUBLIC`.
    """
    if receiver == EVERYTHING:
        return batch.deals[0]
    view = seat_view(batch, receiver or 0)
    if receiver is PUBLIC:
        # What one seat knows is erased from what another knows: what is left is on the table.
        view = make_views(view.deals, batch.rules, view.packed_rules, _ROW, _SEATS[1])
    return view.deals[0]


def seat_view(batch: DealBatch, seat: int) -> Views:
    """Returns the information view of a seat of the deal in row 0: all that an agent is given."""
    return make_views(batch.deals, batch.rules, batch.packed_rules, _ROW, _SEATS[seat])


def card_texts(cards: int) -> list[str]:
    """Returns the texts of a bit set of cards, in id order."""
    return [CARDS[card] for card in cards_of(cards)]


def deal_state(
    deal: Any, rules: Rules, receiver: int | None, language: str, memo: Memo | None = None
) -> dict[str, Any]:
    """Returns the fields of `State` that the cards decide.

    Args:
        deal: what `view_of` returned.
        rules: its rules.
        receiver: as of `view_of`.
        language: `en` or `cs`.
        memo: of this deal.
    """
    memo = memo or Memo()
    phase, contract = int(deal["phase"]), int(deal["contract"])
    turn, declarer = int(deal["turn"]), int(deal["declarer"])
    named = contract != NO_CONTRACT
    words = TextTable(deal, rules, language, color=False)
    trump = int(deal["trump"]) if contract in (SUIT_GAME, NO_CONTRACT) else -1
    trump_card = int(deal["trump_card"])
    seat = receiver if receiver is not None and receiver >= 0 else None
    talon = cards_of(deal["talon"])
    state: dict[str, Any] = {
        "at": int(deal["num_actions"]),
        "phase": PHASES[phase],
        "phase_name": PHASE_NAMES[language][phase],
        "turn": turn if turn >= 0 else None,
        "dealer": int(deal["dealer"]),
        "forehand": (int(deal["dealer"]) + 1) % NUM_SEATS,
        "declarer": declarer if named else None,
        "contract": CONTRACTS[contract] if named else None,
        "contract_name": CONTRACT_NAMES[language][contract]
        if named
        else phrases(language)["no_contract"],
        "trump": SUITS[trump] if trump >= 0 else None,
        "trump_card": CARDS[trump_card] if trump_card != NO_CARD else None,
        "trump_shown": bool(deal["trump_shown"]),
        "blind": bool(deal["blind"]),
        "unseen": 0,
        "talon": [CARDS[card] for card in talon] or None,
        "talon_count": _talon_count(deal, rules, words.counts),
        "discards": [] if seat is None else card_texts(deal["discards"][seat]),
        "taken": [] if seat is None else card_texts(deal["taken"][seat]),
        "legal": choices_of(deal, words, language) if turn == seat else [],
        "forbidden": _forbidden(deal, rules, language) if turn == seat else {},
        "calls": _calls(words, memo, receiver),
        "tricks": _tricks(deal, rules, memo),
        "stakes": _stakes(deal, language) if named else [],
        "points": _points(deal) if contract == SUIT_GAME else None,
    }
    if seat is not None:
        state["unseen"] = words.counts[seat] - len(cards_of(deal["hands"][seat]))
    return state


def seat_cards(deal: Any, rules: Rules) -> list[dict[str, Any]]:
    """Returns for each seat the fields of `SeatState` that the cards decide."""
    counts = hand_counts(deal, rules)
    contract = int(deal["contract"])
    found = []
    for seat in range(NUM_SEATS):
        known = int(deal["hands"][seat])
        roles = ["dealer"] if seat == deal["dealer"] else []
        if seat == (int(deal["dealer"]) + 1) % NUM_SEATS:
            roles.append("forehand")
        if contract != NO_CONTRACT:
            roles.append("declarer" if seat == deal["declarer"] else "defender")
        married = int(deal["marriages"][seat])
        found.append(
            {
                "cards": counts[seat],
                "hand": [CARDS[c] for group in sorted_hand(known, deal) for c in group]
                if known or counts[seat] == 0
                else None,
                "tricks": int(deal["tricks_won"][seat]),
                "marriages": [
                    {"suit": SUITS[suit], "worth": 40 if suit == deal["trump"] else 20}
                    for suit in range(4)
                    if married >> suit & 1
                ],
                "roles": roles,
            }
        )
    return found


def result_of(batch: DealBatch, language: str) -> Result | None:
    """Returns how the deal in row 0 ended; None while it has not."""
    deal, rules = batch.deals[0], batch.rules
    if deal["phase"] != OVER:
        return None
    # A deal's cards as they were dealt are those of a new deal from the same deck.
    start = DealBatch(1, rules, seed=0, autoreset=False)
    start.set_decks(deal["deck"][: rules.num_cards], int(deal["dealer"]))
    dealt = [
        [CARDS[c] for group in sorted_hand(int(hand), deal) for c in group]
        for hand in start.deals["hands"][0]
    ]
    return {
        "value": int(deal["value"]),
        "payments": deal["payments"].tolist(),
        "ending": ENDINGS[deal["ending"]],
        "lines": settlement_lines(deal, rules, language),
        "talon": card_texts(deal["talon"]),
        "dealt": dealt,
    }


def label_of(deal: Any, rules: Rules, action: int, language: str) -> str:
    """Returns an action of the seat on turn in words; cards by their long names."""
    return _label(TextTable(deal, rules, language, color=False), action, language)


def _label(words: TextTable, action: int, language: str) -> str:
    if action < BLIND:
        return card_name(action, language)
    deal = words.deal
    level = int(deal["levels"][action - FLEK_GAME]) + 1 if action >= FLEK_GAME else 0
    return words.action(action, int(deal["turn"]), level, bool(deal["phase"] == REPLY))


def kind_of(action: int) -> str:
    """Returns what kind of action it is, for whoever draws it."""
    if action < BLIND:
        return "card"
    if action == BLIND:
        return "blind"
    if action < CONTRACT_0:
        return "trump"
    if action < GOOD:
        return "contract"
    if action < SEVEN:
        return "bad" if action == BAD else "good"
    return "raise" if action >= FLEK_GAME else "announce"


def choices_of(deal: Any, words: TextTable, language: str) -> list[Choice]:
    """Returns the legal actions of the seat on turn, in words."""
    legal = int(deal["legal"])
    return [
        {
            "id": action,
            "action": ACTIONS[action],
            "label": _label(words, action, language),
            "kind": kind_of(action),
        }
        for action in range(len(ACTIONS))
        if legal >> action & 1
    ]


def _forbidden(deal: Any, rules: Rules, language: str) -> dict[str, Forbidden]:
    return {
        CARDS[card]: {"rule": rule, "text": why_text(rule, deal, language)}
        for card, rule in forbidden_cards(deal, rules).items()
    }


def _calls(words: TextTable, memo: Memo, receiver: int | None) -> list[CallState]:
    key = receiver, words.language
    if key in memo.calls and words.deal["phase"] == PLAY:
        return memo.calls[key]
    found: list[CallState] = [
        {
            "seat": call.seat,
            "kind": call.kind,
            "action": ACTIONS[call.action] if call.action >= 0 else None,
            "label": text,
            "cards": [CARDS[card] if card >= 0 else None for card in call.cards],
            "level": call.level,
        }
        for call, text in words.calls()
    ]
    if words.deal["phase"] == PLAY:
        memo.calls[key] = found  # at the end of the deal everything in it is shown
    return found


def _tricks(deal: Any, rules: Rules, memo: Memo) -> list[TrickState]:
    whole, on_table = int(deal["tricks"]), int(deal["in_trick"])
    if deal["phase"] != PLAY or len(memo.tricks) != whole:
        tricks = tricks_of(deal, rules)
        told = [_trick(deal, number, trick) for number, trick in enumerate(tricks, start=1)]
        memo.tricks = told[:whole]
        return told
    if on_table == 0:
        return memo.tricks
    cards = tuple(history_of(deal)[-on_table:])
    last = Trick(cards, None, 0, marriages_in(deal, cards))
    return [*memo.tricks, _trick(deal, whole + 1, last)]


def _trick(deal: Any, number: int, trick: Trick) -> TrickState:
    return {
        "number": number,
        "leader": trick.cards[0][0],
        "cards": [{"seat": seat, "card": CARDS[card]} for seat, card in trick.cards],
        "winner": trick.winner,
        "best": int(deal["best_seat"]) if trick.winner is None else trick.winner,
        "points": trick.points,
        "marriages": [
            {"seat": seat, "suit": SUITS[suit], "worth": worth}
            for seat, suit, worth in trick.marriages
        ],
    }


def _stakes(deal: Any, language: str) -> list[StakeState]:
    words = phrases(language)
    sides = {DECLARER: "declarer", DEFENDERS: "defenders", NOBODY: None}

    def stake(component: int, name: str, side: int) -> StakeState:
        level = int(deal["levels"][component])
        return {
            "component": "game" if component == GAME else "seven",
            "name": name,
            "side": sides[side],
            "level": level,
            "level_name": level_name(level),
            "factor": 1 << level,
        }

    if deal["contract"] != SUIT_GAME:
        return [stake(GAME, CONTRACT_NAMES[language][deal["contract"]], DECLARER)]
    hundred, seven = int(deal["hundred_side"]), int(deal["seven_side"])
    name = {DECLARER: "hundred", DEFENDERS: "hundred_against", NOBODY: "game"}[hundred]
    found = [stake(GAME, words[name], hundred)]
    if seven != NOBODY:
        name = "seven" if seven == DECLARER else "seven_against"
        found.append(stake(SEVEN_COMPONENT, words[name], seven))
    return found


def _points(deal: Any) -> dict[str, dict[str, int]]:
    return {
        name: {"cards": int(deal["points"][side]), "marriages": int(deal["marriage_sum"][side])}
        for name, side in (("declarer", DECLARER), ("defenders", DEFENDERS))
    }


def _talon_count(deal: Any, rules: Rules, counts: Sequence[int]) -> int:
    # Public: the cards that are in nobody's hand and have not been played.
    played = sum(len(cards_of(cards)) for cards in deal["played"])
    return rules.num_cards - sum(counts) - played
