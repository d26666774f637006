"""What every face must make of seeds, actions and arguments: one convention, checked for each."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from marias_agents.rules.agent import RulesAgent
from marias_env import DealBatch, Match
from marias_env.errors import ActionError, MariasError, OptionError

try:
    import torch
except ImportError:  # an extra; the environments themselves need none
    torch = None  # type: ignore[assignment]


def tensors(*values: Any, dtype: str | None = None) -> list[Any]:
    """The values as tensors; none where there is no torch."""
    if torch is None:
        return []
    return [torch.tensor(value, dtype=dtype and getattr(torch, dtype)) for value in values]


BAD_SEEDS: tuple[Any, ...] = (
    *(-1, 1.5, 7.0, float("nan"), "7", b"7", True, np.True_, {7}, {7: 7}, object, np.float64(7)),
    *(np.array([7.0]), np.array(-7), [[7]], ["7"], [], [7, 8], [-7], [True], [1.5], [None]),
)
BAD_ACTIONS: tuple[Any, ...] = (
    *(1.0, "Qh", "1", True, np.True_, None, object(), {1}, [1, 1], np.array([1.0]), np.array([])),
    *(*tensors(1.0, [1, 1], True), [None], [[1], [1, 2]]),
)
BAD_COUNTS: tuple[Any, ...] = (0, -1, 2.0, "2", True, None, [2])
BAD_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "rules": ("traditionell", 1, None, RulesAgent, {"no": 1}),
    "opponents": (RulesAgent, object(), 5, [], ["random"] * 3, [RulesAgent], "nobody", None),
    "seat": (3, -1, 1.0, True, None, [0], "left"),
    "reward": ("points", None, 1),
    "episode": ("game", None),
    "dtype": ("int16", None, float, object()),
    "illegal": ("ignore", None, []),
    "illegal_penalty": (float("nan"), -1, "1", None, True),
    "observation": ("image", None),
    "language": ("de", None),
    "render_mode": ("rgb", 1, []),
    "max_cycles": (0, 2.5, True),
    "perspective": (3, 1.0, "me", None, True),
    "reward_transform": (5, "log", np.ndarray),
    "match": (Match, 0, 1.5, {"rounds": 3}),
    "first_index": (-1, 1.5, None),
}
"""Values that no face takes, by argument."""


@dataclasses.dataclass(frozen=True)
class Face:
    """How a face is used.

    Attributes:
        make: makes an environment, not yet reset, from arguments of the face.
        reset: starts an episode of it with a seed.
        step: takes an action, or one for each row.
        batch: its deals.
        rows: the argument that says how many rows there are; None: there is one.
        arguments: those of `BAD_ARGUMENTS` that it has.
    """

    make: Callable[..., Any]
    reset: Callable[[Any, Any], Any]
    step: Callable[[Any, Any], Any]
    batch: Callable[[Any], DealBatch]
    rows: str | None
    arguments: tuple[str, ...]

    def started(self, seed: Any, rows: int = 1) -> Any:
        """An environment that has been reset with a seed."""
        env = self.make(**({} if self.rows is None else {self.rows: rows}))
        self.reset(env, seed)
        return env

    def decks(self, seed: Any, rows: int = 1) -> list[list[int]]:
        """What is dealt for a seed."""
        decks: list[list[int]] = self.batch(self.started(seed, rows)).deals["deck"].tolist()
        return decks


def integers(value: int) -> list[Any]:
    """One integer in all the ways in which callers have it."""
    return [
        *(value, np.int64(value), np.uint8(value), np.array(value), [value], (value,)),
        *(np.array([value]), np.array([value], dtype=np.int16)),
        *(*tensors(value, [value]), *tensors([value], dtype="int8")),
    ]


def rows_of(values: Sequence[int]) -> list[Any]:
    """Some integers in all the ways in which callers have them."""
    read_only = np.array(values)
    read_only.flags.writeable = False
    return [
        *(list(values), tuple(values), [np.int64(value) for value in values], read_only),
        *(np.array(values, dtype=kind) for kind in (np.int64, np.int32, np.uint8)),
        *(np.repeat(values, 2)[::2], *tensors(values), *tensors(values, dtype="int32")),
    ]


def check_seeds(face: Face) -> None:
    """One seed has one meaning, however it is written; what is none says so and changes nothing."""
    expected = DealBatch(1, seed=7).deals["deck"].tolist()
    for seed in integers(7):
        assert face.decks(seed) == expected, repr(seed)
    env = face.started(7)
    before = face.batch(env).deals.tobytes()
    for seed in BAD_SEEDS:
        with pytest.raises(OptionError, match=r"^seed"):
            face.reset(env, seed)
        assert face.batch(env).deals.tobytes() == before, repr(seed)
    if face.rows is None:
        return
    assert face.decks(7, 3) == DealBatch(3, seed=7).deals["deck"].tolist()
    each = [DealBatch(1, seed=seed).deals["deck"][0].tolist() for seed in (7, 8, 9)]
    for seeds in rows_of((7, 8, 9)):
        assert face.decks(seeds, 3) == each, repr(seeds)
    env = face.started(7, 3)
    before = face.batch(env).deals.tobytes()
    for seed in ([7, 8], [7, 8, 9, 10], np.ones((3, 1), int), [7, 8, -1], np.ones(3), [7, 8, "9"]):
        with pytest.raises(OptionError, match=r"^seed"):
            face.reset(env, seed)
        assert face.batch(env).deals.tobytes() == before, repr(seed)


def check_actions(face: Face) -> None:
    """An action is any integer, alone or in an array of one; nothing else, and nothing changes."""
    first = face.batch(face.started(7))
    action = int(first.legal_mask()[0].argmax())
    after = set()
    for given in integers(action):
        env = face.started(7)
        face.step(env, given)
        after.add(face.batch(env).deals["history"].tobytes())
    assert len(after) == 1
    env = face.started(7)
    before = face.batch(env).deals.tobytes()
    for given in BAD_ACTIONS:
        with pytest.raises(ActionError):
            face.step(env, given)
        assert face.batch(env).deals.tobytes() == before, repr(given)
    if face.rows is None:
        return
    actions = face.batch(face.started(7, 3)).legal_mask().argmax(axis=1).tolist()
    after = set()
    for given in rows_of(actions):
        env = face.started(7, 3)
        face.step(env, given)
        after.add(face.batch(env).deals["history"].tobytes())
    assert len(after) == 1
    env = face.started(7, 3)
    before = face.batch(env).deals.tobytes()
    whole = np.array(actions)
    for given in (whole[:2], whole[:, None], whole * 1.0, whole > 0, actions[0], None, "abc"):
        with pytest.raises(ActionError):
            face.step(env, given)
        assert face.batch(env).deals.tobytes() == before, repr(given)


def named(name: str, value: Any) -> str:
    """What the error is to name: the argument, or what is wrong inside it."""
    if name == "rules" and isinstance(value, dict):
        return "option"
    return "agent" if value == "nobody" else name[:8]


def check_arguments(face: Face) -> None:
    """Every argument refuses what it cannot be, by a typed error that names it."""
    for name in face.arguments:
        other = {"episode": "match"} if name == "match" else {}
        for value in BAD_ARGUMENTS[name]:
            if value is None and name == "match":
                continue
            with pytest.raises(MariasError, match=named(name, value)):
                face.make(**{name: value, **other})
    if face.rows is not None:
        for value in BAD_COUNTS:
            with pytest.raises(OptionError, match=rf"^{face.rows}"):
                face.make(**{face.rows: value})
        env = face.make(**{face.rows: np.int64(2)})
        face.reset(env, 1)
        assert len(face.batch(env)) == 2


CHECKS = (check_seeds, check_actions, check_arguments)
