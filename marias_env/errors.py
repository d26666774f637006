"""Typed errors: each names what is wrong and what was expected, before any state changes."""

from __future__ import annotations


class MariasError(Exception):
    """Base class of every error this package raises on purpose."""


class CardError(MariasError, ValueError):
    """A text or number that is not a card."""


class ActionError(MariasError, ValueError):
    """A text or number that is not an action, or an action array of the wrong shape or dtype."""


class IllegalActionError(ActionError):
    """An action that exists but is not legal in this position.

    Attributes:
        action: the action id that was refused.
        legal: the action ids that were legal.
        row: the row of the batch (0 for a single deal).
    """

    def __init__(
        self, message: str, *, action: int = -1, legal: tuple[int, ...] = (), row: int = 0
    ) -> None:
        super().__init__(message)
        self.action = action
        self.legal = legal
        self.row = row


class OptionError(MariasError, ValueError):
    """An option or argument that is not of the kind, or not within the bounds, that it has."""


class RenderModeError(OptionError, TypeError):
    """A render mode that a face does not have.

    Also a `TypeError`, which is what Stable-Baselines3's `make_vec_env`, having asked for
    `rgb_array`, waits for before it makes the environment without a render mode.
    """


class RulesError(MariasError, ValueError):
    """An unknown preset or option, or a value that the option does not take."""


class DeckError(MariasError, ValueError):
    """A deck that is not an ordering of exactly the cards of the rules."""


class RecordError(MariasError, ValueError):
    """A deal record that is malformed or illegal.

    Attributes:
        index: index of the first bad action; None where head, deck or payments are at fault.
        reason: what is wrong, without the index.
    """

    def __init__(self, reason: str, index: int | None = None) -> None:
        where = "record" if index is None else f"record, action {index}"
        super().__init__(f"{where}: {reason}")
        self.index = index
        self.reason = reason


class StateError(MariasError, ValueError):
    """Saved bytes or a position text that do not describe a deal of this version."""


class DivergedError(MariasError, ArithmeticError):
    """Training left the finite numbers; the weights before that are in the last checkpoint."""


class AgentError(MariasError, ValueError):
    """An unknown agent name, a bad argument to one, or an unreadable checkpoint."""
