"""The layout of observations and states: named slices, versioned, documented from here.

Two encodings that are never to be confused: the observation vector is what a seat sees now
(including what it can remember of the talon and infer from play), without the order of past tricks;
the event tokens (`marias_env.tokens`) are the full information state.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from marias_env.core.encode import OBSERVATION_SIZE, SCALARS_AT, STATE_SIZE

OBSERVATION_VERSION: Final = 1
"""Changes with every change of the layout; checkpoints carry it."""


class Slice(NamedTuple):
    """A named part of the vector: entries `start` to `stop` - 1."""

    name: str
    start: int
    stop: int
    about: str

    @property
    def size(self) -> int:
        """Number of entries."""
        return self.stop - self.start


_PLANES = (
    ("hand", "my cards (forehand before choosing trumps: the first packet)"),
    ("talon", "cards that I know to lie in the talon: my discards, unless I was overtaken"),
    ("taken", "the talon I last picked up"),
    ("discards", "what I last put away; whoever overtook me has seen it"),
    ("trump_card", "the trump card, once I may know it"),
    ("played_me", "cards I have played"),
    ("played_left", "cards the player on my left has played"),
    ("played_right", "cards the player on my right has played"),
    ("table_me", "my card in the trick on the table"),
    ("table_left", "the left player's card in the trick on the table"),
    ("table_right", "the right player's card in the trick on the table"),
    ("cannot_left", "cards the left player has shown not to hold"),
    ("cannot_right", "cards the right player has shown not to hold"),
    ("must_left", "kings the left player still holds (marriage scored)"),
    ("must_right", "kings the right player still holds (marriage scored)"),
    ("best_card", "the card that wins the trick so far"),
)
_SCALARS = (
    ("phase", 9, "phase, one-hot in the order of PHASES"),
    ("turn", 3, "who is on turn: me, left, right"),
    ("dealer", 3, "dealer: me, left, right"),
    ("declarer", 3, "declarer so far: me, left, right"),
    ("contract", 5, "contract so far, one-hot ascending"),
    ("named", 15, "who has named each contract: 5 x (me, left, right)"),
    ("trump", 4, "trump suit, once I may know it: s, c, d, h"),
    ("blind", 1, "forehand chose trumps blind"),
    ("trump_shown", 1, "trumps are public"),
    ("talon_taken", 1, "somebody has taken the talon up"),
    ("accepted", 1, "the contract stands"),
    ("replies", 1, "acceptances so far, 0 to 2"),
    ("reply_flek", 1, "an acceptance carried a flek"),
    ("seven_by", 3, "who announced seven or seven-against: me, left, right"),
    ("hundred_by", 3, "who announced hundred or hundred-against: me, left, right"),
    ("level_game", 8, "level of the game component, one-hot, 7 and more together"),
    ("level_seven", 8, "level of the seven component, one-hot, 7 and more together"),
    ("open", 2, "components the side on turn may raise: game, seven"),
    ("next_open", 2, "components raised or announced in this round: game, seven"),
    ("round", 1, "round of doubling, 0 the defenders' first"),
    ("led", 4, "suit led: s, c, d, h"),
    ("position", 3, "cards on the table: 0, 1, 2"),
    ("winning", 3, "who wins the trick so far: me, left, right"),
    ("trick", 10, "tricks completed, one-hot"),
    ("tricks_won", 3, "tricks won: me, left, right (counts)"),
    ("points", 2, "trick points in tens: declarer's side, defenders"),
    ("marriages", 12, "suits of scored marriages: (me, left, right) x (s, c, d, h)"),
    ("totals", 3, "units won in this match: me, left, right (clipped to ±127)"),
    ("match_deals", 1, "deals finished in this match (clipped to 127)"),
    ("hearts", 1, "hearts are trumps (the deal counts double), as far as I may know"),
)
_HIDDEN_PLANES = (
    ("hand_left", "the left player's cards"),
    ("hand_right", "the right player's cards"),
    ("true_talon", "the talon"),
    ("true_trump_card", "the trump card"),
    ("pending", "forehand's cards not yet picked up"),
)


def _layout() -> tuple[tuple[Slice, ...], tuple[Slice, ...]]:
    slices: list[Slice] = []
    at = 0
    for name, about in _PLANES:
        slices.append(Slice(name, at, at + 32, f"{about}; by card id"))
        at += 32
    for name, size, about in _SCALARS:
        slices.append(Slice(name, at, at + size, about))
        at += size
    slices.append(Slice("padding", at, OBSERVATION_SIZE, "zeros"))
    hidden: list[Slice] = []
    at = OBSERVATION_SIZE
    for name, about in _HIDDEN_PLANES:
        hidden.append(Slice(name, at, at + 32, f"{about}; by card id"))
        at += 32
    hidden.append(Slice("true_trump", at, at + 4, "trump suit: s, c, d, h"))
    hidden.append(Slice("state_padding", at + 4, STATE_SIZE, "zeros"))
    return tuple(slices), tuple(hidden)


_OBSERVATION, _HIDDEN = _layout()
OBSERVATION_SLICES: Final = {part.name: part for part in _OBSERVATION}
"""Parts of `DealBatch.observe()` by name."""
STATE_SLICES: Final = {part.name: part for part in (*_OBSERVATION, *_HIDDEN)}
"""Parts of `DealBatch.state()` by name: an observation, then what is hidden from its seat."""

__all__ = [
    "OBSERVATION_SIZE",
    "OBSERVATION_SLICES",
    "OBSERVATION_VERSION",
    "SCALARS_AT",
    "STATE_SIZE",
    "STATE_SLICES",
    "Slice",
]
