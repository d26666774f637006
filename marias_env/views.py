"""Information views: copies of deals from which everything a seat cannot know has been erased."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_env.actions import NUM_ACTIONS
from marias_env.core.deal import DEAL, pack_rules
from marias_env.core.encode import observe_rows
from marias_env.core.events import TOKENS_LENGTH, token_rows
from marias_env.core.kernels import legal_rows
from marias_env.core.layout import OBSERVATION_SIZE
from marias_env.notebook import shown
from marias_env.rules import Rules

_WORDS = DEAL.itemsize // 8


class Views:
    """N information views under one rule set: all that an agent is ever given.

    Attributes:
        deals: (N,) DEAL: `viewer` is the seat; hidden hands, discards and talon are 0, unknown deck
            places 255, private actions of others 63, trumps -1 until shown; `cannot` and `must` are
            what play has shown; `rng` is a hash of the view, for reproducible random choices that
            depend on nothing hidden.
        rules: the rule set.
    """

    def __init__(self, deals: npt.NDArray[Any], rules: Rules) -> None:
        self.deals = deals
        self.rules = rules

    @functools.cached_property
    def packed_rules(self) -> npt.NDArray[Any]:
        """(1,) RULE_SET: the rules as compiled functions read them."""
        packed: npt.NDArray[Any] = pack_rules(self.rules)
        return packed

    @property
    def seats(self) -> npt.NDArray[np.int8]:
        """(N,) int8: whose views they are."""
        return np.array(self.deals["viewer"])

    def legal_mask(self) -> npt.NDArray[np.int8]:
        """Returns (N, 48) int8 masks; zeros for views of seats that are not on turn."""
        mask = np.empty((len(self), NUM_ACTIONS), dtype=np.int8)
        legal_rows(self.deals, mask.view(np.uint64))
        return mask

    def observe(self) -> npt.NDArray[np.int8]:
        """Returns (N, F) int8 observations, the same as `DealBatch.observe` for these seats."""
        out = np.empty((len(self), OBSERVATION_SIZE), dtype=np.int8)
        observe_rows(self.deals, self.packed_rules, self.deals["viewer"].astype(np.int64), out)
        return out

    def tokens(self) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int64]]:
        """Returns (N, T) int16 event tokens and (N,) int64 lengths, as `DealBatch.tokens` does."""
        tokens = np.empty((len(self), TOKENS_LENGTH), dtype=np.int16)
        lengths = np.empty(len(self), dtype=np.int64)
        seats = self.deals["viewer"].astype(np.int64)
        scratch = np.empty(1, dtype=DEAL)
        token_rows(self.deals, self.packed_rules, seats, scratch, tokens, lengths)
        return tokens, lengths

    def _repr_html_(self) -> str:
        return shown(self, "marias_env.showing.notebook", "views_html")

    def __len__(self) -> int:
        return int(self.deals.shape[0])

    def __getitem__(self, rows: Any) -> Views:
        """Returns some of the views."""
        chosen = np.atleast_1d(np.arange(len(self))[rows])
        return Views(self.deals[chosen], self.rules)


def make_views(
    deals: npt.NDArray[Any],
    rules: Rules,
    packed_rules: npt.NDArray[Any],
    rows: npt.NDArray[np.int64],
    seats: npt.NDArray[np.int64],
) -> Views:
    """Returns the views of some seats of some rows (see `DealBatch.views`)."""
    from marias_env.core.knowledge import view_rows

    out = np.empty(len(rows), dtype=DEAL)
    view_rows(deals, packed_rules, rows, seats, out, out.view(np.uint64).reshape(-1, _WORDS))
    return Views(out, rules)
