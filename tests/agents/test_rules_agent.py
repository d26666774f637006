"""The rule-based player: legal, a function of the view, knows what a player knows, and wins."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt
import pytest

from marias_agents import make
from marias_agents.rules.agent import RulesAgent
from marias_agents.rules.sight import look
from marias_agents.rules.tables import load_points, num_points, save_points
from marias_env.actions import DISCARD, PHASES, PLAY, SUIT_GAME
from marias_env.batch import DealBatch
from marias_env.core.bits import BEATS, SHARPS, SUIT_MODE
from tests.agents.agent_cases import VARIANTS, answer, duel, interval, play_out, position
from tests.hidden import permuted, put

ACCEPTED = "good good good good good"
"""Both accept, and nobody announces or doubles anything."""


@pytest.mark.parametrize("variant", VARIANTS)
def test_legal_in_every_phase(variant: str) -> None:
    # With random players at the table the rules player meets contexts it would never bring about.
    for seats in ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)):
        batch = DealBatch(1000, VARIANTS[variant], seed=4, autoreset=False)
        play_out(batch, (make("rules"), make("random")), seats)
        assert (batch.turn == -1).all()


def test_decides_by_the_view_alone() -> None:
    rng = np.random.default_rng(1)
    agent = make("rules")
    batch = DealBatch(150, seed=9, autoreset=False)
    compared = np.zeros(len(PHASES), dtype=int)
    while (batch.turn >= 0).all():
        other = batch.copy()
        changed = np.zeros(len(batch), dtype=bool)
        for row in range(len(batch)):
            hidden = permuted(batch.deals[row], int(batch.turn[row]), batch.rules, rng)
            if hidden is not None:
                put(other.deals, row, hidden)
                changed[row] = True
        views = batch.views()
        chosen = agent.act(views, views.legal_mask())
        seen = other.views()
        assert (agent.act(seen, seen.legal_mask()) == chosen).all()
        # One by one as in a batch, and the views are left as they were.
        before = views.deals.tobytes()
        alone = views[[5]]
        assert agent.act(alone, alone.legal_mask())[0] == chosen[5]
        assert views.deals.tobytes() == before
        compared += np.bincount(batch.deals["phase"][changed], minlength=len(PHASES))
        batch.step(chosen)
    assert (compared[[0, 1, DISCARD, 3, 5, 6, PLAY]] > 100).all(), compared


def test_points_are_kept_in_a_file(tmp_path: object) -> None:
    points = load_points()
    assert points.shape == (num_points(),)
    assert points.dtype == np.int64
    copy = tmp_path / "points.json"  # type: ignore[operator]
    save_points(points, copy)
    assert (load_points(copy) == points).all()
    other = RulesAgent("zero", np.zeros_like(points))
    batch = DealBatch(200, seed=2, autoreset=False)
    play_out(batch, (other,), (0, 0, 0))
    assert (batch.turn == -1).all()


# ---------------------------------------------------------------------- clear positions


def test_opens_a_durch_that_cannot_be_lost() -> None:
    batch = position(
        "As Ks Qs Js Ts Ah Kh Qh Ad Kd",
        "9s 8s 7s 9h 8h 9d 8d 7d Kc Qc",
        "Th Jd Td Jh Jc 9c 8c 7c 7h Qd",
        "Ac Tc",
        "As",
    )
    agent = make("rules")
    for expected in (None, "open_durch", None, None):
        text = answer(agent, batch)
        assert expected is None or text == expected
        batch.step(agent.act(batch.views(), batch.legal_mask()))
    assert {answer(agent, batch)} == {"good"}
    play_out(batch, (agent,), (0, 0, 0))
    assert batch.payments[0].tolist() == [40, -20, -20]


def test_names_durch_when_every_missing_card_must_fall() -> None:
    # Two spades are missing under three tops, two hearts under three: no split can hurt.
    batch = position(
        "As Ks Qs 9s 8s 7s Ah Kh Qh 9h",
        "Js Ts Jh Ad Kd Qd Jd 9d 8d 7d",
        "Th Td Kc Qc Jc Tc 9c 8c 7c Ac",
        "8h 7h",
        "9s",
        "",
    )
    agent = make("rules")
    batch.step(agent.act(batch.views(), batch.legal_mask()))
    assert answer(agent, batch) == "durch"
    play_out(batch, (agent,), (0, 0, 0))
    assert batch.payments[0, 0] >= 20


def test_names_betl_with_a_hand_without_holes() -> None:
    batch = position(
        "7s 8s 9s 7h 8h 9h 7d 8d 7c 8c",
        "As Ts Ks Ah Th Kh Ad Td Kd Jc",
        "Qs Js Qh Jh Qd Jd 9d Ac Tc Kc",
        "9c Qc",
        "7s",
    )
    agent = make("rules")
    batch.step(agent.act(batch.views(), batch.legal_mask()))
    assert answer(agent, batch) in ("betl", "open_betl")
    play_out(batch, (agent,), (0, 0, 0))
    assert batch.payments[0, 0] >= 10


def test_smears_to_the_partners_sure_trick() -> None:
    batch = position(
        "As Ts Ks 9s 8s 7s 9d 8d Kh 8h",
        "Ad Td Kd Qd Jd Qs Js Kc Qc 7h",
        "Ac Tc Jc 9c 8c 7c Ah Th Qh 9h",
        "7d Jh",
        "8s",
        f"{ACCEPTED} 9d Ad",
    )
    assert answer(make("rules"), batch)[0] in "AT"


def test_throws_nothing_of_worth_to_the_declarers_trick() -> None:
    batch = position(
        "As Ts Ks 9s 8s 7s Ad 8d Kh 8h",
        "9d Td Kd Qd Jd Qs Js Kc Qc 7h",
        "Ac Tc Jc 9c 8c 7c Ah Th Qh 9h",
        "7d Jh",
        "8s",
        f"{ACCEPTED} Ad 9d",
    )
    assert answer(make("rules"), batch)[0] not in "AT"


# ---------------------------------------------------------------------- habits over many deals


@functools.cache
def habits() -> dict[str, tuple[int, int]]:
    """What three rule players do in 4000 deals: (times done, times possible) by habit."""
    agent = make("rules")
    batch = DealBatch(4000, seed=21, autoreset=False)
    counts: dict[str, npt.NDArray[np.int64]] = {}

    def count(habit: str, done: bool) -> None:
        counts.setdefault(habit, np.zeros(2, dtype=np.int64))
        counts[habit] += (done, 1)

    while (batch.turn >= 0).any():
        rows = np.flatnonzero(batch.turn >= 0)
        views = batch.views(rows)
        chosen = agent.act(views, views.legal_mask())
        suit_game = views.deals["contract"] == SUIT_GAME
        phases = views.deals["phase"]
        for i in np.flatnonzero(suit_game & ((phases == PLAY) | (phases == DISCARD))):
            view = views.deals[i]
            legal = int(view["legal"])
            if legal & (legal - 1):
                note(view, views.packed_rules[0], int(chosen[i]), legal, count)
        actions = np.full(len(batch), -1, dtype=np.int64)
        actions[rows] = chosen
        batch.step(actions)
    return {habit: (int(done), int(all_)) for habit, (done, all_) in counts.items()}


def note(view: object, rules: object, action: int, legal: int, count: object) -> None:
    """Counts the habits that a decision of a suit game shows."""
    assert callable(count)
    sight = look(view, rules)
    hand, out, trump = int(sight.hand), int(sight.out), int(view["trump"])  # type: ignore[index]
    _suit, _rank = divmod(action, 8)
    if view["phase"] == DISCARD:  # type: ignore[index]
        pairs = hand & hand >> 1 & 0x20202020
        if pairs & ~(0xFF << 8 * trump):
            count("breaks a marriage", bool((pairs | pairs << 1) >> action & 1))
        return
    tricks, in_trick = int(view["tricks"]), int(view["in_trick"])  # type: ignore[index]
    if in_trick == 0:
        tens = 0
        for side in range(4):
            ten = 8 * side + 3
            if side != trump and legal >> ten & 1 and out & int(BEATS[SUIT_MODE, ten]):
                tens |= 1 << ten
        if tens and tricks < 3:
            count("leads a ten under the ace early", bool(tens >> action & 1))
        seven = 1 << 8 * trump
        rest = hand & ~seven
        if (
            legal & seven
            and legal & rest
            and not rest & ~(0xFF << 8 * trump)
            and not out >> 8 * trump & 255
        ):
            count("leads the seven of trumps before the last trick", action == 8 * trump)
        return
    partner = view["best_seat"] != sight.declarer and sight.me != sight.declarer  # type: ignore[index]
    led = int(view["led"])  # type: ignore[index]
    beats_it = int(BEATS[SUIT_MODE, int(view["best_card"])]) | 0xFF << 8 * trump  # type: ignore[index]
    sharps = legal & SHARPS & ~(0xFF << 8 * trump)
    if in_trick == 2 and sharps and legal & ~SHARPS and not legal & 0xFF << 8 * led:
        if partner and not legal & beats_it:
            if legal & 0x08080808 & ~(0xFF << 8 * trump):
                count("smears with a ten in hand", bool(SHARPS >> action & 1))
        elif not partner and tricks < 6 and not legal & 0xFF << 8 * trump:
            count("gives a sharp away", bool(SHARPS >> action & 1))


@pytest.mark.parametrize(
    ("habit", "low", "high"),
    [
        ("breaks a marriage", 0.0, 0.02),
        ("leads a ten under the ace early", 0.0, 0.06),
        ("leads the seven of trumps before the last trick", 0.0, 0.02),
        ("smears with a ten in hand", 0.95, 1.0),
        ("gives a sharp away", 0.0, 0.02),
    ],
)
def test_habits(habit: str, low: float, high: float) -> None:
    done, possible = habits()[habit]
    assert possible >= 40, (habit, possible)
    assert low <= done / possible <= high, (habit, done, possible)


# ---------------------------------------------------------------------- strength


@pytest.mark.parametrize(
    ("opponent", "rules", "least"),
    [
        ("random", "traditional", 10.0),
        ("good", "traditional", 2.0),
        ("random-cards", "traditional", 1.0),
        ("good", "online", 2.0),
        ("good", "additive", 2.0),
    ],
)
def test_beats(opponent: str, rules: str, least: float) -> None:
    low, high = interval(duel(make("rules"), make(opponent), 2000, rules))
    assert low > least, (low, high)


def test_reads_zero_against_itself() -> None:
    assert not duel(make("rules"), make("rules"), 200).any()
