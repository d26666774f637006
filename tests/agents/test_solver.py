"""The double-dummy solver equals a plain minimax over the environment's own `step`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from marias_agents.solver import (
    NO_VALUE,
    SolverError,
    card_values,
    new_workspace,
    position_value,
    solve,
    solve_batch,
    solve_cards,
)
from marias_agents.solver.general import solve_general
from marias_agents.solver.lanes import (
    LANE,
    SEVEN_FENCE,
    TOP_FENCE,
    TRUMP_LANE,
    VALUE_FENCE,
    card_bit,
    distinct,
    follow,
    to_lanes,
)
from marias_agents.solver.payoff import needs_order
from marias_agents.solver.position import load
from marias_agents.solver.suit import kept
from marias_agents.solver.workspace import (
    NODES,
    STAMP,
    STAMP_LIMIT,
    USE_ALL,
    USE_BOUNDS,
    USE_CASH,
    USE_EQUALS,
    USE_ORDER,
    USE_RANKS,
    USE_TABLE,
)
from marias_env.actions import OVER, PLAY
from marias_env.batch import DealBatch
from marias_env.cards import CARDS
from marias_env.core.legal import beats, card_mask
from marias_env.records import record_of
from marias_env.rules import RULES
from tests.agents.solver_cases import NO_CARD, brute_force, endings, full_deals, rule_sets
from tests.processes import PATIENCE

SWITCHES = {
    "table": USE_TABLE,
    "ranks": USE_RANKS,
    "equals": USE_EQUALS,
    "order": USE_ORDER,
    "bounds": USE_BOUNDS,
    "cash": USE_CASH,
}


def best_of(batch: DealBatch, cards: np.ndarray) -> np.ndarray:
    """V of the positions from V after every legal card."""
    own = batch.deals["turn"] == batch.deals["declarer"]
    highest = np.where(cards == NO_CARD, np.iinfo(np.int64).min, cards).max(axis=1)
    lowest = np.where(cards == NO_CARD, np.iinfo(np.int64).max, cards).min(axis=1)
    return np.where(own, highest, lowest)


def size_of(name: str) -> tuple[int, int]:
    """Endings and tricks for the default suite: more where what matters is rare."""
    if name.startswith(("first", "tariff")):
        return 100, 5
    return (120, 5) if name in RULES else (40, 4)


def check(name: str, rows: int, tricks: int, seed: int) -> DealBatch:
    batch = endings(name, rows, tricks, seed)
    expected = brute_force(batch)
    got = solve_cards(batch)
    wrong = np.flatnonzero((got != expected).any(axis=1))
    assert wrong.size == 0, (name, seed, wrong[0], batch.deals[wrong[0]])
    assert (solve_batch(batch) == best_of(batch, expected)).all(), (name, seed)
    return batch


@pytest.mark.parametrize("name", rule_sets())
def test_equals_brute_force(name: str) -> None:
    check(name, *size_of(name), seed=1)


def test_the_endings_are_of_every_kind() -> None:
    """What `test_equals_brute_force` looks at: a kind that is missing is not tested."""
    seen: set[str] = set()
    for name in rule_sets():
        for deal in endings(name, *size_of(name), seed=1).deals:
            contract = int(deal["contract"])
            seen |= {f"contract {contract}", f"in trick {deal['in_trick']}"}
            seen.add(f"decided {deal['made']}" if contract else f"trump {deal['trump']}")
            if contract == 0:
                seven = (int(deal["hands"].sum()) >> 8 * int(deal["trump"])) & 1
                seen |= {
                    f"hundred {deal['hundred_side']}",
                    f"seven {deal['seven_side']} in hand {seven}",
                    f"marriages {min(int(deal['marriage_sum'].sum()) // 20, 3)}",
                }
                queens = [int(h) & 0x20202020 & int(h) >> 1 for h in deal["hands"]]
                seen.add(f"pending {min(sum(q.bit_count() for q in queens), 2)}")
            seen |= {f"game level {min(level, 3)}" for level in deal["levels"][:1]}
            seen |= {f"seven level {min(level, 2)}" for level in deal["levels"][1:]}
    expected = {f"contract {c}" for c in range(5)} | {f"in trick {n}" for n in range(3)}
    expected |= {f"trump {suit}" for suit in range(4)} | {"decided -1", "decided 0"}
    expected |= {f"hundred {side}" for side in (-1, 0, 1)}
    expected |= {f"seven {side} in hand {n}" for side in (-1, 0, 1) for n in (0, 1)}
    expected |= {f"marriages {n}" for n in range(4)} | {f"pending {n}" for n in range(3)}
    expected |= {f"game level {n}" for n in range(4)} | {f"seven level {n}" for n in range(3)}
    assert expected <= seen, expected - seen


@pytest.mark.slow
@pytest.mark.parametrize("name", rule_sets())
def test_equals_brute_force_on_many(name: str) -> None:
    rows = sum(len(check(name, 110, 5, seed)) for seed in range(2, 6))
    assert rows > 300


def compare_switches(deals: int, seed: int) -> None:
    batch = full_deals(deals, seed)
    expected = solve_batch(batch)
    assert len(set(expected.tolist())) > 3
    for name, switch in SWITCHES.items():
        # Without a table a deal takes about ten times as long.
        some = batch if name != "table" else batch[: max(deals // 4, 4)]
        assert (solve_batch(some, flags=USE_ALL & ~switch) == expected[: len(some)]).all(), name


def test_full_deals_with_each_optimisation_off() -> None:
    compare_switches(12, seed=5)


@pytest.mark.slow
def test_many_full_deals_with_each_optimisation_off() -> None:
    compare_switches(200, seed=6)


def test_cards_with_each_optimisation_off() -> None:
    for name in ("traditional", "online", "additive"):
        batch = endings(name, 40, 6, seed=7)
        expected = solve_cards(batch)
        for switch in SWITCHES.values():
            assert (solve_cards(batch, flags=USE_ALL & ~switch) == expected).all()


def test_switches_change_the_work() -> None:
    """An optimisation that did nothing could not be tested by switching it off."""
    batch = full_deals(8, seed=5)
    work = {}
    for name, flags in {"all": 0, **SWITCHES}.items():
        workspace = new_workspace(flags=USE_ALL & ~flags)
        work[name] = 0
        for deal in batch.deals:
            position_value(workspace, deal, batch.packed_rules[0])
            work[name] += int(workspace[NODES])
    assert len(set(work.values())) == len(work), work
    for name in ("table", "ranks", "equals", "bounds", "cash"):
        assert work[name] > work["all"], work


@pytest.mark.parametrize("name", ["traditional", "online", "additive", "together"])
def test_fast_road_equals_slow_road(name: str) -> None:
    """Longer endings than brute force can do, by a search that shares no move generator."""
    batch = endings(name, 60, 6, seed=8)
    batch = batch[batch.deals["contract"] == 0]
    fast = solve_cards(batch)
    slow = np.full_like(fast, NO_VALUE)
    workspace = new_workspace(flags=USE_ALL & ~USE_BOUNDS)
    for row, deal in enumerate(batch.deals):
        load(workspace, deal)
        solve_general(workspace, deal, batch.packed_rules[0], slow[row])
    assert (fast == slow).all()


def test_the_slow_road_is_needed() -> None:
    """The order of marriages matters in some endings, else its tests would show nothing."""
    counts = {}
    for name in ("traditional", "first", "first-free", "tariff-free"):
        batch = endings(name, *size_of(name), seed=1)
        suit = batch.deals[batch.deals["contract"] == 0]
        counts[name] = sum(bool(needs_order(deal, batch.packed_rules[0])) for deal in suit)
    assert counts["traditional"] == 0
    assert min(counts["first"], counts["first-free"], counts["tariff-free"]) > 0, counts


def test_move_generator_equals_the_rules() -> None:
    rng = np.random.default_rng(3)
    headed = 0
    for _ in range(4000):
        trump = int(rng.integers(-1, 4))
        cards = rng.permutation(32)
        hand = sum(1 << int(c) for c in cards[: int(rng.integers(1, 11))])
        table = [int(c) for c in cards[10 : 10 + int(rng.integers(1, 3))]]
        best = table[0]
        for card in table[1:]:
            if beats(card, best, trump):
                best = card
        keep = int(rng.integers(2)) * card_bit(np.int64(8 * max(trump, 0)), trump)
        if trump < 0:
            keep = 0
        led_lane = LANE << ((int(card_bit(table[0], trump)).bit_length() - 1) & 48)
        trump_lane = TRUMP_LANE if trump >= 0 else 0
        mine = follow(to_lanes(hand, trump), led_lane, int(card_bit(best, trump)), trump_lane)
        mine = kept(mine, int(keep))
        rules = card_mask(hand, table[0] // 8, best, trump, 0, keep != 0)
        assert mine == to_lanes(rules, trump), (hand, table, trump)
        headed += rules != hand
    assert headed > 1000


def test_distinct_keeps_one_card_of_every_block() -> None:
    def block(texts: str, others: str, trump: int, fences: int) -> set[str]:
        cards = [CARDS.index(text) for text in texts.split()]
        hand = sum(1 << c for c in cards)
        present = hand | sum(1 << CARDS.index(text) for text in others.split())
        found = distinct(to_lanes(hand, trump), to_lanes(present, trump), fences)
        return {CARDS[c] for c in cards if int(card_bit(c, trump)) & int(found)}

    suit = TOP_FENCE | VALUE_FENCE
    assert block("7s 8s 9s Js", "", 3, suit) == {"7s"}
    assert block("7s 8s Js", "9s", 3, suit) == {"7s", "Js"}
    assert block("Ks Ts As", "", 3, suit) == {"Ks", "Ts"}
    assert block("7s Ks 7c As", "", 3, suit) == {"7s", "7c", "As"}
    assert block("7h 8h 9h", "", 3, suit) == {"7h"}
    assert block("7h 8h 9h", "", 3, suit | SEVEN_FENCE) == {"7h", "8h"}
    assert block("9s Ts Js", "", -1, TOP_FENCE) == {"9s"}
    assert block("Ah 7s", "", 3, suit) == {"Ah", "7s"}


def test_threads_give_the_same() -> None:
    batch = endings("traditional", 120, 5, seed=9)
    assert (solve_cards(batch, threads=2) == solve_cards(batch, threads=1)).all()
    assert (solve_batch(batch, threads=2) == solve_batch(batch, threads=1)).all()


def test_solve_record() -> None:
    batch = endings("traditional", 60, 3, seed=10)
    # Only played-out endings can be written as a record.
    batch = batch[batch.deals["num_actions"] + batch.deals["in_trick"] > 20]
    shown = 0
    for row in range(len(batch)):
        deal = batch.deals[row]
        if int(deal["played"].sum()) == 0 or deal["tricks"] * 3 + deal["in_trick"] != sum(
            int(p).bit_count() for p in deal["played"]
        ):
            continue
        answer = solve(record_of(batch, row))
        expected = brute_force(batch[row])[0]
        legal = [c for c in range(32) if expected[c] != NO_CARD]
        assert answer["cards"] == {CARDS[c]: expected[c] for c in legal}
        assert answer["value"] == best_of(batch[row], expected[None])[0]
        assert all(type(v) is int for v in (answer["value"], *answer["cards"].values()))
        shown += 1
    assert shown > 10


def test_solve_is_a_name_of_the_package() -> None:
    code = (
        "import sys, marias_agents\n"
        "assert 'marias_agents.solver' not in sys.modules\n"
        "from marias_agents.solver import solve\n"
        "assert marias_agents.solve is solve\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE)


def test_solve_finished_deal() -> None:
    batch = DealBatch(1, "online", seed=4, autoreset=False)
    while batch.phase[0] != OVER:
        batch.step(batch.sample_legal())
    assert solve(batch) == {"value": int(batch.deals["value"][0]), "cards": {}}


def test_refusals() -> None:
    batch = DealBatch(2, "traditional", seed=4, autoreset=False)
    with pytest.raises(SolverError, match="phase TRUMP"):
        solve(batch[0])
    with pytest.raises(SolverError, match="phase TRUMP"):
        solve(record_of(batch))
    with pytest.raises(SolverError, match="row 0"):
        solve_batch(batch)
    with pytest.raises(SolverError, match="2 rows"):
        solve(batch)
    batch = endings("revoke", 20, 4, seed=1)
    for row in range(len(batch)):
        one = batch[row]
        hand = int(one.deals["hands"][0][one.turn[0]])
        illegal = [c for c in range(32) if (hand & ~int(one.deals["legal"][0])) >> c & 1]
        if illegal:
            one.step([illegal[0]])
            with pytest.raises(SolverError, match="revoke"):
                solve(one)
            return
    pytest.fail("no hand with an illegal card")


def test_runs_without_numba() -> None:
    code = (
        "from tests.agents.solver_cases import brute_force, endings\n"
        "from marias_agents.solver import solve_cards\n"
        "for name in ('traditional', 'mini-5-online'):\n"
        "    batch = endings(name, 8, 2, seed=1)\n"
        "    assert (solve_cards(batch, threads=1) == brute_force(batch)).all()\n"
        "    assert (batch.phase == 7).all()\n"
    )
    subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", code],
        check=True,
        timeout=PATIENCE,
        cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )


def test_workspace_survives_many_positions() -> None:
    """One workspace for positions of all rule sets: nothing of one may leak into the next."""
    workspace = new_workspace(table_bits=8)
    workspace[STAMP] = STAMP_LIMIT - 20
    out = np.empty(32, dtype=np.int64)
    for name in ("traditional", "online", "mini-7"):
        batch = endings(name, 40, 4, seed=11)
        expected = solve_cards(batch)
        for row, deal in enumerate(batch.deals):
            assert deal["phase"] == PLAY
            card_values(workspace, deal, batch.packed_rules[0], out)
            assert (out == expected[row]).all()
    assert 0 < workspace[STAMP] < 200
