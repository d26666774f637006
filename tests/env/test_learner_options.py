"""The arguments that the faces with learners share: one list, shown by every face."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from marias_env import MariasEnv, MariasVectorEnv
from marias_env.faces.learner_options import LearnerOptions
from marias_env.faces.learners import Learners

FACES: list[Any] = [MariasEnv, MariasVectorEnv]
OWN = {"illegal": "random"}


@pytest.mark.parametrize("face", FACES)
def test_every_shared_argument_is_shown_with_its_default(face: Any) -> None:
    shown = inspect.signature(face).parameters
    known = inspect.signature(Learners).parameters
    for name in LearnerOptions.__annotations__:
        assert shown[name].default == OWN.get(name, known[name].default), name
        assert shown[name].annotation == known[name].annotation, name
    assert not any(p.kind is p.VAR_KEYWORD for p in shown.values())


def test_the_arguments_of_the_learners_are_the_shared_ones_and_those_of_rows() -> None:
    known = set(inspect.signature(Learners).parameters)
    assert known == {*LearnerOptions.__annotations__, "num_envs", "all_seats", "first_index"}
    documented = inspect.getdoc(LearnerOptions) or ""
    for name in LearnerOptions.__annotations__:
        assert f"    {name}: " in documented


@pytest.mark.parametrize("face", FACES)
def test_an_argument_that_there_is_not_is_named(face: Any) -> None:
    with pytest.raises(TypeError, match="'opponent'"):
        face(opponent="random")
    with pytest.raises(TypeError, match="positional"):
        face(1, "random")


def test_a_face_takes_no_argument_of_another_one() -> None:
    with pytest.raises(TypeError, match="'all_seats'"):
        MariasEnv(all_seats=True)  # type: ignore[call-arg]


def test_a_default_of_the_face_gives_way_to_what_is_given() -> None:
    assert (
        MariasVectorEnv(1)._learners._illegal
        != MariasVectorEnv(1, illegal="error")._learners._illegal
    )
