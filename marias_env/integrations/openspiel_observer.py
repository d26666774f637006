"""What OpenSpiel's observers give: information states, observations and their public part.

Everything is read from information views, which hold nothing that the seat cannot know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel

from marias_env.batch import DealBatch
from marias_env.cards import CARDS, cards_of
from marias_env.core.bounds import max_tokens
from marias_env.core.deal import HIDDEN_ACTION, NO_CARD, UNKNOWN_CARD
from marias_env.core.history import action_of, entry_of, plays_from, seat_of
from marias_env.observation import OBSERVATION_SIZE, OBSERVATION_SLICES, STATE_SIZE
from marias_env.rules import Rules
from marias_env.tokens import TOKEN_GROUPS, TOKENS, TOKENS_LENGTH
from marias_env.views import Views

PRIVATE = tuple(p.name for p in OBSERVATION_SLICES.values() if p.private and p.kind == "cards")
"""The cards that only their seat knows; they tell the other private entries too."""


def vocabulary(rules: Rules) -> npt.NDArray[np.int64]:
    """Returns the ids of the event tokens that can occur on a deck, ascending."""
    deck = set(cards_of(rules.deck_mask))
    suits = {card // 8 for card in deck}
    found: list[int] = []
    for name, first, number, _ in TOKEN_GROUPS:
        for i in range(number):
            if name in ("dealt", "picked_up", "trump_card"):
                keep = i in deck
            elif name == "action":
                keep = i % 48 >= 32 or i % 48 in deck
            elif name == "marriage":
                keep = i % 4 in suits
            else:
                keep = name != "pad"
            if keep:
                found.append(first + i)
    return np.array(found, dtype=np.int64)


def public_view(batch: DealBatch) -> Views:
    """Returns what everybody knows of a batch of one, as a view of seat 0 without its secrets."""
    views = batch.views(seats=[0])
    deal = views.deals[0]
    if batch.turn[0] < 0:
        return views
    deal["deck"] = UNKNOWN_CARD
    deal["taken"] = 0
    deal["taken_before"] = 0
    if not deal["trump_shown"]:
        deal["trump_card"] = NO_CARD
        deal["trump"] = -1
    for i in range(int(plays_from(deal))):
        entry = deal["history"][i]
        if action_of(entry) < 32:
            deal["history"][i] = entry_of(seat_of(entry), HIDDEN_ACTION)
    return views


class MariasObserver:
    """Writes tensors and strings of a state, as seen by a player; OpenSpiel's observer protocol.

    With perfect recall: the event tokens, one-hot in order (`tokens`, T x V), or as T numbers.
    Without: what the seat sees now (`observation`), the vector of `marias_env.observation`. For
    public information only: the tokens that everybody has seen. For private information only: the
    seat's own cards. For everybody's private information: the perfect-information state.

    Args:
        rules: the rule set.
        kind: what to observe.
        ids: tokens as numbers (their ids, 0 behind the end) instead of one-hot rows.

    Attributes:
        tensor: flat float32 vector, filled by `set_from`.
        dict: named, shaped parts of it.
    """

    def __init__(self, rules: Rules, kind: Any, ids: bool = False) -> None:
        everybody = kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS
        alone = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._ids = ids
        self._length = max_tokens(rules)
        self._column = np.full(len(TOKENS), -1, dtype=np.int64)
        words = vocabulary(rules)
        self._column[words] = np.arange(len(words))
        shape: tuple[int, ...]
        if everybody:
            self._part, shape = "state", (STATE_SIZE,)
        elif not kind.public_info:
            self._part = "private" if alone else "nothing"
            shape = (32 * len(PRIVATE),) if alone else (0,)
        elif alone and not kind.perfect_recall:
            self._part, shape = "observation", (OBSERVATION_SIZE,)
        else:
            self._part = "tokens" if alone else "public"
            shape = (self._length,) if ids else (self._length, len(words))
        self.tensor = np.zeros(int(np.prod(shape)), dtype=np.float32)
        self.dict = {self._part: self.tensor.reshape(shape)}

    def set_from(self, state: Any, player: int) -> None:
        """Fills `tensor`; zeros while the cards are being dealt."""
        self.tensor.fill(0.0)
        batch: DealBatch | None = state.batch
        if batch is None or self._part == "nothing":
            return
        if self._part in ("tokens", "public"):
            tokens = self._tokens(batch, player)
            if self._ids:
                self.tensor[: len(tokens)] = tokens
            else:
                rows = self.dict[self._part]
                rows[np.arange(len(tokens)), self._column[tokens]] = 1.0
        elif self._part == "private":
            vector = batch.observe(player)[0]
            self.tensor[:] = np.concatenate([_slice(vector, name) for name in PRIVATE])
        elif self._part == "state":
            self.tensor[:] = batch.state(player)[0]
        else:
            self.tensor[:] = batch.observe(player)[0]

    def string_from(self, state: Any, player: int) -> str:
        """Returns the same as text: equal texts for equal knowledge, and for that only."""
        batch: DealBatch | None = state.batch
        blind = " blind" if state.turns_blind_up else ""
        if self._part == "public":
            events = () if batch is None else self._tokens(batch, 0)
            return " ".join(_absolute(TOKENS[token]) for token in events) + blind
        if batch is None or self._part == "nothing":
            return f"p{player}"
        if self._part == "tokens":
            words = [TOKENS[token] for token in self._tokens(batch, player)]
        elif self._part == "state":
            words = [str(state)]
        else:
            names = PRIVATE if self._part == "private" else tuple(OBSERVATION_SLICES)
            vector = batch.observe(player)[0]
            words = [text for name in names if (text := _text(name, _slice(vector, name)))]
        return f"p{player} " + " ".join(words) + blind

    def _tokens(self, batch: DealBatch, player: int) -> npt.NDArray[np.int64]:
        if self._part == "public":
            tokens, lengths = public_view(batch).tokens()
        else:
            tokens, lengths = batch.tokens(player)
        return tokens[0, : min(int(lengths[0]), TOKENS_LENGTH)].astype(np.int64)


def _slice(vector: npt.NDArray[np.int8], name: str) -> npt.NDArray[np.int8]:
    part = OBSERVATION_SLICES[name]
    return vector[part.start : part.stop]


def _text(name: str, values: npt.NDArray[np.int8]) -> str:
    # Nothing for what is empty; card texts for planes; otherwise index:value of what is not 0.
    at = np.flatnonzero(values)
    if at.size == 0:
        return ""
    if OBSERVATION_SLICES[name].kind == "cards":
        return f"{name}=" + "".join(CARDS[card] for card in at)
    return f"{name}=" + ",".join(f"{i}:{values[i]}" if values[i] != 1 else f"{i}" for i in at)


def _absolute(name: str) -> str:
    # Public events are told of players, not of me, left and right (the view is of seat 0).
    for relative, player in (("me", "p0"), ("left", "p1"), ("right", "p2")):
        if name.startswith(relative + ":"):
            return player + name[len(relative) :]
        if name == "dealer:" + relative:
            return "dealer:" + player
    return name


def observer_arguments(kind: Any, params: Mapping[str, Any] | None) -> Any:
    """Returns the kind of observation asked for; OpenSpiel's C++ side may leave it out.

    Raises:
        ValueError: parameters are given; there are none.
    """
    if isinstance(kind, Mapping):
        kind, params = None, kind
    if params:
        raise ValueError(f"observer parameters: {dict(params)!r}; expected none")
    return kind or pyspiel.IIGObservationType(perfect_recall=False)
