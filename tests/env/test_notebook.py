"""Objects as notebooks show them: whole, escaped, and a view never more than its seat knows."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import marias_env
from marias_env.rules import RULES, Rules
from marias_env.showing.grid import Grid, grid_html
from marias_env.showing.svg import render_svg
from tests.hidden import permuted, put


def table(html: str) -> list[list[str]]:
    rows = ET.fromstring(html.replace("&nbsp;", " ")).iter("tr")
    return [["".join(cell.itertext()) for cell in row] for row in rows]


def test_one_deal_is_a_picture_and_several_are_a_table() -> None:
    batch = marias_env.DealBatch(1, "online", seed=3, autoreset=False)
    batch.step(batch.sample_legal())
    assert batch._repr_html_() == render_svg(batch)
    one = marias_env.OneDeal("online", seed=3)
    one.step(int(one.batch.sample_legal()[0]))
    assert one._repr_html_() == render_svg(one.batch)
    many = marias_env.DealBatch(30, "online", seed=3, autoreset=False)
    while (many.turn[:10] >= 0).any():
        many.step(many.sample_legal())
    rows = table(many._repr_html_())
    assert len(rows) == 21
    for row, cells in enumerate(rows[1:]):
        assert cells[0] == str(row)
        assert cells[1] == marias_env.PHASES[many.phase[row]]
        paid = " ".join(f"{units:+d}" for units in many.payments[row].tolist())
        assert cells[-1] == (paid if many.turn[row] < 0 else "")
    assert "10 more rows" in many._repr_html_()


@pytest.mark.parametrize("preset", sorted(RULES))
def test_views_show_what_their_seat_knows(preset: str) -> None:
    batch = marias_env.DealBatch(8, preset, seed=5, autoreset=False)
    for _ in range(9):
        batch.step(batch.sample_legal())
    rng, compared = np.random.default_rng(1), 0
    for row in range(len(batch)):
        seat = int(batch.turn[row])
        other = permuted(batch.deals[row], seat, batch.rules, rng) if seat >= 0 else None
        if other is None:
            continue
        mine = batch.views([row], [seat])
        assert mine._repr_html_() == render_svg(batch, row, seat)
        copy = batch.copy()
        put(copy.deals, row, other)
        assert copy.views([row], [seat])._repr_html_() == mine._repr_html_()
        assert copy.views([row, row], [seat] * 2)._repr_html_() == mine[[0, 0]]._repr_html_()
        compared += 1
    assert compared > 2
    rows = table(batch.views([0, 0, 0], [0, 1, 2])._repr_html_())
    assert [cells[1] for cells in rows] == ["seat", "0", "1", "2"]


def test_rules_show_every_option_and_mark_what_differs() -> None:
    rules = dataclasses.replace(RULES["traditional"], max_doublings=3, tariff={"betl": 7})
    rows = {cells[0]: cells[1:3] for cells in table(rules._repr_html_())[1:]}
    assert set(rows) == {field.name for field in dataclasses.fields(Rules)}
    usual = str(RULES["traditional"].max_doublings)
    assert rows.pop("max_doublings") == ["3", usual]
    value, other = rows.pop("tariff")
    assert "betl 7" in value
    assert "betl 5" in other
    assert {differs for _, differs in rows.values()} == {""}


def test_text_is_escaped() -> None:
    grid = Grid("<title>", "a & b", ("<head>",), (("<script>alert(1)</script>",),))
    assert "<script>" not in grid_html(grid)
    assert table(grid_html(grid)) == [["<head>"], ["<script>alert(1)</script>"]]
