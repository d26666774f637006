"""The arguments that every face with learners has, in one place."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypedDict, TypeVar, cast

import numpy.typing as npt

from marias_env.faces.learners import Learners
from marias_env.faces.opponents import Opponents
from marias_env.match import Match
from marias_env.rules import Rules

Init = TypeVar("Init", bound=Callable[..., None])


class LearnerOptions(TypedDict, total=False):
    """What `**options` stands for in the faces with learners; `Learners` has the defaults.

    Attributes:
        opponents: one agent or name for both other seats, or two: the left neighbour (next
            clockwise) and the right one. Names as in `marias_agents.make`. Default `"random"`.
        rules: a preset's name or a rule set. Default `"traditional"`.
        seat: where the learner sits: 0 (default), 1, 2, `"rotate"` (another place from episode to
            episode) or `"random"` (drawn for each episode). The deal rotates in any case.
        episode: `"deal"` (default), or `"match"`: deals follow each other until the match is over,
            each one's reward comes with the step that ends it.
        match: for matches: a `Match` or a number of dealer rotations; None (default): the rules'
            standard match.
        reward: `"units"` (default), or `"chips"`: units times the match's `chips_per_point`.
        illegal: what an illegal action does. `"error"`: `IllegalActionError`, the state unchanged.
            `"random"`: a uniformly random legal action is taken instead. `"penalty"`: nothing
            happens, the reward is `-illegal_penalty`. In the last two `illegal_action` of the info
            is True. Default: `"random"` in Gymnasium's faces, since checkers and warm-up phases
            sample actions without a mask; else `"error"`: with masks in use an illegal action is a
            mistake worth seeing.
        dtype: of observations, int8 or float32.
    """

    opponents: Opponents
    rules: str | Rules
    seat: int | str
    episode: str
    match: Match | int | None
    reward: str
    illegal: str
    dtype: npt.DTypeLike


def with_learner_options(**defaults: Any) -> Callable[[Init], Init]:
    """Makes `help`, editors and pages show the single arguments behind a face's options.

    Args:
        **defaults: those of the face, where they are not those of `Learners`.

    Returns:
        A decorator of an `__init__` whose last parameter takes the options, as
        `Unpack[LearnerOptions]`.
    """
    known = inspect.signature(Learners.__init__).parameters

    def decorate(init: Init) -> Init:
        written = inspect.signature(init)
        own = [p for p in written.parameters.values() if p.kind is not p.VAR_KEYWORD]
        options = [
            known[name].replace(
                kind=inspect.Parameter.KEYWORD_ONLY,
                default=defaults.get(name, known[name].default),
            )
            for name in LearnerOptions.__annotations__
        ]
        positional = [p for p in own if p.kind is not p.KEYWORD_ONLY]
        others = [p for p in own if p.kind is p.KEYWORD_ONLY]
        signature = written.replace(parameters=[*positional, *options, *others])

        @functools.wraps(init)
        def filled(*args: Any, **given: Any) -> None:
            signature.bind(*args, **given)  # no face takes an argument that it does not show
            init(*args, **{**defaults, **given})

        filled.__signature__ = signature  # type: ignore[attr-defined]
        return cast(Init, filled)

    return decorate
