"""The layout of observations and states: the one table of their slices.

The encoder takes its offsets from here, spaces their bounds, suit symmetry its suit axes,
OpenSpiel's observer what is private, the documentation its tables. Users reach it as
`marias_env.observation`.

Entries are in the order of `_SLICES`. Card planes come first, so that they can be written eight
entries at a time.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from marias_env.actions import CONTRACTS, PHASES
from marias_env.rules import MAX_DOUBLINGS_LIMIT

OBSERVATION_VERSION: Final = 1
"""Changes with every change of the layout; checkpoints carry it."""

Kind = Literal["cards", "suits", "seats", "one-hot", "flags", "counts", "padding"]
"""What the entries of a slice are.

`cards`: one entry per card id (suit 0 to 3, rank 0 to 7); `suits`: groups of four, one entry per
suit; `seats`: groups of three, one entry each for me, left, right, at most one of them set;
`one-hot`: one entry of all is set, or none; `flags`: entries that are 0 or 1 each on their own;
`counts`: numbers; `padding`: zeros.
"""
Access = Literal["public", "private", "hidden"]
"""Who knows it: everybody; the seat alone, at least for a while; not even the seat."""

CARD_WIDTH: Final = 8
"""Entries per suit in a slice of cards."""


class Slice(NamedTuple):
    """A named part of the vector: entries `start` to `stop` - 1.

    Attributes:
        name: its name.
        start: first entry.
        stop: entry behind the last.
        about: meaning.
        kind: what the entries are.
        bound: largest absolute value of an entry.
        access: who knows it.
        signed: entries may be negative.
    """

    name: str
    start: int
    stop: int
    about: str
    kind: Kind
    bound: int
    access: Access
    signed: bool

    @property
    def size(self) -> int:
        """Number of entries."""
        return self.stop - self.start

    @property
    def private(self) -> bool:
        """Whether only its seat knows it, at least for a while."""
        return self.access == "private"

    @property
    def suit_width(self) -> int:
        """Entries of one suit where the slice has groups of the four suits, else 0."""
        return {"cards": CARD_WIDTH, "suits": 1}.get(self.kind, 0)


class _Row(NamedTuple):
    name: str
    kind: Kind
    size: int
    about: str
    bound: int = 1
    access: Access = "public"
    signed: bool = False


_SLICES: Final = (
    _Row(
        "hand",
        "cards",
        32,
        "my cards (forehand before choosing trumps: the first packet)",
        access="private",
    ),
    _Row(
        "talon",
        "cards",
        32,
        "cards that I know to lie in the talon: my discards, unless I was overtaken",
        access="private",
    ),
    _Row("taken", "cards", 32, "the talon I last picked up", access="private"),
    _Row(
        "discards",
        "cards",
        32,
        "what I last put away; whoever overtook me has seen it",
        access="private",
    ),
    _Row("trump_card", "cards", 32, "the trump card, once I may know it", access="private"),
    _Row("played_me", "cards", 32, "cards I have played"),
    _Row("played_left", "cards", 32, "cards the player on my left has played"),
    _Row("played_right", "cards", 32, "cards the player on my right has played"),
    _Row("table_me", "cards", 32, "my card in the trick on the table"),
    _Row("table_left", "cards", 32, "the left player's card in the trick on the table"),
    _Row("table_right", "cards", 32, "the right player's card in the trick on the table"),
    _Row("cannot_left", "cards", 32, "cards the left player has shown not to hold"),
    _Row("cannot_right", "cards", 32, "cards the right player has shown not to hold"),
    _Row("must_left", "cards", 32, "kings the left player still holds (marriage scored)"),
    _Row("must_right", "cards", 32, "kings the right player still holds (marriage scored)"),
    _Row("best_card", "cards", 32, "the card that wins the trick so far"),
    _Row("phase", "one-hot", len(PHASES), "phase, one-hot in the order of PHASES"),
    _Row("turn", "seats", 3, "who is on turn: me, left, right"),
    _Row("dealer", "seats", 3, "dealer: me, left, right"),
    _Row("declarer", "seats", 3, "declarer so far: me, left, right"),
    _Row("contract", "one-hot", len(CONTRACTS), "contract so far, one-hot ascending"),
    _Row(
        "named", "seats", 3 * len(CONTRACTS), "who has named each contract: 5 x (me, left, right)"
    ),
    _Row("trump", "suits", 4, "trump suit, once I may know it: s, c, d, h", access="private"),
    _Row("blind", "flags", 1, "forehand chose trumps blind"),
    _Row("trump_shown", "flags", 1, "trumps are public"),
    _Row("talon_taken", "flags", 1, "somebody has taken the talon up"),
    _Row("accepted", "flags", 1, "the contract stands"),
    _Row("replies", "counts", 1, "acceptances so far, 0 to 2", bound=2),
    _Row("reply_flek", "flags", 1, "an acceptance carried a flek"),
    _Row("seven_by", "seats", 3, "who announced seven or seven-against: me, left, right"),
    _Row("hundred_by", "seats", 3, "who announced hundred or hundred-against: me, left, right"),
    _Row("level_game", "one-hot", 8, "level of the game component, one-hot, 7 and more together"),
    _Row("level_seven", "one-hot", 8, "level of the seven component, one-hot, 7 and more together"),
    _Row("open", "flags", 2, "components the side on turn may raise: game, seven"),
    _Row("next_open", "flags", 2, "components raised or announced in this round: game, seven"),
    _Row(
        "round", "counts", 1, "round of doubling, 0 the defenders' first", bound=MAX_DOUBLINGS_LIMIT
    ),
    _Row("led", "suits", 4, "suit led: s, c, d, h"),
    _Row("position", "one-hot", 3, "cards on the table: 0, 1, 2"),
    _Row("winning", "seats", 3, "who wins the trick so far: me, left, right"),
    _Row("trick", "one-hot", 10, "tricks completed, one-hot"),
    _Row("tricks_won", "counts", 3, "tricks won: me, left, right (counts)", bound=10),
    _Row("points", "counts", 2, "trick points in tens: declarer's side, defenders", bound=9),
    _Row("marriages", "suits", 12, "suits of scored marriages: (me, left, right) x (s, c, d, h)"),
    _Row(
        "totals",
        "counts",
        3,
        "units won in this match: me, left, right (clipped to ±127)",
        bound=127,
        signed=True,
    ),
    _Row("match_deals", "counts", 1, "deals finished in this match (clipped to 127)", bound=127),
    _Row(
        "hearts",
        "flags",
        1,
        "hearts are trumps (the deal counts double), as far as I may know",
        access="private",
    ),
    _Row("padding", "padding", 3, "zeros", bound=0),
)
"""The slices of the observation."""
_HIDDEN: Final = (
    _Row("hand_left", "cards", 32, "the left player's cards", access="hidden"),
    _Row("hand_right", "cards", 32, "the right player's cards", access="hidden"),
    _Row("true_talon", "cards", 32, "the talon", access="hidden"),
    _Row("true_trump_card", "cards", 32, "the trump card", access="hidden"),
    _Row("pending", "cards", 32, "forehand's cards not yet picked up", access="hidden"),
    _Row("true_trump", "suits", 4, "trump suit: s, c, d, h", access="hidden"),
    _Row("state_padding", "padding", 4, "zeros", bound=0, access="hidden"),
)
"""The slices that the state has behind those of the observation."""


def _placed(rows: tuple[_Row, ...], at: int) -> dict[str, Slice]:
    found: dict[str, Slice] = {}
    for row in rows:
        found[row.name] = Slice(
            row.name, at, at + row.size, row.about, row.kind, row.bound, row.access, row.signed
        )
        at += row.size
    return found


OBSERVATION_SLICES: Final = _placed(_SLICES, 0)
"""Parts of `DealBatch.observe()` by name."""
OBSERVATION_SIZE: Final = OBSERVATION_SLICES["padding"].stop
STATE_SLICES: Final = {**OBSERVATION_SLICES, **_placed(_HIDDEN, OBSERVATION_SIZE)}
"""Parts of `DealBatch.state()` by name: an observation, then what is hidden from its seat."""
STATE_SIZE: Final = STATE_SLICES["state_padding"].stop
SCALARS_AT: Final = OBSERVATION_SLICES["phase"].start
"""First entry behind the card planes."""
