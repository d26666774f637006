"""A deal as an animated picture: whole, in time, and nothing in it that its seat doesn't know."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

import marias_env
from marias_env.errors import OptionError
from marias_env.records import record_of, replay
from marias_env.showing.animate import END, TRICK, animate
from marias_env.showing.explain import settlement_lines
from tests.env.helpers import PRESETS, beginning, traces
from tests.hidden import permuted, put

SVG = "{http://www.w3.org/2000/svg}"


def deals(preset: str, number: int) -> list[dict[str, Any]]:
    return [record for record in traces(preset) if record["payments"]][:number]


@pytest.mark.parametrize("language", ["en", "cs"])
@pytest.mark.parametrize("preset", PRESETS)
def test_every_card_and_the_settlement_are_in_it(preset: str, language: str) -> None:
    for record in deals(preset, 3):
        picture = animate(record, language=language)
        root = ET.fromstring(picture)
        assert root.tag == f"{SVG}svg"
        assert "script" not in {node.tag.removeprefix(SVG) for node in root.iter()}
        moving = [node for node in root.iter(f"{SVG}g") if "m " in node.get("class", "")]
        assert len(moving) >= len(record["deck"])
        written = {node.text for node in root.iter(f"{SVG}text")}
        batch = replay(record)
        assert set(settlement_lines(batch.deals[0], batch.rules, language)) <= written
        assert picture._repr_svg_() == picture


def test_keyframes_run_from_the_beginning_to_the_end_in_order() -> None:
    record = deals("traditional", 1)[0]
    picture = animate(record, seconds=2.0)
    found = re.findall(r"@keyframes (\w+)\{(.*?)\}\.\1\{", picture)
    assert len(found) > 40
    for _, frames in found:
        times = [float(at) for at in re.findall(r"([\d.]+)%\{", frames)]
        assert times[0] == 0
        assert times[-1] == 100
        assert times == sorted(times)
    (total,) = re.findall(r"animation-duration:([\d.]+)s", picture)
    batch = replay(record)
    tricks = int(batch.deals["tricks"][0])
    others = len(record["actions"]) - (tricks - 1)  # the last trick lies with the settlement
    assert float(total) == pytest.approx(2 * (others + TRICK * (tricks - 1) + END), rel=1e-3)
    assert "prefers-reduced-motion" in picture


def test_an_unfinished_deal_and_one_not_begun() -> None:
    record = deals("online", 1)[0]
    for actions in (0, 4, 9):
        ET.fromstring(animate(beginning(record, actions)))


def test_what_is_refused() -> None:
    record = deals("online", 1)[0]
    with pytest.raises(OptionError, match="seconds"):
        animate(record, seconds=0)
    with pytest.raises(ValueError, match="seat"):
        animate(record, 3)
    with pytest.raises(ValueError, match="language"):
        animate(record, language="de")
    with pytest.raises(marias_env.RecordError):
        animate({**record, "deck": []})


@pytest.mark.parametrize("preset", PRESETS)
def test_a_seats_animation_does_not_leak(preset: str) -> None:
    rng = np.random.default_rng(7)
    compared = 0
    for record in deals(preset, 6):
        for length in (length for length in (3, 12, 18) if length < len(record["actions"])):
            batch = replay(beginning(record, length))
            for seat in range(3):
                other = permuted(batch.deals[0], seat, batch.rules, rng)
                if other is None:
                    continue
                copy = batch.copy()
                put(copy.deals, 0, other)
                try:
                    replay(record_of(copy))
                except marias_env.RecordError:
                    continue  # somebody could not have put that away, or chosen it
                assert animate(record_of(copy), seat) == animate(record_of(batch), seat)
                assert animate(record_of(copy)) != animate(record_of(batch))
                compared += 1
    assert compared > 6
