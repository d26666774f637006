"""A slow, independent enumerator of worlds: every deck, every hidden action, then compare views.

It shares nothing with the sampler: it knows the order of dealing (docs/records.md) and otherwise
only the core's own `start_deal`, `step`, `legal` and `erase`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from marias_env.core.deal import DEAL, HIDDEN_ACTION, UNKNOWN_CARD
from marias_env.core.dealing import start_deal
from marias_env.core.history import action_of, seat_of
from marias_env.core.jit import jit
from marias_env.core.knowledge import erase
from marias_env.core.step import step
from marias_env.rules import Rules
from marias_env.views import Views

Assignment = tuple[int, int, int, int]
"""Hands of seats 0, 1, 2 (all they hold or will pick up) and the talon."""

DISCARD_PHASE = 2


@jit
def _explore(
    stack: Any, words: Any, choice: Any, r: Any, view: Any, view_words: Any, out: Any, n: Any
) -> Any:
    # Depth first through all hidden actions of one deck; stack[0] is dealt.
    length = view["num_actions"]
    depth = 0
    choice[0] = 0
    while depth >= 0:
        d = stack[depth]
        if depth == length:
            last = stack.shape[0] - 1
            stack[last] = d
            erase(stack[last], r, np.int64(view["viewer"]))
            same = True
            for i in range(words.shape[1]):
                if words[last, i] != view_words[i]:
                    same = False
                    break
            if same:
                for seat in range(3):
                    out[n, seat] = d["hands"][seat]
                out[n, 3] = d["talon"]
                n += 1
            depth -= 1
            continue
        entry = view["history"][depth]
        action = action_of(entry)
        if action == HIDDEN_ACTION:
            card = choice[depth]
            # In no-trump games either order of discards does: one is enough.
            if d["phase"] == DISCARD_PHASE and d["contract"] > 0 and d["talon"] != 0:
                while card < 32 and (np.int64(1) << card) <= np.int64(d["talon"]):
                    card += 1
            while card < 32 and (np.int64(d["legal"]) >> card) & 1 == 0:
                card += 1
            choice[depth] = card + 1
            action = card
            if card == 32:
                depth -= 1
                continue
        else:
            if choice[depth] > 0 or (np.int64(d["legal"]) >> action) & 1 == 0:
                depth -= 1
                continue
            choice[depth] = 1
        if d["turn"] != seat_of(entry):
            depth -= 1
            continue
        stack[depth + 1] = d
        step(stack[depth + 1], r, action)
        depth += 1
        choice[depth] = 0
    return n


@jit
def _explore_decks(
    decks: Any,
    stack: Any,
    words: Any,
    choice: Any,
    rules: Any,
    view: Any,
    view_words: Any,
    out: Any,
) -> Any:
    n = 0
    for i in range(decks.shape[0]):
        stack[0]["dealer"] = view[0]["dealer"]
        for seat in range(3):
            stack[0]["totals"][seat] = view[0]["totals"][seat]
        stack[0]["match_deals"] = view[0]["match_deals"]
        for j in range(32):
            stack[0]["deck"][j] = decks[i, j]
        start_deal(stack[0], rules[0])
        n = _explore(stack, words, choice, rules[0], view[0], view_words, out, n)
        if n > out.shape[0] // 2:
            return -1
    return n


def packets(rules: Rules) -> list[list[int]]:
    """Places of the deck whose inner order nobody can notice, as groups."""
    k = rules.hand_size
    small, big = k // 2, k - k // 2
    if rules.dealing == "talon":
        hands = [[*range(s * big, (s + 1) * big)] for s in range(3)]
        for s in range(3):
            hands[s] += range(3 * big + s * small, 3 * big + (s + 1) * small)
        return [*hands, [3 * k, 3 * k + 1]]
    first = big + 2
    second = first + 2 * big
    others = [
        [*range(first + s * big, first + (s + 1) * big)]
        + [*range(second + (s + 1) * small, second + (s + 2) * small)]
        for s in range(2)
    ]
    blind = [second] if small else []
    return [[*range(first)], blind, [*range(second + 1, second + small)], *others]


def decks_of(view: Any, rules: Rules) -> Iterator[list[int]]:
    """Every deck, up to unnoticeable order, that has the seat's own cards in their places."""
    n = rules.num_cards
    deck = view["deck"].astype(int).tolist()
    whole = {c for c in range(32) if rules.deck_mask >> c & 1}
    hidden = sorted(whole - set(deck[:n]))
    groups = [[i for i in group if deck[i] == UNKNOWN_CARD] for group in packets(rules)]

    def fill(at: int, rest: list[int]) -> Iterator[list[int]]:
        if at == len(groups):
            yield deck.copy()
            return
        for cards in combinations(rest, len(groups[at])):
            for place, card in zip(groups[at], cards):
                deck[place] = card
            yield from fill(at + 1, [c for c in rest if c not in cards])

    yield from fill(0, hidden)


