"""Search agents: legal everywhere, functions of the view, reproducible, exact when all is known."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from marias_agents import make
from marias_agents.search.agent import PimcAgent
from marias_agents.search.beliefs import effective_number, likely_worlds, tempered
from marias_agents.search.bidding import doubt_of, options_of
from marias_agents.search.engine import DISTRUST, Doubt, doubted
from marias_agents.search.options import PimcOptions, parse_options
from marias_agents.solver import NO_VALUE, solve_cards
from marias_agents.strangers.styles import TUNING
from marias_agents.worlds import count_worlds, sample_worlds
from marias_env.actions import ACTIONS, FLEK_GAME, GOOD, PHASES, PLAY, SUIT_GAME
from marias_env.batch import DealBatch
from marias_env.core.deal import DECLARER
from marias_env.errors import AgentError
from marias_env.views import make_views
from tests.agents.agent_cases import VARIANTS, duel, interval, play_out
from tests.hidden import permuted, put

FAST = "pimc:2,bids=play,bid_worlds=2"


def quick(**options: Any) -> PimcAgent:
    return PimcAgent(PimcOptions(**{"worlds": 2, "bids": "play", "bid_worlds": 2, **options}))


@pytest.mark.parametrize("variant", VARIANTS)
def test_legal_in_every_phase(variant: str) -> None:
    # With random players at the table it meets contexts it would never bring about.
    for seats in ((0, 0, 0), (0, 1, 1)):
        batch = DealBatch(5, VARIANTS[variant], seed=4, autoreset=False)
        play_out(batch, (make(FAST), make("random")), seats)
        assert (batch.turn == -1).all()


@pytest.mark.parametrize("preset", ["traditional", "online"])
def test_no_hidden_card_matters(preset: str) -> None:
    rng = np.random.default_rng(1)
    agent = make(FAST)
    batch = DealBatch(6, preset, seed=9, autoreset=False)
    compared = np.zeros(len(PHASES), dtype=int)
    while (batch.turn >= 0).any():
        rows = np.flatnonzero(batch.turn >= 0)
        views = batch.views(rows)
        chosen = agent.act(views, views.legal_mask())
        # Cards that the seat has not seen change places; then another world of its view is true.
        other = batch[rows]
        for i, row in enumerate(rows):
            hidden = permuted(batch.deals[row], int(batch.turn[row]), batch.rules, rng)
            if hidden is not None:
                put(other.deals, i, hidden)
                compared[batch.phase[row]] += 1
        seen = other.views()
        before = seen.deals.tobytes()
        assert (agent.act(seen, seen.legal_mask()) == chosen).all()
        assert seen.deals.tobytes() == before
        seen = sample_worlds(views, 1, seed=3).views()
        assert (agent.act(seen, seen.legal_mask()) == chosen).all()
        # One by one as in a batch.
        assert agent.act(views[[-1]], views[[-1]].legal_mask())[0] == chosen[-1]
        actions = np.full(len(batch), -1, dtype=np.int64)
        actions[rows] = chosen
        batch.step(actions)
    assert (compared[[1, 2, 3, 5, 6, PLAY]] > 2).all(), compared


def test_threads_and_copies_decide_the_same() -> None:
    one, two = quick(worlds=3), quick(worlds=3, threads=2)
    other = make("pimc:3,bids=play,bid_worlds=2@5")
    batch = DealBatch(4, seed=2, autoreset=False)
    differs = 0
    while (batch.turn >= 0).all():
        views = batch.views()
        chosen = one.act(views, views.legal_mask())
        assert (two.act(views, views.legal_mask()) == chosen).all()
        assert one.explain(views[:2]) == two.explain(views[:2])
        differs += int((other.act(views, views.legal_mask()) != chosen).sum())
        batch.step(chosen)
    assert differs > 0


@pytest.mark.parametrize("preset", ["traditional", "online", "additive"])
def test_plays_double_dummy_best_when_all_cards_are_known(preset: str) -> None:
    agent = quick()
    batch = DealBatch(80, preset, seed=3, autoreset=False)
    tested = 0
    while (batch.turn >= 0).any():
        actions = batch.sample_legal()
        calm = (batch.phase < PLAY) & (batch.legal_bits >> np.uint64(42) & np.uint64(1) > 0)
        actions[calm] = 42
        rows = np.flatnonzero((batch.phase == PLAY) & (batch.deals["tricks"] > 5))
        if rows.size:
            views = batch.views(rows)
            for i in np.flatnonzero(count_worlds(views) == 1):
                row = rows[i]
                values = solve_cards(batch[row], threads=1)[0]
                sign = 1 if batch.turn[row] == batch.deals["declarer"][row] else -1
                best = max(sign * int(v) for v in values if v != NO_VALUE)
                card = int(agent.act(views[[i]], views[[i]].legal_mask())[0])
                assert sign * int(values[card]) == best
                tested += 1
        batch.step(actions)
    assert tested > 25


def test_believed_worlds_are_worlds_of_the_view() -> None:
    engine = quick()._engine
    replaced = np.zeros(2, dtype=int)
    met = np.zeros(len(engine.players), dtype=int)
    for preset in ("traditional", "online"):
        batch = DealBatch(12, preset, seed=6, autoreset=False)
        rules = make("rules")
        while (batch.turn >= 0).any():
            rows = np.flatnonzero(batch.turn >= 0)
            views = batch.views(rows)
            for i in range(0, len(rows), 4):
                view = views[[i]]
                worlds, weights, models, effective = likely_worlds(
                    engine, view.deals, view.packed_rules, 5
                )
                assert len(worlds) == len(weights) == len(models) <= 5
                assert effective > 0.49 * len(worlds)
                met[models] += 1
                assert (weights > 0).all()
                found = make_views(
                    worlds,
                    view.rules,
                    view.packed_rules,
                    np.arange(len(worlds)),
                    np.full(len(worlds), int(view.seats[0])),
                ).deals
                for name in found.dtype.names:
                    assert (found[name] == view.deals[name]).all(), name
                replaced += len(worlds), len(np.unique(worlds["hands"], axis=0))
            actions = np.full(len(batch), -1, dtype=np.int64)
            actions[rows] = rules.act(views, views.legal_mask())
            batch.step(actions)
    assert (replaced > 300).all()
    assert len(met) == 2 + len(TUNING)
    assert (met > 20).all()


def test_beliefs_favour_the_truth() -> None:
    """A declarer who is the rules player has the believed cards more often than any he may have."""
    engine = quick()._engine
    batch = DealBatch(80, seed=12, autoreset=False)
    rules = make("rules")
    while (batch.phase < PLAY).any():
        rows = np.flatnonzero(batch.phase < PLAY)
        bidding = batch[rows]
        bidding.step(rules.act(bidding.views(), bidding.legal_mask()))
        batch.deals[rows] = bidding.deals
    hits = np.zeros(2)
    for row in np.flatnonzero((batch.phase == PLAY) & (batch.deals["contract"] == 0)):
        seat = (int(batch.deals["declarer"][row]) + 1) % 3
        view = batch.views([row], [seat])
        believed = likely_worlds(engine, view.deals, view.packed_rules, 20).worlds
        uniform = sample_worlds(view, 20, seed=1).deals
        for i, worlds in enumerate((believed, uniform)):
            declarer = int(batch.deals["declarer"][row])
            common = worlds["hands"][:, declarer] & batch.deals["hands"][row, declarer]
            hits[i] += sum(int(cards).bit_count() for cards in common)
    assert hits[0] > 1.03 * hits[1], hits


def test_tempering_goes_no_further_than_it_must() -> None:
    logs = np.array([0.0, -1.0, -8.0, -20.0])
    flat = tempered(logs, 3.0)
    assert effective_number(np.exp(flat)) == pytest.approx(3.0, rel=1e-6)
    assert (np.diff(flat) < 0).all()  # the order of the worlds stays
    assert flat[1] / flat[2] == pytest.approx(logs[1] / logs[2])
    mild = np.array([-3.0, -3.1, -3.2, -3.3])
    assert tempered(mild, 3.0) == pytest.approx(mild + 3.0)
    assert effective_number(np.ones(7)) == pytest.approx(7)


def test_explains() -> None:
    agent = make("pimc:4,bids=play,bid_worlds=2")
    assert isinstance(agent, PimcAgent)
    batch = DealBatch(3, seed=8, autoreset=False)
    seen = set()
    while (batch.turn >= 0).all():
        views = batch.views()
        chosen = agent.act(views, views.legal_mask())
        for action, line in zip(chosen, agent.explain(views), strict=True):
            assert line.startswith(ACTIONS[action]), line
            assert "\n" not in line
            if "%" in line:
                seen.add(int(batch.phase[0]))
                assert "world" in line
                assert re.search(r"\d+ effective$", line)
        batch.step(chosen)
    assert {2, 3, 6, PLAY} <= seen


def test_bids_as_the_rules_player_unless_told_otherwise() -> None:
    agent, rules = make("pimc:2"), make("rules")
    batch = DealBatch(40, seed=5, autoreset=False)
    while (rows := np.flatnonzero(batch.phase < PLAY)).size:
        part = batch[rows]
        views = part.views()
        actions = agent.act(views, views.legal_mask())
        assert (actions == rules.act(views, views.legal_mask())).all()
        part.step(actions)
        batch[rows] = part


def test_a_raise_that_the_other_side_may_know_to_lose_counts_less() -> None:
    payments = np.array([[0.0, 5.0, 5.0], [0.0, -4.0, -4.0]])
    share = np.full((2, 3), 0.5)
    counted = doubted(share, payments, Doubt(0, np.array([0, 0, 2])))
    assert counted[:, 0] == pytest.approx([0.5, 0.5])
    assert (counted * payments).sum(0) == pytest.approx([0.0, 0.5, (5 - 4 * DISTRUST**2) / 5])


def test_reasons_to_doubt_a_raise() -> None:
    # The first flek of a plain game is free; betl is named with care, and so is every raise made.
    batch = DealBatch(300, seed=2, autoreset=False)
    rng, rules, found = np.random.default_rng(1), make("rules"), set()
    while (rows := np.flatnonzero(batch.phase < PLAY)).size:
        part = batch[rows]
        views = part.views()
        actions = rules.act(views, views.legal_mask())
        for i, view in enumerate(views.deals):
            if not int(view["legal"]) >> FLEK_GAME & 1:
                continue
            listed = options_of(view)
            raising = (FLEK_GAME, GOOD) if (FLEK_GAME, GOOD) in listed else (FLEK_GAME,)
            doubt = doubt_of(view, listed)
            reasons = 0 if doubt is None else int(doubt.reasons[listed.index(raising)])
            plain = view["contract"] == SUIT_GAME and view["hundred_side"] != DECLARER
            defends = bool(view["turn"] != view["declarer"])
            found.add((bool(plain), int(view["levels"][0]), defends, reasons))
            if rng.random() < 0.7:
                actions[i] = FLEK_GAME
        part.step(actions)
        batch[rows] = part
    plain_games = {(True, 0, True, 0), (True, 1, False, 1), (True, 2, True, 1), (True, 3, False, 2)}
    strong = {(False, 0, True, 1), (False, 1, False, 1), (False, 2, True, 2)}
    assert plain_games | strong <= found
    assert len({case[:3] for case in found}) == len(found)


def test_options() -> None:
    assert parse_options("") == PimcOptions()
    assert parse_options("3,ms=5,threads=2,bids=play") == PimcOptions(
        worlds=3, ms=5, threads=2, bids="play"
    )
    for options in ({"worlds": 0}, {"ms": 1.5}, {"threads": True}, {"cards": "best"}):
        with pytest.raises(AgentError, match=f"agent 'pimc': {next(iter(options))}"):
            PimcOptions(**options)
    for text in ("x", "0", "3,4", "3,what=1", "3,ms=x", "3,bids=well", "ms=-1"):
        with pytest.raises(AgentError, match="agent 'pimc'"):
            parse_options(text)
    agent = make("pimc:3,ms=1@4")
    assert agent.name == "pimc:3,ms=1@4"
    assert agent.name in repr(agent)
    views = DealBatch(2, seed=1).views()
    assert agent.act(views, views.legal_mask()).shape == (2,)


def test_an_impossible_view_is_refused() -> None:
    views = DealBatch(1, seed=1).views()
    views.deals["hands"][0, int(views.seats[0])] = 0
    views.deals["deck"][0, :] = 255
    with pytest.raises(ValueError, match="no deal"):
        make(FAST).act(views, views.legal_mask())


@pytest.mark.slow
def test_ladder() -> None:
    for better, worse, deals in (("pimc:1", "rules", 500), ("pimc:10", "pimc:1", 600)):
        low, _ = interval(duel(make(better), make(worse), deals))
        assert low > 0, (better, worse)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["pimc:1,bids=play,bid_worlds=2,plays=2", "ismcts:5"])
def test_decides_the_same_without_numba(spec: str) -> None:
    code = (
        "import sys\n"
        "from marias_agents import make\n"
        "from marias_env.batch import DealBatch\n"
        "agent, batch, done = make(sys.argv[1]), DealBatch(1, seed=3, autoreset=False), []\n"
        "while batch.turn[0] >= 0:\n"
        "    views = batch.views()\n"
        "    batch.step(agent.act(views, views.legal_mask()))\n"
        "print(batch.deals['history'].tolist())\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-W", "error", "-c", code, spec],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        ).stdout
        for disabled in "01"
    }
    assert len(found) == 1
