"""What options may be: a configuration's table of bounds, and the one way to check values by it.

A configuration is a dataclass with a table beside it that has a bound for every field:

    BOUNDS = {"deals": Whole(1), "clip": Real(0, above=True), "reward": Choice("log", "cap")}

`check_fields(self, BOUNDS)` in its `__post_init__` refuses everything else by name, NaN and
infinities included, and stores what was given as plain Python values (NumPy's numbers are taken).
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from marias_env.errors import OptionError


class Bound(Protocol):
    """What one option may be."""

    def fit(self, value: Any) -> Any:
        """Returns the value as plain Python.

        Raises:
            TypeError: it is of another kind.
            ValueError: it is out of bounds.
        """

    def read(self, text: str) -> Any:
        """Returns the value that a text spells; the text itself where it spells none."""

    @property
    def expected(self) -> str:
        """What is expected, in words."""


@dataclasses.dataclass(frozen=True)
class Whole:
    """A whole number.

    Attributes:
        low: the least.
        high: the greatest; None: any.
    """

    low: int = 0
    high: int | None = None

    def fit(self, value: Any) -> int:
        """See `Bound`."""
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise TypeError
        if value < self.low or (self.high is not None and value > self.high):
            raise ValueError
        return int(value)

    def read(self, text: str) -> Any:
        """See `Bound`."""
        # Python refuses to read numbers of thousands of digits; no bound takes such a one either.
        whole = len(text) <= 20 and text.isascii() and text.removeprefix("-").isdecimal()
        return int(text) if whole else text

    @property
    def expected(self) -> str:
        """See `Bound`."""
        to = "" if self.high is None else f" to {self.high}"
        return f"a whole number from {self.low}{to}"


@dataclasses.dataclass(frozen=True)
class Real:
    """A finite number.

    Attributes:
        low: the least.
        high: the greatest; None: any finite one.
        above: `low` itself is not allowed.
    """

    low: float = 0.0
    high: float | None = None
    above: bool = False

    def fit(self, value: Any) -> float:
        """See `Bound`."""
        if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
            raise TypeError
        number = float(value)
        if not math.isfinite(number) or number < self.low or (self.above and number == self.low):
            raise ValueError
        if self.high is not None and number > self.high:
            raise ValueError
        return number

    def read(self, text: str) -> Any:
        """See `Bound`."""
        try:
            return float(text)
        except ValueError:
            return text

    @property
    def expected(self) -> str:
        """See `Bound`."""
        to = "" if self.high is None else f" to {self.high:g}"
        return f"a finite number {'above' if self.above else 'from'} {self.low:g}{to}"


class Choice:
    """One of some words.

    Args:
        *words: the words.
    """

    def __init__(self, *words: str) -> None:
        self.words = words

    def fit(self, value: Any) -> str:
        """See `Bound`."""
        if not isinstance(value, str):
            raise TypeError
        if value not in self.words:
            raise ValueError
        return str(value)

    def read(self, text: str) -> Any:
        """See `Bound`."""
        return text

    @property
    def expected(self) -> str:
        """See `Bound`."""
        return f"one of {', '.join(self.words)}"


class Flag:
    """True or false."""

    def fit(self, value: Any) -> bool:
        """See `Bound`."""
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError
        return bool(value)

    def read(self, text: str) -> Any:
        """See `Bound`."""
        return {"true": True, "false": False}.get(text.lower(), text)

    @property
    def expected(self) -> str:
        """See `Bound`."""
        return "True or False"


class Text:
    """A text that is not empty."""

    def fit(self, value: Any) -> str:
        """See `Bound`."""
        if not isinstance(value, str):
            raise TypeError
        if not value.strip():
            raise ValueError
        return str(value)

    def read(self, text: str) -> Any:
        """See `Bound`."""
        return text

    @property
    def expected(self) -> str:
        """See `Bound`."""
        return "a text"


@dataclasses.dataclass(frozen=True)
class Maybe:
    """None, or what another bound allows.

    Attributes:
        bound: the other bound.
    """

    bound: Bound

    def fit(self, value: Any) -> Any:
        """See `Bound`."""
        return None if value is None else self.bound.fit(value)

    def read(self, text: str) -> Any:
        """See `Bound`."""
        return None if text.lower() in ("none", "null") else self.bound.read(text)

    @property
    def expected(self) -> str:
        """See `Bound`."""
        return f"{self.bound.expected} or None"


def check(name: str, value: Any, bound: Bound, error: type[ValueError] = OptionError) -> Any:
    """Returns an option's value as plain Python.

    Raises:
        OptionError: or the `error` that is given: the bound does not allow it; names both.
    """
    try:
        return bound.fit(value)
    except (TypeError, ValueError):
        raise error(f"{name}: {value!r}; expected {bound.expected}") from None


def check_fields(
    config: Any,
    bounds: Mapping[str, Bound],
    error: type[ValueError] = OptionError,
    prefix: str = "",
) -> None:
    """Checks the fields of a dataclass, frozen or not, and stores them as plain Python.

    Args:
        config: the object, from its `__post_init__`.
        bounds: of its fields by name.
        error: what is raised.
        prefix: put before the name in messages, such as `option `.

    Raises:
        OptionError: or `error`: a field out of bounds.
    """
    for name, bound in bounds.items():
        fitting = check(prefix + name, getattr(config, name), bound, error)
        object.__setattr__(config, name, fitting)


def field_helps(config: type) -> dict[str, str]:
    """Returns what the docstring of a dataclass says about each field under `Attributes`.

    Fields that it inherits are looked for where they come from.
    """
    classes = [cls for cls in config.__mro__ if dataclasses.is_dataclass(cls)]
    text = "\n".join(inspect.cleandoc(cls.__doc__ or "") for cls in classes)
    found: dict[str, str] = {}
    for field in dataclasses.fields(config):
        match = re.search(rf"^    {field.name}: (.*(?:\n        .*)*)", text, re.MULTILINE)
        found[field.name] = " ".join(match[1].split()) if match else ""
    return found
