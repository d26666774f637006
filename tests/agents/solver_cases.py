"""Endings of every kind for the solver's tests, and the plain minimax they are judged by."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from marias_env.actions import (
    ANNOUNCE,
    CONTRACT,
    CONTRACT_0,
    DISCARD,
    DOUBLE,
    FLEK_GAME,
    GOOD,
    PLAY,
    REPLY,
    TRUMP,
)
from marias_env.batch import DealBatch
from marias_env.core.bits import SHARPS, popcount
from marias_env.core.deal import DEAL
from marias_env.core.jit import jit
from marias_env.core.step import legal_mask, step
from marias_env.rules import RULES, Rules

NO_CARD = -(1 << 62)


@jit
def minimax(stack: Any, depth: Any, rules: Any) -> Any:
    """V by trying everything with `step`: no bound, no table, no equivalence."""
    d = stack[depth]
    if d["phase"] != PLAY:
        return np.int64(d["value"])
    legal = np.int64(d["legal"])
    own = d["turn"] == d["declarer"]
    found = False
    best = np.int64(0)
    for card in range(32):
        if (legal >> card) & 1:
            stack[depth + 1] = stack[depth]
            step(stack[depth + 1], rules[0], np.int64(card))
            value = minimax(stack, depth + 1, rules)
            if not found or (value > best) == own:
                best = value
            found = True
    return best


@jit
def minimax_cards(stack: Any, rules: Any, out: Any) -> None:
    """V after every legal card of `stack[0]`."""
    legal = np.int64(stack[0]["legal"])
    for card in range(32):
        out[card] = NO_CARD
        if (legal >> card) & 1:
            stack[1] = stack[0]
            step(stack[1], rules[0], np.int64(card))
            out[card] = minimax(stack, np.int64(1), rules)


def brute_force(batch: DealBatch) -> np.ndarray:
    """(B, 32) V after every legal card."""
    stack = np.zeros(32, dtype=DEAL)
    out = np.empty((len(batch), 32), dtype=np.int64)
    for row in range(len(batch)):
        stack[0] = batch.deals[row]
        minimax_cards(stack, batch.packed_rules, out[row])
    return out


def rule_sets() -> dict[str, Rules]:
    """Every preset, every option of RULES.md 6d that play can feel, and mini decks."""
    base = RULES["traditional"]
    online = RULES["online"]
    change = dataclasses.replace
    return {
        "traditional": base,
        "online": online,
        "additive": RULES["additive"],
        "linear": change(base, hundred_steps="linear"),
        "fixed": change(base, hundred_steps="fixed"),
        "first": change(base, qualifying_marriage="first"),
        "first-free": change(online, qualifying_marriage="first", quiet_hundred_marriages="one"),
        "all": change(base, qualifying_marriage="all"),
        "quiet-all": change(online, quiet_hundred_marriages="all"),
        "opponents": change(base, opponents_marriages_in_failed_hundred=True),
        "no-defenders-quiet": change(base, defenders_quiet_hundred=False),
        "together": change(base, seven_hundred_together=True),
        "together-free": change(
            online,
            seven_hundred_together=True,
            hundred_requires_marriage=False,
            seven_requires_card=False,
        ),
        "cap": change(base, max_payment=12),
        "tariff": change(
            base, tariff={"suit": 5, "betl": 7, "durch": 9, "open_betl": 0, "open_durch": 4}
        ),
        "tariff-free": change(online, tariff={"suit": 7}, open_contracts=True),
        "tariff-nothing": change(online, tariff={"suit": 0}),
        "loose": change(base, seven_requires_card=False, hundred_requires_marriage=False),
        "play-out": change(base, play_out_decided=True),
        "revoke": change(base, illegal_action="revoke", max_doublings=16),
        "unplayed": change(base, unplayed_plain_suit=True, unplayed_seven_vs_flek=True),
        "no-trump-talon": change(online, talon_trumps=False, open_contracts=True),
        "mini-5": change(base, ranks="7TQKA"),
        "mini-5-online": change(online, ranks="7TQKA", qualifying_marriage="first"),
        "mini-2": change(base, ranks="QK"),
        "mini-7": change(base, suits="ch", ranks="78TJQKA"),
        "mini-1": change(online, suits="h"),
        "mini-sharps": change(online, suits="ch", ranks="7TKA", open_contracts=True),
    }


def _to_play(rules: Rules, rows: int, rng: np.random.Generator) -> DealBatch:
    """Deals brought to the play; names and announces more than chance would."""
    batch = DealBatch(rows, rules, seed=int(rng.integers(1 << 30)), autoreset=False)
    r = batch.packed_rules[0]
    for row in range(rows):
        d = batch.deals[row]
        aim = 0 if rng.random() < 0.5 else int(rng.integers(5))
        while d["phase"] < PLAY:
            legal = [a for a in range(48) if int(d["legal"]) >> a & 1]
            action = int(rng.choice(legal))
            phase = d["phase"]
            if phase == CONTRACT and CONTRACT_0 + aim in legal:
                action = CONTRACT_0 + aim
            elif phase == REPLY:
                action = FLEK_GAME if FLEK_GAME in legal and rng.random() < 0.3 else GOOD
            elif phase in (ANNOUNCE, DOUBLE) and len(legal) > 1 and rng.random() < 0.4:
                action = int(rng.choice([a for a in legal if a != GOOD]))
            step(d, r, np.int64(action))
    return batch[batch.deals["phase"] == PLAY] if (batch.deals["phase"] == PLAY).any() else batch


def _played_on(batch: DealBatch, tricks: int, rng: np.random.Generator) -> None:
    """Plays random cards until about `tricks` are left, sometimes into the middle of one."""
    for row in range(len(batch)):
        d = batch.deals[row]
        cards_left = 3 * int(rng.integers(1, tricks + 1)) - int(rng.integers(3))
        while d["phase"] == PLAY and int(sum(popcount(int(h)) for h in d["hands"])) > cards_left:
            legal = [a for a in range(32) if int(d["legal"]) >> a & 1]
            step(d, batch.packed_rules[0], np.int64(rng.choice(legal)))


def _dealt_well(
    pool: list[int], size: int, seven: int, rng: np.random.Generator
) -> list[list[int]]:
    """Three hands with more marriages than chance would give, and the trump 7 with low trumps."""
    hands: list[list[int]] = [[], [], []]
    favourite = int(rng.integers(3))
    for queen in [c for c in pool if c % 8 == 5 and c + 1 in pool]:
        seat = favourite if rng.random() < 0.7 else int(rng.integers(3))
        if rng.random() < 0.5 and len(hands[seat]) + 2 <= size:
            hands[seat] += [queen, queen + 1]
    low = [c for c in (seven, seven + 1, seven + 2) if c in pool]
    if rng.random() < 0.5 and len(hands[favourite]) + len(low) <= size:
        hands[favourite] += low
    left = [c for c in pool if c not in hands[0] + hands[1] + hands[2]]
    for hand in hands:
        while len(hand) < size:
            hand.append(left.pop())
    return hands


def _cut_down(batch: DealBatch, tricks: int, rng: np.random.Generator) -> None:
    """Deals every hand a few of the cards: endings with nothing decided and nothing yet scored."""
    for row in range(len(batch)):
        d = batch.deals[row]
        size = int(batch.rules.hand_size)
        keep = int(rng.integers(1, min(tricks, size) + 1))
        # An open contract is decided by its first trick, so its endings are whole deals.
        if d["contract"] > 2 and size > tricks:
            keep = size
        pool = [c for c in range(32) if int(d["hands"].sum()) >> c & 1]
        seven = 8 * max(int(d["trump"]), 0)
        hands = _dealt_well([int(c) for c in rng.permutation(pool)], keep, seven, rng)
        for seat in range(3):
            d["hands"][seat] = sum(1 << c for c in hands[seat])
        d["tricks"] = size - keep
        leader = int(d["declarer"])
        if d["contract"] <= 1 and keep < size:
            leader = int(rng.integers(3))
        d["turn"] = d["leader"] = leader
        if d["contract"] == 0:
            fallen = int(batch.packed_rules[0]["deck"]) & SHARPS & ~int(d["hands"].sum())
            mine = int(rng.binomial(fallen.bit_count(), rng.choice([0.1, 0.5, 0.9])))
            d["points"] = 10 * mine, 10 * (fallen.bit_count() - mine)
        d["legal"] = legal_mask(d, batch.packed_rules[0])
        for _ in range(int(rng.integers(3))):
            legal = [a for a in range(32) if int(d["legal"]) >> a & 1]
            step(d, batch.packed_rules[0], np.int64(rng.choice(legal)))


def endings(name: str, rows: int, tricks: int, seed: int) -> DealBatch:
    """Positions in play of one rule set, half played out, half cut down."""
    rng = np.random.default_rng([seed, *name.encode()])
    rules = rule_sets()[name]
    parts = []
    for cut in (False, True):
        batch = _to_play(rules, (rows + 1) // 2, rng)
        if cut:
            _cut_down(batch, tricks, rng)
        else:
            _played_on(batch, tricks, rng)
        if (batch.deals["phase"] == PLAY).any():
            parts.append(batch[batch.deals["phase"] == PLAY])
    whole = parts[0]
    if len(parts) == 2:
        whole = whole._like(
            np.concatenate([p.deals for p in parts]), np.concatenate([p._payments for p in parts])
        )
    return whole


def full_deals(rows: int, seed: int) -> DealBatch:
    """Suit games at the first lead: longest suit as trumps, low discards, anything announced."""
    rng = np.random.default_rng(seed)
    batch = DealBatch(rows, "traditional", seed=seed, autoreset=False)
    for row in range(rows):
        d = batch.deals[row]
        while d["phase"] < PLAY:
            legal = [a for a in range(48) if int(d["legal"]) >> a & 1]
            action = min(legal)
            hand = int(d["hands"][d["turn"]])
            length = [int(popcount(hand >> (8 * suit) & 255)) for suit in range(4)]
            if d["phase"] == TRUMP:
                action = max((a for a in legal if a < 32), key=lambda a: length[a // 8])
            elif d["phase"] == DISCARD:
                action = min(legal, key=lambda a: (length[a // 8], a % 8))
            elif d["phase"] == REPLY:
                action = GOOD
            elif d["phase"] in (ANNOUNCE, DOUBLE):
                action = int(rng.choice(legal))
            step(d, batch.packed_rules[0], np.int64(action))
    return batch
