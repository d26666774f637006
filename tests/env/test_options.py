from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from marias_agents.search import net_pimc
from marias_agents.search import options as pimc
from marias_env import match, rules
from marias_env.errors import RulesError
from marias_env.options import Bound, Choice, Flag, Maybe, Real, Text, Whole, check, check_fields

GOOD = [
    (Whole(1, 9), 1, 1),
    (Whole(1, 9), np.uint8(9), 9),
    (Real(0, 1), 0, 0.0),
    (Real(0, 1), np.float32(0.5), 0.5),
    (Choice("a", "b"), "b", "b"),
    (Flag(), np.True_, True),
    (Text(), "x", "x"),
    (Maybe(Whole(1)), None, None),
    (Maybe(Whole(1)), 5, 5),
]
BAD = [
    *(
        (Whole(1, 9), value)
        for value in (0, 10, 2.0, True, "3", None, np.float64(2), [2], math.nan)
    ),
    *((Real(0, 1), value) for value in (-0.1, 1.1, math.nan, math.inf, -math.inf, "0", None, True)),
    (Real(0, above=True), 0.0),
    (Real(0), np.float64("nan")),
    *((Choice("a", "b"), value) for value in ("c", "", None, 0, ["a"])),
    *((Flag(), value) for value in (0, 1, "true", None)),
    *((Text(), value) for value in ("", " ", None, 3)),
    (Maybe(Whole(1)), 0),
    (Maybe(Whole(1)), "none"),
]


@pytest.mark.parametrize(("bound", "value", "stored"), GOOD)
def test_what_fits_becomes_plain_python(bound: Bound, value: Any, stored: Any) -> None:
    found = check("x", value, bound)
    assert found == stored
    assert type(found) is type(stored)


@pytest.mark.parametrize(("bound", "value"), BAD)
def test_what_does_not_fit_is_named_with_what_was_expected(bound: Bound, value: Any) -> None:
    with pytest.raises(RulesError) as caught:
        check("thing", value, bound, RulesError)
    assert str(caught.value) == f"thing: {value!r}; expected {bound.expected}"


@pytest.mark.parametrize(
    ("bound", "text", "value"),
    [
        (Whole(), "12", 12),
        (Whole(), "-1", -1),
        (Whole(), "1.5", "1.5"),
        (Whole(), "١", "١"),
        (Real(), "1e-3", 0.001),
        (Real(), "x", "x"),
        (Flag(), "True", True),
        (Flag(), "false", False),
        (Flag(), "1", "1"),
        (Choice("a"), "a", "a"),
        (Maybe(Whole()), "none", None),
        (Maybe(Whole()), "3", 3),
    ],
)
def test_texts_are_read(bound: Bound, text: str, value: Any) -> None:
    found = bound.read(text)
    assert found == value
    assert type(found) is type(value)


def test_a_frozen_dataclass_stores_what_was_checked() -> None:
    @dataclasses.dataclass(frozen=True)
    class Config:
        size: int = 3

        def __post_init__(self) -> None:
            check_fields(self, {"size": Whole(1)})

    assert type(Config(np.int16(4)).size) is int  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="size: 0; expected a whole number from 1"):
        Config(0)


@pytest.mark.parametrize(
    ("config", "bounds", "others"),
    [
        (rules.Rules, rules.BOUNDS, {"tariff", "suits", "ranks"}),
        (match.Match, match.BOUNDS, set()),
        (pimc.PimcOptions, pimc.BOUNDS, set()),
        (net_pimc.NetPimcOptions, net_pimc.BOUNDS, set()),
    ],
)
def test_every_field_has_a_bound(config: Any, bounds: Any, others: set[str]) -> None:
    assert set(bounds) | others == {field.name for field in dataclasses.fields(config)}


@pytest.mark.parametrize("value", [math.nan, math.inf, 0, -1, True, "1"])
def test_chips_are_a_finite_positive_number(value: Any) -> None:
    with pytest.raises(RulesError, match="chips_per_point"):
        match.Match(chips_per_point=value)
