"""Speed of the double-dummy solver: CPU time per full deal on one core.

    python benchmarks/solver.py [--deals 300] [--seed 1]

Suit deals: forehand of `traditional` takes the longest suit as trumps and puts away low cards of
short side suits, nothing announced. Betl and durch: forehand's hand as dealt, its two highest or
lowest cards put away.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any

import numpy as np

from marias_agents.solver import card_values, new_workspace, position_value
from marias_agents.solver.workspace import NODES, USE_ALL
from marias_env.actions import CONTRACT_0, GOOD, PLAY
from marias_env.batch import DealBatch
from marias_env.core.bits import STRENGTH


def cards_of(hand: int) -> list[int]:
    return [card for card in range(32) if hand >> card & 1]


def longest_suit(hand: list[int]) -> int:
    """The longest suit; of equals the one with more card strength."""
    return max(
        range(4),
        key=lambda suit: (
            sum(c // 8 == suit for c in hand),
            sum(int(STRENGTH[0, c % 8]) for c in hand if c // 8 == suit),
        ),
    )


def suit_discards(hand: list[int], trump: int) -> list[int]:
    """Two low side cards, of suits without sharps and then of short suits first."""
    sharps = {suit: sum(c // 8 == suit and c % 8 in (3, 7) for c in hand) for suit in range(4)}
    length = {suit: sum(c // 8 == suit for c in hand) for suit in range(4)}
    kings = {c // 8 for c in hand if c % 8 == 6 and c - 1 in hand}
    plain = [c for c in hand if c % 8 not in (3, 7)]
    plain.sort(
        key=lambda c: (
            c // 8 == trump,
            c // 8 in kings and c % 8 in (5, 6),
            sharps[c // 8],
            length[c // 8],
            STRENGTH[0, c % 8],
        )
    )
    return plain[:2]


def suit_deals(deals: int, seed: int) -> DealBatch:
    """Suit games at the first lead."""
    batch = DealBatch(deals, "traditional", seed=seed, autoreset=False)
    forehand = batch.turn
    first = batch.deals["hands"][np.arange(deals), forehand] & ~batch.deals["pending"]
    trumps = []
    for row in range(deals):
        hand = cards_of(int(first[row]))
        suit = longest_suit(hand)
        trumps.append(min((c for c in hand if c // 8 == suit), key=lambda c: STRENGTH[0, c % 8]))
    batch.step(np.array(trumps))
    batch.step(np.full(deals, CONTRACT_0))
    hands = batch.deals["hands"][np.arange(deals), forehand]
    away = []
    for row in range(deals):
        hand = [c for c in cards_of(int(hands[row])) if c != trumps[row]]
        away.append(suit_discards(hand, trumps[row] // 8))
    for i in range(2):
        batch.step(np.array([cards[i] for cards in away]))
    while (batch.phase != PLAY).any():
        batch.step(np.where(batch.phase == PLAY, -1, GOOD))
    return batch


def no_trump_deals(deals: int, seed: int, contract: int) -> DealBatch:
    """Betl (1) or durch (2) at the first lead."""
    batch = DealBatch(deals, "traditional", seed=seed, autoreset=False)
    forehand = batch.turn
    first = batch.deals["hands"][np.arange(deals), forehand] & ~batch.deals["pending"]
    batch.step(np.array([cards_of(int(hand))[0] for hand in first]))
    batch.step(np.full(deals, CONTRACT_0 + contract))
    hands = batch.deals["hands"][np.arange(deals), forehand]
    away = []
    for row in range(deals):
        ranked = sorted(cards_of(int(hands[row])), key=lambda c: c % 8)
        away.append(ranked[-2:] if contract == 1 else ranked[:2])
    for i in range(2):
        batch.step(np.array([cards[i] for cards in away]))
    while (batch.phase != PLAY).any():
        batch.step(np.full(deals, GOOD))
    return batch


def measure(batch: DealBatch, cards: bool, flags: int = USE_ALL) -> tuple[Any, Any, Any]:
    """CPU milliseconds, trick nodes and values of every row."""
    workspace = new_workspace(flags=flags)
    rules = batch.packed_rules[0]
    out = np.empty(32, dtype=np.int64)
    times = np.empty(len(batch))
    nodes = np.empty(len(batch))
    values = np.empty(len(batch), dtype=np.int64)
    position_value(workspace, batch.deals[0], rules)
    card_values(workspace, batch.deals[0], rules, out)
    for row in range(len(batch)):
        deal = batch.deals[row]
        start = time.process_time_ns()
        if cards:
            values[row] = card_values(workspace, deal, rules, out)
        else:
            values[row] = position_value(workspace, deal, rules)
        times[row] = (time.process_time_ns() - start) / 1e6
        nodes[row] = workspace[NODES]
    return times, nodes, values


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    cases = {
        "suit, value": (suit_deals(options.deals, options.seed), False),
        "suit, every card": (suit_deals(options.deals, options.seed), True),
        "betl, value": (no_trump_deals(options.deals, options.seed, 1), False),
        "durch, value": (no_trump_deals(options.deals, options.seed, 2), False),
    }
    print(f"{options.deals} full deals, one core, CPU milliseconds and trick nodes per deal")
    print("| case | mean | median | p95 | max | nodes mean | nodes median | mean V |")
    print("|---|---|---|---|---|---|---|---|")
    for name, (batch, cards) in cases.items():
        times, nodes, values = measure(batch, cards)
        print(
            f"| {name} | {times.mean():.3f} | {np.median(times):.3f} | "
            f"{np.percentile(times, 95):.3f} | {times.max():.3f} | {nodes.mean():.0f} | "
            f"{np.median(nodes):.0f} | {values.mean():+.3f} |"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
