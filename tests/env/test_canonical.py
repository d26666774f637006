from __future__ import annotations

import numpy as np
import pytest

from marias_env import DealBatch
from marias_env.canonical import NUM_CRITIC_INPUTS, NUM_INPUTS, canonical, to_actions
from marias_env.observation import OBSERVATION_SLICES


def patterns(batch: DealBatch) -> np.ndarray:
    seen = batch.observe()
    hand, played = (OBSERVATION_SLICES[name] for name in ("hand", "played_me"))
    own = seen[:, hand.start : hand.stop] | seen[:, played.start : played.stop]
    return own.reshape(-1, 4, 8) @ (1 << np.arange(8))


@pytest.mark.parametrize("rules", ["traditional", "online"])
def test_suits_in_another_order_give_the_same_inputs(rules: str) -> None:
    suits = np.array([2, 0, 1, 3])  # hearts stay: they pay double
    cards = (8 * suits[:, None] + np.arange(8)).ravel()
    actions = np.arange(48)
    actions[:32] = cards
    actions[33:37] = 33 + suits
    first = DealBatch(400, rules, seed=2, autoreset=False)
    second = DealBatch(400, rules, seed=2, autoreset=False)
    second.set_decks(cards[first.deals["deck"]], first.dealer)
    compared = 0
    while (first.turn >= 0).any():
        one = canonical(first.state(None), first.legal_mask())
        two = canonical(second.state(None), second.legal_mask())
        own = np.sort(patterns(first), axis=1)
        # Where two suits look the same to a seat, no order of its own is better than another.
        clear = (np.diff(own, axis=1) > 0).all(axis=1) & (first.turn >= 0)
        assert np.array_equal(one.features[clear], two.features[clear])
        assert np.array_equal(one.masks[clear], two.masks[clear])
        chosen = one.masks[clear].argmax(1).astype(np.int64)
        left = to_actions(chosen, one.order[clear])
        right = to_actions(chosen, two.order[clear])
        assert np.array_equal(actions[left], right)
        compared += int(clear.sum())
        taken = first.sample_legal()
        first.step(taken)
        second.step(np.where(taken < 0, taken, actions[taken]))
    assert compared > 1000


def test_masks_are_the_legal_actions_in_another_order() -> None:
    batch = DealBatch(300, seed=4, autoreset=True)
    for _ in range(60):
        legal = batch.legal_mask()
        inputs = canonical(batch.observe(), legal)
        assert inputs.features.shape == (300, NUM_INPUTS)
        rows, places = np.nonzero(inputs.masks)
        back = np.zeros_like(legal)
        back[rows, to_actions(places, inputs.order[rows])] = 1
        assert np.array_equal(back, legal)
        batch.step(batch.sample_legal())
    assert canonical(batch.state(None), batch.legal_mask()).features.shape == (
        300,
        NUM_CRITIC_INPUTS,
    )
