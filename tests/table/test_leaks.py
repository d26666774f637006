"""Nothing leaks: whoever reads every byte that a seat is sent cannot tell hidden cards apart."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from marias_agents import make
from marias_env.actions import ACTIONS
from marias_env.batch import DealBatch
from marias_env.core.history import action_of, seat_of
from marias_table import telling
from tests.hidden import permuted
from tests.table.helpers import House, error_of, in_a_loop, three

PRESETS = ("traditional", "online", "additive")


class Stacked(random.Random):
    """Deals a given deck by a given dealer."""

    deck: list[int]

    def shuffle(self, x: Any) -> None:
        x[:] = self.deck


def played(preset: str, seed: int) -> DealBatch:
    """A deal at a random point, with actions mostly sensible and sometimes odd."""
    rng = np.random.default_rng(seed)
    batch = DealBatch(1, preset, seed=seed, autoreset=False)
    stages = []
    agent = make("rules")
    while batch.turn[0] >= 0:
        stages.append(batch.copy())
        views = batch.views()
        odd = rng.random() < 0.3
        batch.step(batch.sample_legal() if odd else agent.act(views, views.legal_mask()))
    return stages[int(rng.integers(1, len(stages)))]


async def wire(
    preset: str, deal: Any, seat: int, language: str
) -> tuple[list[str], list[str]] | None:
    """All that a seat and a spectator are sent during a deal; None: it cannot be played so."""
    cards = DealBatch(1, preset).rules.num_cards
    rng = Stacked(0)
    rng.deck = deal["deck"][:cards].tolist()
    house = House()
    house.lobby._new_rng = lambda: rng
    try:
        clients = await three(house, rules=preset, hints=True)
        room = next(iter(house.lobby._live.values())).room
        # The first dealer is random; the deal is dealt anew by the one who dealt it.
        room.batch.set_decks(rng.deck, int(deal["dealer"]))
        watcher = house.client()
        await watcher.enter("watch", watch=clients[0].link("watch"), language=language)
        own = clients[seat]
        await own.say("language", language=language)
        own.texts.clear()
        await own.say("sync", since=room.seq)
        for client in clients:
            await client.say("sync", since=room.seq)
        for entry in deal["history"][: int(deal["num_actions"])].tolist():
            actor = clients[seat_of(entry)]
            await actor.hear()
            if actor is own:
                await own.say("hint")
            if error_of(await actor.act(ACTIONS[action_of(entry)])):
                return None
            await own.hear()
            await watcher.hear()
        await own.say("sync", since=0)
        await own.say("hint")
        return own.texts, watcher.texts
    finally:
        await house.close()


def compare(deals: int) -> None:
    """Compares so many deals, byte for byte, with what they are with hidden cards exchanged."""
    compared = seed = 0
    while compared < deals:
        seed += 1
        assert seed < 2 * deals + 20, "too few deals can be played with exchanged cards"
        preset, language = PRESETS[seed % 3], ("en", "cs")[seed % 2]
        batch = played(preset, seed)
        rng = np.random.default_rng(seed + 10**6)
        seat = int(rng.integers(3))
        other = permuted(batch.deals[0], seat, batch.rules, rng)
        if other is None or other["deck"].tolist() == batch.deals[0]["deck"].tolist():
            continue
        swapped = in_a_loop(wire(preset, other, seat, language))
        if swapped is None:
            continue  # somebody's action was not possible with these cards
        told = in_a_loop(wire(preset, batch.deals[0], seat, language))
        assert told is not None
        assert told == swapped, f"seed {seed}, seat {seat}"
        compared += 1


def test_swapped_hidden_cards_change_no_byte() -> None:
    compare(36)


@pytest.mark.slow
def test_swapped_hidden_cards_change_no_byte_in_1000_deals() -> None:
    compare(1000)


def test_the_comparison_would_see_a_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "view_of", lambda batch, receiver: batch.deals[0])
    with pytest.raises(AssertionError, match="seed"):
        compare(6)
