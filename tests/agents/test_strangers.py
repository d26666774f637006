"""The strangers: legal everywhere, a function of the view, different, and not weak."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from marias_agents import make
from marias_agents.rules.tables import load_points, num_points, points_vector, save_points
from marias_agents.strangers import JUDGES, TUNING, judging_specs, tuning_specs
from marias_env.actions import PHASES, PLAY
from marias_env.batch import DealBatch
from marias_env.errors import AgentError
from tests.agents.agent_cases import VARIANTS, answer, duel, interval, play_out, position
from tests.hidden import permuted, put

COMPILED = tuple(spec for spec in (*judging_specs(), *tuning_specs()) if "ismcts" not in spec)
ACCEPTED = "good good good good good"


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_book_plays_every_rule_set(variant: str) -> None:
    # With random players at the table it meets contexts it would never bring about.
    for seats in ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)):
        batch = DealBatch(500, VARIANTS[variant], seed=4, autoreset=False)
        play_out(batch, (make("book"), make("random")), seats)
        assert (batch.turn == -1).all()


@pytest.mark.parametrize("spec", COMPILED)
def test_decides_by_the_view_alone(spec: str) -> None:
    rng = np.random.default_rng(1)
    agent = make(spec)
    batch = DealBatch(60, seed=9, autoreset=False)
    compared = np.zeros(len(PHASES), dtype=int)
    while (batch.turn >= 0).all():
        other = batch.copy()
        for row in range(len(batch)):
            hidden = permuted(batch.deals[row], int(batch.turn[row]), batch.rules, rng)
            if hidden is not None:
                put(other.deals, row, hidden)
                compared[batch.deals[row]["phase"]] += 1
        views, seen = batch.views(), other.views()
        chosen = agent.act(views, views.legal_mask())
        assert (agent.act(seen, seen.legal_mask()) == chosen).all()
        batch.step(chosen)
    assert compared[PLAY] > 50
    assert compared[:PLAY].sum() > 100


def decisions(spec: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """What a player does in positions of games among three `rules`."""
    agent, rules = make(spec), make("rules")
    batch = DealBatch(400, seed=12, autoreset=False)
    found = []
    while (batch.turn >= 0).any():
        rows = np.flatnonzero(batch.turn >= 0)
        views = batch.views(rows)
        masks = views.legal_mask()
        found.append(agent.act(views, masks))
        actions = np.full(len(batch), -1, dtype=np.int64)
        actions[rows] = rules.act(views, masks)
        batch.step(actions)
    return np.concatenate(found)


def test_no_two_play_alike() -> None:
    chosen = {spec: decisions(spec) for spec in (*COMPILED, "rules")}
    for one in chosen:
        for other in chosen:
            if one < other:
                # Most decisions are forced; styles that only bid otherwise differ least.
                assert (chosen[one] != chosen[other]).sum() >= 60, (one, other)


@pytest.mark.parametrize("spec", COMPILED)
def test_none_is_weak(spec: str) -> None:
    low, _ = interval(duel(make(spec), make("random-cards"), 1500, "traditional"))
    assert low > 0.5, (spec, low)


def test_the_populations_share_nothing() -> None:
    judges = {(style.points, style.shift, style.spec) for style in JUDGES.values()}
    tuned = {(style.points, style.shift, style.spec) for style in TUNING.values()}
    assert not judges & tuned
    assert not set(JUDGES) & set(TUNING)


@pytest.mark.parametrize("spec", ["stranger:nobody", "tuning:book", "stranger", "book:3"])
def test_unknown_styles_are_refused(spec: str) -> None:
    with pytest.raises(AgentError, match=r"expected|takes no argument"):
        make(spec)


@pytest.mark.parametrize("spec", ["stranger:book", "tuning:root", "stranger:ismcts@3"])
def test_names_make_them_again(spec: str) -> None:
    assert make(spec).name == spec
    assert make(make(spec).name).name == spec


def test_points_are_the_same_compressed(tmp_path: object) -> None:
    path = tmp_path / "points.npz"  # type: ignore[operator]
    save_points(load_points(), path)
    assert (load_points(path) == load_points()).all()
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(AgentError, match="not a file of points"):
        load_points(path)
    with pytest.raises(ValueError, match="expected 648"):
        points_vector({"betl.length": [1, 2]})


@pytest.mark.parametrize("module", ["contract", "sight", "tables", "trump", "lead"])
def test_points_lie_in_one_order_whatever_is_imported_first(module: str) -> None:
    # Compiled code has the places of the tables in it.
    code = (
        f"import marias_agents.rules.{module}; from marias_agents.rules.tables import TABLES;"
        "print([(name, place.base) for name, place in TABLES.items()])"
    )
    orders = {
        subprocess.run(
            [sys.executable, "-c", first + code], capture_output=True, text=True, check=True
        ).stdout
        for first in ("", "import marias_agents.rules.kernel;")
    }
    assert len(orders) == 1
    assert num_points() > 60_000


# ---------------------------------------------------------------------- the book's conventions


def test_the_book_smears_and_keeps_its_sharps() -> None:
    hands = (
        "As Ts Ks 9s 8s 7s 9d 8d Kh 8h",
        "Ad Td Kd Qd Jd Qs Js Kc Qc 7h",
        "Ac Tc Jc 9c 8c 7c Ah Th Qh 9h",
        "7d Jh",
        "8s",
    )
    assert answer(make("book"), position(*hands, f"{ACCEPTED} 9d Ad")) in ("Tc", "Th")
    other = (
        "As Ts Ks 9s 8s 7s Ad 8d Kh 8h",
        "9d Td Kd Qd Jd Qs Js Kc Qc 7h",
        "Ac Tc Jc 9c 8c 7c Ah Th Qh 9h",
        "7d Jh",
        "8s",
    )
    assert answer(make("book"), position(*other, f"{ACCEPTED} Ad 9d"))[0] not in "AT"


def test_the_book_names_betl_without_holes_and_durch_without_losers() -> None:
    betl = position(
        "7s 8s 9s 7h 8h 9h 7d 8d 7c 8c",
        "As Ts Ks Ah Th Kh Ad Td Kd Jc",
        "Qs Js Qh Jh Qd Jd 9d Ac Tc Kc",
        "9c Qc",
        "7s",
    )
    durch = position(
        "As Ks Qs 9s 8s 7s Ah Kh Qh 9h",
        "Js Ts Jh Ad Kd Qd Jd 9d 8d 7d",
        "Th Td Kc Qc Jc Tc 9c 8c 7c Ac",
        "8h 7h",
        "9s",
    )
    agent = make("book")
    for batch, names in ((betl, ("betl", "open_betl")), (durch, ("durch",))):
        batch.step(agent.act(batch.views(), batch.legal_mask()))
        assert answer(agent, batch) in names
        play_out(batch, (agent,), (0, 0, 0))
        assert batch.payments[0, 0] >= 10


def test_the_book_announces_a_seven_from_length_only() -> None:
    agent = make("book")
    long = position(
        "As Ts Ks Qs 9s 7s Ad 8d Ah 8h",
        "9d Td Kd Qd Jd 8s Js Kc Qc 7h",
        "Ac Tc Jc 9c 8c 7c Kh Th Qh 9h",
        "7d Jh",
        "9s",
        "good good",
    )
    assert answer(agent, long) == "seven"
    short = position(
        "As 9s 8s 7s Kd 8d 9d Jd Kh 8h",
        "Ad Td Ts Qd Ks Qs Js Kc Qc 7h",
        "Ac Tc Jc 9c 8c 7c Ah Th Qh 9h",
        "7d Jh",
        "8s",
        "good good",
    )
    assert answer(agent, short) == "good"
