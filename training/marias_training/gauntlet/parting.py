"""Where two games on one deck part: the phase of the first decision that was taken otherwise."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from marias_env.actions import OVER, PHASES
from marias_env.batch import DealBatch
from marias_env.core.history import actions_of
from marias_env.core.kernels import NO_ACTION
from marias_env.rules import Rules

SAME: Final = OVER
"""Phase of two games that never part."""
PARTINGS: Final = (*PHASES[:OVER], "same")
"""Names by phase of the parting."""


def parting_phases(
    deals: npt.NDArray[Any], others: npt.NDArray[Any], rules: Rules
) -> npt.NDArray[np.int64]:
    """Returns (N,) the phase in which the games part, `SAME` where they do not.

    What one player makes more than another in the same seat is thereby shared out exactly: every
    deal's difference goes to the first decision that was taken otherwise.

    Args:
        deals: (N,) finished DEAL records.
        others: (N,) finished records on the same decks, with the same dealers.
        rules: rule set.
    """
    columns = np.arange(deals["history"].shape[1])
    one = np.where(columns < deals["num_actions"][:, None], deals["history"], 255)
    other = np.where(columns < others["num_actions"][:, None], others["history"], 255)
    differ = one != other
    found = np.full(len(deals), SAME, dtype=np.int64)
    parted = np.flatnonzero(differ.any(axis=1))
    if not parted.size:
        return found
    at = differ[parted].argmax(axis=1)
    batch = DealBatch(len(parted), rules, seed=0, autoreset=False)
    decks = deals["deck"][parted][:, : rules.num_cards]
    batch.set_decks(decks.astype(np.int64), deals["dealer"][parted])
    for step in range(int(at.max()) + 1):
        here = at == step
        found[parted[here]] = batch.deals["phase"][here]
        said = actions_of(deals["history"][parted, step])
        batch.step(np.where(batch.turn >= 0, said, NO_ACTION))
    return found