def decks_of_ending(view: Any, rules: Rules) -> Iterator[list[int]]:
    """The decks of a late position in which only forehand has held the talon."""
    seat = int(view["viewer"])
    forehand = (int(view["dealer"]) + 1) % 3
    chosen = rules.dealing == "chosen_trump"
    played = [int(p) for p in view["played"]]
    seen = int(view["hands"][seat]) | int(view["talon"]) | sum(played)
    unseen = [c for c in range(32) if rules.deck_mask >> c & 1 and not seen >> c & 1]
    sizes = [0 if s == seat else rules.hand_size - played[s].bit_count() for s in range(3)]
    groups = packets(rules)
    trump_card = int(view["trump_card"])
    for one in combinations(unseen, sizes[0]):
        rest = [c for c in unseen if c not in one]
        for two in combinations(rest, sizes[1]):
            rest2 = [c for c in rest if c not in two]
            for three in combinations(rest2, sizes[2]):
                talon = [c for c in rest2 if c not in three]
                talon = talon or [c for c in range(32) if int(view["talon"]) >> c & 1]
                hands = [
                    sorted(
                        {*extra}
                        | {c for c in range(32) if (played[s] | int(view["hands"][s])) >> c & 1}
                    )
                    for s, extra in enumerate((one, two, three))
                ]
                deck = view["deck"].astype(int).tolist()
                order = [hands[(forehand + i) % 3] for i in range(3)]
                if chosen:
                    twelve = order[0] + talon
                    if trump_card not in twelve:
                        continue  # it has been shown to be forehand's
                    if view["blind"]:
                        twelve.remove(trump_card)
                        twelve.insert(len(groups[0]), trump_card)
                    else:
                        twelve.remove(trump_card)
                        twelve.insert(0, trump_card)
                    cards = twelve + order[1] + order[2]
                elif seat == forehand:
                    # He picked up the dealt talon: in the view as such.
                    taken = [c for c in range(32) if int(view["taken"][seat]) >> c & 1]
                    own = [c for c in order[0] + talon if c not in taken]
                    cards = own + order[1] + order[2] + taken
                else:
                    cards = order[0] + order[1] + order[2] + talon
                for place, card in zip([i for group in groups for i in group], cards):
                    if deck[place] == UNKNOWN_CARD:
                        deck[place] = card
                if sorted(deck[: rules.num_cards]) == sorted(
                    c for c in range(32) if rules.deck_mask >> c & 1
                ):
                    yield deck


def brute_force(
    views: Views, decks: Iterator[list[int]], room: int = 400_000
) -> set[Assignment] | None:
    """The assignments that give this one view; None if there is no room for the stories."""
    view = views.deals.copy()
    for name in ("key", "rng", "episode"):
        view[name] = 0
    stack = np.zeros(int(view["num_actions"][0]) + 3, dtype=DEAL)
    width = DEAL.itemsize // 8
    words = stack.view(np.uint64).reshape(-1, width)
    out = np.zeros((room, 4), dtype=np.int64)
    table = np.array(list(decks), dtype=np.int64).reshape(-1, 32)
    choice = np.zeros(len(stack), dtype=np.int64)
    n = _explore_decks(
        table, stack, words, choice, views.packed_rules, view, view.view(np.uint64).ravel(), out
    )
    if n < 0:
        return None
    return {tuple(row) for row in np.unique(out[:n], axis=0).tolist()}
