"""Agents with a known character, for the tests of the arena."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from marias_env.views import Views

Array = np.ndarray[Any, Any]


class First:
    """Always the lowest legal action: a deterministic function of the view."""

    name = "first"

    def act(self, views: Views, masks: Array) -> Array:
        return np.argmax(masks, axis=1)


class Last:
    """Always the highest legal action."""

    name = "last"

    def act(self, views: Views, masks: Array) -> Array:
        return masks.shape[1] - 1 - np.argmax(masks[:, ::-1], axis=1)


class Moody:
    """Random from a stream of its own: not a function of the view, which agents ought to be."""

    def __init__(self, seed: int = 0, name: str = "moody") -> None:
        self.name = name
        self.rng = np.random.default_rng(seed)

    def act(self, views: Views, masks: Array) -> Array:
        return np.argmax(masks * self.rng.random(masks.shape), axis=1)

    def __deepcopy__(self, memo: Any) -> Moody:
        return Moody(int(self.rng.integers(1 << 30)), self.name)


class Recorder(First):
    """Plays as `First` and keeps the views it was given."""

    name = "recorder"

    def __init__(self) -> None:
        self.given: list[Views] = []

    def act(self, views: Views, masks: Array) -> Array:
        self.given.append(views)
        return super().act(views, masks)


def without_time(result: dict[str, Any]) -> dict[str, Any]:
    """An evaluation's dict without what a clock has measured."""
    result = dict(result)
    result["use"] = {
        name: {key: value for key, value in use.items() if key != "seconds"}
        for name, use in result["use"].items()
    }
    return result


class Dying(First):
    """Takes its process down, as running out of memory does."""

    name = "dying"

    def act(self, views: Views, masks: Array) -> Array:
        os._exit(9)
