"""Every slice of observation and state holds what its name says; layout and table are one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from marias_env.actions import ACTION_IDS, ACTIONS, PHASES
from marias_env.batch import DealBatch
from marias_env.core.encode import observe_rows
from marias_env.core.layout import Slice
from marias_env.faces.spaces import observation_box, state_box
from marias_env.match import Match
from marias_env.observation import (
    OBSERVATION_SIZE,
    OBSERVATION_SLICES,
    STATE_SIZE,
    STATE_SLICES,
)
from marias_env.rules import MAX_DOUBLINGS_LIMIT, RULES, Rules
from tests.env.follower import Follower
from tests.env.helpers import PRESETS, nodes, rule_sets

MATCH_SLICES = ("totals", "match_deals")


def part_of(vector: np.ndarray, part: Slice) -> set[int] | list[int]:
    """A slice as `Follower.see` has it: places that are 1, or the numbers of a count."""
    values = vector[part.start : part.stop]
    if part.kind == "counts":
        return values.tolist()
    assert set(values.tolist()) <= {0, 1}
    return set(np.flatnonzero(values).tolist())


@pytest.mark.parametrize("preset", PRESETS)
def test_every_slice_says_what_the_rules_say(preset: str) -> None:
    rules = RULES[preset]
    batch = DealBatch(60, preset, seed=20, autoreset=False)
    followers = [
        Follower(rules, deal["deck"].tolist(), int(deal["dealer"])) for deal in batch.deals
    ]
    done = [0] * len(batch)
    shown = {name: np.zeros(part.size, bool) for name, part in STATE_SLICES.items()}
    phases: list[str] = []
    for _ in nodes(batch, 21):
        states = np.stack([batch.state(perspective=seat) for seat in range(3)])
        observations = np.stack([batch.observe(perspective=seat) for seat in range(3)])
        assert np.array_equal(states[:, :, :OBSERVATION_SIZE], observations)
        for row, follower in enumerate(followers):
            deal = batch.deals[row]
            for i in range(done[row], int(deal["num_actions"])):
                action, seat = int(deal["history"][i]) & 63, int(deal["history"][i]) >> 6
                card = action if action < 32 else None
                follower.follow(phases[row], seat, ACTIONS[action], card)
            done[row] = int(deal["num_actions"])
            phase, turn = PHASES[batch.phase[row]], int(batch.turn[row])
            follower.before(phase, turn)
            for me in range(3):
                want = follower.see(me, phase, turn)
                for name, part in STATE_SLICES.items():
                    if name not in MATCH_SLICES:
                        found = part_of(states[me, row], part)
                        assert found == want[name], (name, row, me, phase)
        phases = [PHASES[phase] for phase in batch.phase]
        for name, part in STATE_SLICES.items():
            shown[name] |= (states[:, :, part.start : part.stop] != 0).any(axis=(0, 1))
    never = {name for name, seen in shown.items() if not seen.any()}
    expected = {"padding", "state_padding"}
    if preset == "online":
        # No trump card, nothing face down, and a king may be played before its queen.
        expected |= {"blind", "trump_card", "true_trump_card", "pending"}
    assert never == expected


def test_totals_and_deals_of_a_match() -> None:
    batch = DealBatch(20, seed=4, autoreset=False, match=Match(deals=4))
    totals = np.zeros((20, 3), dtype=np.int64)
    for deals in range(1, 5):
        for _ in nodes(batch, deals):
            pass
        totals += batch.payments
        for me in range(3):
            seen = batch.observe(perspective=me)
            want = np.clip(np.roll(totals, -me, axis=1), -127, 127)
            part = OBSERVATION_SLICES["totals"]
            assert np.array_equal(seen[:, part.start : part.stop], want)
            assert (seen[:, OBSERVATION_SLICES["match_deals"].start] == deals).all()
        if deals < 4:
            batch.next_deals(np.arange(20))
    assert (np.abs(totals) > 127).any(), "nothing was clipped"


def lively(rules: Rules, seed: int, deals: int = 150) -> Iterator[DealBatch]:
    yield from nodes(DealBatch(deals, rules, seed=seed, autoreset=False), seed)


@given(rule_sets(), st.integers(0, 2**32))
@example(RULES["traditional"], 5)
@example(RULES["online"], 5)
@example(RULES["additive"], 5)
@settings(max_examples=25, deadline=None)
def test_a_view_and_the_true_deal_encode_alike(rules: Rules, seed: int) -> None:
    # The encoder reads the true record as far as a seat may know it; a view holds nothing else.
    for batch in lively(rules, seed, 20):
        for seat in range(3):
            seats = np.full(len(batch), seat)
            views = batch.views(seats=seats)
            seen = batch.observe(perspective=seat)
            assert np.array_equal(views.observe(), seen)
            # What a view hides was not put there by the encoder: fill it with rubbish.
            fake = views.deals.copy()
            fake["key"], fake["rng"], fake["episode"] = 7, 9, 11
            for other in ((seat + 1) % 3, (seat + 2) % 3):
                for name in ("hands", "discards", "taken", "taken_before"):
                    fake[name][:, other] = 0xFFFFFFFF
            fake["deck"], fake["history"] = 3, 5
            again = np.empty_like(seen)
            observe_rows(fake, views.packed_rules, seats, again)
            assert np.array_equal(again, seen)


@pytest.mark.parametrize("preset", PRESETS)
def test_entries_stay_within_their_bounds(preset: str) -> None:
    boxes = observation_box(), state_box()
    assert [box.shape for box in boxes] == [(OBSERVATION_SIZE,), (STATE_SIZE,)]
    for batch in lively(RULES[preset], 8):
        seen, state = batch.observe(perspective=1), batch.state(perspective=1)
        for vectors, box in zip((seen, state), boxes):
            assert (vectors >= box.low).all()
            assert (vectors <= box.high).all()
    for part in STATE_SLICES.values():
        low, high = boxes[1].low[part.start : part.stop], boxes[1].high[part.start : part.stop]
        if part.kind != "padding":
            assert (high == part.bound).all()
            assert (low == (-part.bound if part.signed else 0)).all()


def test_doubling_reaches_its_bound_and_no_more() -> None:
    # Everybody raises whatever he may, under the highest cap that rules can have.
    rules = Rules(max_doublings=MAX_DOUBLINGS_LIMIT)
    batch = DealBatch(300, rules, seed=10, autoreset=False)
    part = OBSERVATION_SLICES["round"]
    highest = 0
    while (batch.phase < PHASES.index("PLAY")).any():
        mask = batch.legal_mask()
        actions = batch.sample_legal()
        for wanted in ("good", "suit", "flek_seven", "flek_game", "seven"):
            legal = mask[:, ACTION_IDS[wanted]] == 1
            actions[legal] = ACTION_IDS[wanted]
        batch.step(actions)
        highest = max(highest, int(batch.observe(perspective=0)[:, part.start].max()))
    assert highest == part.bound == MAX_DOUBLINGS_LIMIT


@pytest.mark.parametrize("preset", PRESETS)
def test_public_slices_tell_every_seat_the_same(preset: str) -> None:
    apart: set[str] = set()
    for batch in lively(RULES[preset], 9):
        vectors = [batch.observe(perspective=seat) for seat in range(3)]
        for name, part in OBSERVATION_SLICES.items():
            mine, next_one = (v[:, part.start : part.stop] for v in vectors[:2])
            base, _, whose = name.rpartition("_")
            if whose in ("left", "right") and base:
                # Player 2 is on the left of player 1 and on the right of player 0.
                if whose == "right":
                    other = OBSERVATION_SLICES[f"{base}_left"]
                    next_one = vectors[1][:, other.start : other.stop]
                else:
                    continue
            elif whose == "me":
                other = OBSERVATION_SLICES[f"{base}_right"]
                next_one = vectors[1][:, other.start : other.stop]
            elif part.kind == "seats" or name in ("tricks_won", "marriages", "totals"):
                width = 4 if name == "marriages" else 1
                groups = next_one.reshape(len(batch), -1, 3, width)
                next_one = np.roll(groups, 1, axis=2).reshape(mine.shape)
            if not np.array_equal(mine, next_one):
                apart.add(name)
    private = {name for name, part in OBSERVATION_SLICES.items() if part.access == "private"}
    assert apart <= private
    assert apart == private - ({"trump", "trump_card", "hearts"} if preset == "online" else set())


def test_the_table_is_whole() -> None:
    at = 0
    for part in STATE_SLICES.values():
        assert part.start == at
        at = part.stop
        group = {"cards": 32, "suits": 4, "seats": 3}.get(part.kind, 1)
        assert part.size % group == 0
    assert at == STATE_SIZE
    assert list(OBSERVATION_SLICES) == list(STATE_SLICES)[: len(OBSERVATION_SLICES)]
    behind = [part for name, part in STATE_SLICES.items() if name not in OBSERVATION_SLICES]
    assert {part.access for part in behind} == {"hidden"}


def test_nobody_writes_offsets_by_hand() -> None:
    # Offsets and meanings come from the table: no module asks a slice's description.
    root = Path(__file__).resolve().parents[2]
    for folder in ("marias_env", "agents", "training"):
        for path in (root / folder).rglob("*.py"):
            text = path.read_text("utf-8")
            found = "_SLICES" in text and re.search(r"\.about\b(?!,|\))", text)
            assert not found or path.name == "docs_tables.py", path
