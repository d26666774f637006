"""The skill correction is what its command measures."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from marias_agents import make
from marias_agents.search import skill
from marias_agents.solver import solve_batch
from marias_env.actions import PLAY
from marias_env.batch import DealBatch


def test_corrections_scale_with_doubling_and_hearts() -> None:
    batch = DealBatch(200, seed=7, autoreset=False)
    rules = make("rules")
    while (rows := np.flatnonzero(batch.phase < PLAY)).size:
        part = batch[rows]
        views = part.views()
        part.step(rules.act(views, views.legal_mask()))
        batch[rows] = part
    deals = batch.deals[batch.phase == PLAY]
    units = skill.corrections(deals) / skill.stakes_of(deals)
    names = [skill.KINDS[kind][0] for kind in skill.kinds_of(deals)]
    assert {"plain game", "announced seven"} <= set(names)
    assert units == pytest.approx([dict(skill.KINDS)[name] for name in names])
    more = deals.copy()
    more["levels"][:, 0] += 2
    assert skill.corrections(more) == pytest.approx(4 * skill.corrections(deals))


def test_measures_what_is_paid_beyond_double_dummy() -> None:
    found = skill.measure(30, seed=1)
    assert {gap.kind for gap in found} <= {name for name, _ in skill.KINDS}
    batch = DealBatch(30, "traditional", 1, autoreset=False)
    rules = make("rules")
    solved = np.zeros(30)
    played = np.zeros(30, dtype=bool)
    while (rows := np.flatnonzero(batch.turn >= 0)).size:
        first = np.flatnonzero((batch.phase == PLAY) & ~played)
        if first.size:
            solved[first] = solve_batch(batch[first], threads=1)
            stakes = skill.stakes_of(batch.deals[first])
            solved[first] /= stakes
            played[first] = True
        actions = np.full(30, -1, dtype=np.int64)
        views = batch.views(rows)
        actions[rows] = rules.act(views, views.legal_mask())
        batch.step(actions)
    paid = batch.deals["value"][played] / skill.stakes_of(batch.deals[played])
    assert sum(gap.deals for gap in found) == played.sum()
    total = sum(gap.deals * gap.mean for gap in found)
    assert total == pytest.approx((paid - solved[played]).sum())


def test_the_command_prints_what_is_in_use(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["skill", "--deals", "20", "--seed", "2"])
    skill.main()
    lines = capsys.readouterr().out.splitlines()
    plain = next(line for line in lines if line.startswith("plain game"))
    assert plain.endswith(f"in use {skill.PLAIN:+.2f}")
    assert " ± " in plain
