"""Every option of `Rules` reaches the compiled rule set and changes the game.

The same deals are played by the same actions under the preset and under the option's other value,
until something differs: what is legal, who is on turn, what a deal pays, which cards come next.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from marias_env import RULES, DealBatch, IllegalActionError, Match, Rules
from marias_env.actions import CONTRACTS
from marias_env.core.deal import pack_rules
from marias_env.rules import rules_with_options

DEALS = 4000
OTHERWISE = {
    "dealing": "talon",
    "open_contracts": False,
    "queen_before_king": "free",
    "max_doublings": 1,
    "play_out_decided": True,
    "deck_policy": "cut",
    "hundred_steps": "linear",
    "qualifying_marriage": "all",
    "quiet_hundred_marriages": "all",
    "opponents_marriages_in_failed_hundred": True,
    "defenders_quiet_hundred": False,
    "seven_hundred_together": True,
    "talon_trumps": False,
    "blind_trump": False,
    "max_payment": 3,
    "tariff": dict.fromkeys(CONTRACTS, 7),
    "unplayed_plain_suit": True,
    "unplayed_seven_vs_flek": True,
    "illegal_action": "revoke",
    "seven_requires_card": False,
    "hundred_requires_marriage": False,
    "suits": "sc",
    "ranks": "89TJQ",
}


def test_every_option_is_here() -> None:
    assert set(OTHERWISE) == {field.name for field in dataclasses.fields(Rules)}


def other_rules(option: str) -> Rules:
    changes = {option: OTHERWISE[option]}
    if option == "suits":
        changes["ranks"] = "789T"  # a deck has 3k + 2 cards
    return rules_with_options("traditional", changes)


@pytest.mark.parametrize("option", OTHERWISE)
def test_option_reaches_the_compiled_rules(option: str) -> None:
    packed = pack_rules(RULES["traditional"]).tobytes()
    assert pack_rules(other_rules(option)).tobytes() != packed


def random_actions(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    # Random, but with few take-overs, so that suit games are played and announced.
    weights = rng.random(masks.shape) * masks
    weights[:, 38:42] *= 0.4
    weights[:, 43] *= 0.4
    actions: np.ndarray = np.where(masks.any(axis=1), weights.argmax(axis=1), -1)
    return actions


def differs(rules: Rules, match: Match | None = None, deals: int = DEALS) -> bool:
    """Whether a game goes differently under `rules` than under the preset, by the same actions."""
    plain, other = (
        DealBatch(deals, each, seed=17, autoreset=match is not None, match=match)
        for each in (RULES["traditional"], rules)
    )
    if plain.rules.num_cards != rules.num_cards or plain.rules.dealing != rules.dealing:
        return bool((plain.legal_mask() != other.legal_mask()).any())
    rng = np.random.default_rng(3)
    for _ in range(150):  # a match is dealt anew, so a row of it is never over
        if (plain.turn < 0).all():
            break
        masks = plain.legal_mask()
        if (masks != other.legal_mask()).any() or (plain.turn != other.turn).any():
            return True
        actions = random_actions(masks, rng)
        plain.step(actions)
        other.step(actions)
        if (plain.payments != other.payments).any():
            return True
        if (plain.deals["deck"] != other.deals["deck"]).any():
            return True
    return False


@pytest.mark.parametrize("option", [name for name in OTHERWISE if name != "illegal_action"])
def test_option_changes_the_game(option: str) -> None:
    # Cutting makes a difference from the second deal of a match on.
    match = Match(deals=2) if option == "deck_policy" else None
    assert differs(other_rules(option), match)


def test_nothing_differs_without_an_option() -> None:
    # The control: `differs` tells of an option, not of chance.
    assert not differs(RULES["traditional"], Match(deals=2), deals=300)


def test_revokes_end_a_deal_only_where_they_are_allowed() -> None:
    for rules, allowed in ((RULES["traditional"], False), (other_rules("illegal_action"), True)):
        batch = DealBatch(200, rules, seed=5, autoreset=False)
        rng = np.random.default_rng(3)
        revoked = False
        while (batch.turn >= 0).any() and not revoked:
            masks = batch.legal_mask()
            actions = random_actions(masks, rng)
            for row in np.flatnonzero(batch.turn >= 0):
                hand = int(batch.deals["hands"][row, batch.turn[row]])
                held = [card for card in range(32) if hand >> card & 1 and not masks[row, card]]
                if batch.phase[row] == 7 and held:
                    actions[row] = held[0]
                    if allowed:
                        assert batch.step(actions)[row]
                    else:
                        with pytest.raises(IllegalActionError):
                            batch.step(actions)
                    revoked = True
                    break
            else:
                batch.step(actions)
        assert revoked
