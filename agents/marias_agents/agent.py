"""What an agent is: a function from information views to actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:  # the console command's help must not load the compiled core
    from marias_env.views import Views


@runtime_checkable
class Agent(Protocol):
    """Plays any seat of any number of deals at once.

    An agent never holds a hidden card: it is given information views only. Its choice must be a
    function of (its own seed, the view), so that the same view always gets the same action; random
    choices are drawn from the view's `rng`, a hash of what the seat knows.

    Attributes:
        name: what tables call it; `make(name)` makes it again.
    """

    name: str

    def act(self, views: Views, masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Chooses actions.

        Args:
            views: N information views of the seats on turn.
            masks: (N, 48) int8, legal actions.

        Returns:
            (N,) int64 legal actions.
        """
        ...
