"""The record of one deal and of one rule set: NumPy structured dtypes.

A batch is an array of `DEAL`. Clone is copy, save is bytes, gather is indexing: nothing about a
deal lives outside its record.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from marias_env.actions import CONTRACTS
from marias_env.rules import CHOICES, Rules

HISTORY = 112
"""Room for actions: no deal with `max_doublings` of 16 or less has more than 101."""
HIDDEN_ACTION = 63
"""What an information view shows instead of a private action of somebody else."""
NUM_SEATS = 3
"""Players of a deal, and cards of a trick."""
NO_CARD = -1
UNKNOWN_CARD = 255
"""A deck position that an information view does not know."""

DEALING_CHOSEN_TRUMP, DEALING_TALON = range(2)
STEPS_DOUBLING, STEPS_LINEAR, STEPS_FIXED = range(3)
QUALIFY_BEST, QUALIFY_FIRST, QUALIFY_ALL = range(3)

DECLARER, DEFENDERS, NOBODY = 0, 1, -1
"""Sides; `NOBODY` where nothing is announced."""
GAME, SEVEN_COMPONENT = 0, 1
"""The two components of a suit game; as bits 1 and 2."""
GAME_BIT, SEVEN_BIT = 1, 2

END_RUNNING, END_PLAYED, END_DECIDED, END_EXPOSED, END_UNPLAYED, END_REVOKE = range(6)
ENDINGS = ("running", "played", "decided", "exposed", "unplayed", "revoke")
"""How a deal ended, by `ending`."""


def _without_gaps(fields: list[Any]) -> Any:
    """Returns an aligned structured dtype whose padding is fields of its own.

    NumPy does not copy the gaps that alignment leaves: copied rows would hold stray bytes there,
    and neither equal bytes nor a hash of a record would mean anything.
    """
    aligned = np.dtype(fields, align=True)
    assert aligned.fields is not None
    whole: list[Any] = []
    end = 0
    for field in fields:
        kind, start = aligned.fields[field[0]][:2]
        if start > end:
            whole.append((f"padding_{end}", np.uint8, (start - end,)))
        whole.append(field)
        end = start + kind.itemsize
    if aligned.itemsize > end:
        whole.append((f"padding_{end}", np.uint8, (aligned.itemsize - end,)))
    return np.dtype(whole, align=True)


DEAL = _without_gaps(
    [
        # What every step touches.
        ("legal", np.int64),  # bit set of legal actions of the seat on turn
        ("hands", np.uint32, NUM_SEATS),
        ("played", np.uint32, NUM_SEATS),  # cards each seat has played
        # public: cards a seat is known not to hold, from its play
        ("cannot", np.uint32, NUM_SEATS),
        ("must", np.uint32, NUM_SEATS),  # public: kings a seat is known to hold, from a marriage
        ("phase", np.int8),
        ("turn", np.int8),  # seat on turn, -1 when over
        ("viewer", np.int8),  # -1: the whole truth; else an information view of this seat
        ("dealer", np.int8),
        ("declarer", np.int8),
        ("contract", np.int8),  # NO_CONTRACT until named
        ("trump", np.int8),  # suit, -1 while there is none
        ("tricks", np.int8),  # completed tricks
        ("in_trick", np.int8),  # cards on the table
        ("leader", np.int8),
        ("led", np.int8),  # suit led, -1 between tricks
        ("best_card", np.int8),  # card that wins the trick so far, -1 between tricks
        ("best_seat", np.int8),
        ("table", np.int8, NUM_SEATS),  # cards on the table in order of play, -1 where none
        ("tricks_won", np.int8, NUM_SEATS),
        ("num_actions", np.uint8),
        ("marriages", np.uint8, NUM_SEATS),  # suits (bits) each seat has scored a marriage in
        ("points", np.int16, 2),  # trick points by side
        ("marriage_first", np.int16, 2),  # by side
        ("marriage_best", np.int16, 2),
        ("marriage_sum", np.int16, 2),
        # Bidding.
        ("talon", np.uint32),
        ("discards", np.uint32, NUM_SEATS),  # what each seat last put away
        ("taken", np.uint32, NUM_SEATS),  # the talon each seat last picked up
        ("taken_before", np.uint32, NUM_SEATS),  # the one it picked up the time before
        ("pending", np.uint32),  # forehand's cards not yet picked up
        ("trump_card", np.int8),
        ("blind", np.int8),  # 1: forehand chose trumps blind (public)
        ("trump_shown", np.int8),  # 1: trump card and suit are public
        ("talon_taken", np.int8),  # 1: somebody has held the talon
        ("accepted", np.int8),  # 1: both others have accepted the contract
        ("replies", np.int8),  # acceptances since the contract was named
        ("reply_flek", np.int8),  # 1: an acceptance carried a flek
        ("named_by", np.int8, 5),  # seat that named each contract, -1 where nobody has
        # Announcements and doubling.
        ("hundred_side", np.int8),
        ("hundred_seat", np.int8),
        ("seven_side", np.int8),
        ("seven_seat", np.int8),
        ("levels", np.int8, 2),
        ("round", np.int8),  # 0: the defenders' first
        ("defender", np.int8),  # which defender's turn of the round, 0 or 1; -1 the declarer's
        ("open", np.int8),  # components (bits) that the side on turn may raise
        ("next_open", np.int8),  # components open to the other side afterwards
        ("last_call", np.int8),  # last action of this turn in the fixed order, -1 at its start
        # The end.
        ("made", np.int8),  # no trumps: 1 made, 0 lost, -1 undecided
        ("ending", np.int8),
        ("last_seven_seat", np.int8),  # who played the trump 7 in the last trick
        ("last_seven_won", np.int8),
        ("value", np.int64),  # V, units per opponent, declarer's view (0 for a revoke)
        ("payments", np.int64, NUM_SEATS),  # units by seat
        # Match and randomness.
        ("totals", np.int64, NUM_SEATS),  # units by seat since the match began
        ("match_deals", np.int32),  # deals finished in this match
        ("episode", np.int64),
        ("key", np.uint64),
        ("rng", np.uint64),
        # The whole story.
        ("deck", np.uint8, 32),
        ("history", np.uint8, HISTORY),  # `core.history` reads and writes it
    ]
)

RULE_SET = _without_gaps(
    [
        ("deck", np.int64),  # bit set of the cards
        ("num_cards", np.int64),
        ("hand_size", np.int64),
        ("card_points", np.int64),
        ("max_payment", np.int64),  # 0: no cap
        ("tariff", np.int64, 5),
        ("max_doublings", np.int64),
        ("dealing", np.int8),
        ("open_contracts", np.int8),
        ("queen_forced", np.int8),
        ("play_out", np.int8),
        ("cut", np.int8),
        ("hundred_steps", np.int8),
        ("qualifying", np.int8),
        ("quiet_all", np.int8),
        ("opponents_marriages", np.int8),
        ("defenders_quiet", np.int8),
        ("together", np.int8),
        ("talon_trumps", np.int8),
        ("blind", np.int8),
        ("unplayed_plain", np.int8),
        ("unplayed_seven", np.int8),
        ("revoke", np.int8),
        ("seven_card", np.int8),
        ("hundred_marriage", np.int8),
        ("places", np.int8, 32),  # `dealing.dealt_to` of each place of the deck
        # Matches (RULES.md 7); all 0: an episode is one deal.
        ("match_length", np.int64),  # deals at most
        ("match_points", np.int64),  # ends when somebody has reached them; 0: never
    ]
)


NO_PLACE, TALON_PLACE = -2, -1
"""Values of `places` behind the end of the deck, and for the dealt talon."""


def _place(i: int, rules: Rules) -> int:
    # Whose card deck[i] is, in order from forehand 0, and its packet 0 or 1: 2 * order + packet
    # (RULES.md 2.2, 2.3, 9).
    small = rules.hand_size // 2
    big = rules.hand_size - small
    first = big + 2 if rules.dealing == "chosen_trump" else big
    packets = [(0, first), (2, big), (4, big), (1, small), (3, small), (5, small), (TALON_PLACE, 2)]
    for place, size in packets if rules.dealing == "talon" else packets[:-1]:
        if i < size:
            return place
        i -= size
    return NO_PLACE


def pack_rules(rules: Rules, match_length: int = 0, match_points: int = 0) -> Any:
    """Returns a rule set as a `RULE_SET` array of length 1, what the compiled functions read."""
    return _packed(rules, match_length, match_points).copy()


@functools.lru_cache(maxsize=256)
def _packed(rules: Rules, match_length: int, match_points: int) -> Any:
    packed = np.zeros(1, dtype=RULE_SET)
    row = packed[0]

    def choice(name: str) -> int:
        return CHOICES[name].index(getattr(rules, name))

    row["deck"] = rules.deck_mask
    row["num_cards"] = rules.num_cards
    row["hand_size"] = rules.hand_size
    row["card_points"] = rules.card_points
    row["max_payment"] = rules.max_payment or 0
    row["tariff"] = [rules.tariff[name] for name in CONTRACTS]
    row["max_doublings"] = rules.max_doublings
    row["dealing"] = choice("dealing")
    row["open_contracts"] = rules.open_contracts
    row["queen_forced"] = rules.queen_before_king == "forced"
    row["play_out"] = rules.play_out_decided
    row["cut"] = rules.deck_policy == "cut"
    row["hundred_steps"] = choice("hundred_steps")
    row["qualifying"] = choice("qualifying_marriage")
    row["quiet_all"] = rules.quiet_hundred_marriages == "all"
    row["opponents_marriages"] = rules.opponents_marriages_in_failed_hundred
    row["defenders_quiet"] = rules.defenders_quiet_hundred
    row["together"] = rules.seven_hundred_together
    row["talon_trumps"] = rules.talon_trumps
    row["blind"] = rules.blind_trump
    row["unplayed_plain"] = rules.unplayed_plain_suit
    row["unplayed_seven"] = rules.unplayed_seven_vs_flek
    row["revoke"] = rules.illegal_action == "revoke"
    row["seven_card"] = rules.seven_requires_card
    row["hundred_marriage"] = rules.hundred_requires_marriage
    row["places"] = [_place(i, rules) for i in range(32)]
    row["match_length"] = match_length
    row["match_points"] = match_points
    return packed
