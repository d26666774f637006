"""Counting worlds: classes of cards, and how many of each class lie where.

Cards that may lie in the same places (and, where it matters, are of the same kind) form a class.
A *table* says how many cards of each class are in the left hand, in the right hand and on the
table; it stands for a product of multinomials of worlds, all equally likely. All possible tables,
each with its exact weight, are the whole distribution: it can be counted, sampled and summed over.

An announced hundred (a marriage in that hand) is no matter of single cards. It is cut into disjoint
*cases*, by the first suit whose K and Q are both there; each case is again a matter of places.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.worlds.knowledge import LEFT, RIGHT, TABLE, place_of, seat_at
from marias_agents.worlds.story import MAX_KINDS, copy_counts, count_kinds, story_exists
from marias_env.core.bits import RANK_Q
from marias_env.core.jit import jit

MAX_CASES = 32
MAX_CLASSES = 32


def _binomials() -> Any:
    table = np.zeros((33, 33), dtype=np.int64)
    for n in range(33):
        table[n, 0] = 1
        for m in range(1, n + 1):
            table[n, m] = table[n - 1, m - 1] + table[n - 1, m]
    return table


BINOMIALS = _binomials()


@jit
def _allow(cases: Any, case: Any, place: Any, cards: Any, there: Any) -> None:
    # In this case the cards lie in this place (there), or do not.
    for other in range(3):
        if (other == place) != there:
            cases[case, other] &= ~cards


@jit
def _copy_case(cases: Any, case: Any, out: Any, to: Any) -> None:
    for place in range(3):
        out[to, place] = cases[case, place]


@jit
def hundred_cases(view: Any, r: Any, k: Any, cases: Any) -> Any:
    """Writes the disjoint cases, `may` sets by place, and returns their number.

    Args:
        view: the information view.
        r: rule set.
        k: what the seat knows.
        cases: (MAX_CASES, 3) int64, out.
    """
    for place in range(3):
        cases[0, place] = k["may"][place]
    seat = np.int64(view["hundred_seat"])
    if seat < 0 or seat == k["viewer"] or not r["hundred_marriage"]:
        return np.int64(1)
    place = place_of(k, seat)
    may = np.int64(k["may"][place])
    elsewhere = np.int64(k["may"][(place + 1) % 3] | k["may"][(place + 2) % 3])
    played = np.int64(view["played"][seat])
    done = np.int64(0)  # finished cases come first, then those where no marriage has been placed
    open_cases = np.int64(1)
    for suit in range(4):
        needed = (np.int64(3) << (8 * suit + RANK_Q)) & ~played
        if (needed & may) != needed:
            continue
        if (needed & elsewhere) == 0:
            # This one is there for certain: nothing follows from the announcement.
            for other in range(3):
                cases[0, other] = k["may"][other]
            return np.int64(1)
        one = needed & -needed
        two = needed ^ one
        before = np.empty((open_cases, 3), dtype=np.int64)
        for i in range(open_cases):
            _copy_case(cases, done + i, before, i)
        for i in range(open_cases):
            _copy_case(before, i, cases, done)
            _allow(cases, done, place, needed, True)
            done += 1
        n = np.int64(0)
        for i in range(open_cases):
            _copy_case(before, i, cases, done + n)
            _allow(cases, done + n, place, one, False)
            n += 1
            if two != 0:
                _copy_case(before, i, cases, done + n)
                _allow(cases, done + n, place, one, True)
                _allow(cases, done + n, place, two, False)
                n += 1
        open_cases = n
    return done


@jit
def sort_classes(k: Any, kinds: Any, may: Any, cards: Any, places: Any, kind: Any) -> Any:
    """Groups the unseen cards of a case; returns the number of classes, -1 if a card fits nowhere.

    Args:
        k: what the seat knows.
        kinds: the kinds.
        may: (3,) sets by place.
        cards: (MAX_CLASSES,) int64, out: the cards of each class.
        places: (MAX_CLASSES,) int64, out: bit set of places.
        kind: (MAX_CLASSES,) int64, out.
    """
    unseen = np.int64(k["may"][0] | k["may"][1] | k["may"][2])
    num = np.int64(0)
    for card in range(32):
        if (unseen >> card) & 1 == 0:
            continue
        where = np.int64(0)
        for place in range(3):
            where |= ((may[place] >> card) & 1) << place
        if where == 0:
            return np.int64(-1)
        i = np.int64(0)
        while i < num and (places[i] != where or kind[i] != kinds["of"][card]):
            i += 1
        if i == num:
            places[i] = where
            kind[i] = kinds["of"][card]
            cards[i] = 0
            num += 1
        cards[i] |= np.int64(1) << card
    return num


@jit
def next_split(places: Any, n: Any, room: Any, on_table: Any, left: Any) -> Any:
    """The next way to split a class, after (on_table, left); (-1, -1) when there is none.

    Args:
        places: bit set of the class's places.
        n: its cards.
        room: (3,) cards still wanted by place.
        on_table: cards of it on the table, now.
        left: cards of it in the left hand, now; -1 before the first way.
    """
    left += 1
    most = min(n, room[TABLE]) if places & (1 << TABLE) else 0
    while on_table <= most:
        rest = n - on_table
        low = max(rest - room[RIGHT], 0) if places & (1 << RIGHT) else rest
        high = min(rest, room[LEFT]) if places & (1 << LEFT) else 0
        left = max(left, low)
        if left <= high:
            return on_table, left
        on_table += 1
        left = 0
    return -1, -1


@jit
def _grown(upto: Any, case: Any, split: Any) -> Any:
    # The same arrays with twice the room.
    n = upto.shape[0]
    new_upto = np.empty(2 * n, dtype=np.int64)
    new_case = np.empty(2 * n, dtype=np.int64)
    new_split = np.empty((2 * n, 2 * MAX_CLASSES), dtype=np.int8)
    for i in range(n):
        new_upto[i] = upto[i]
        new_case[i] = case[i]
        for j in range(2 * MAX_CLASSES):
            new_split[i, j] = split[i, j]
    return new_upto, new_case, new_split


@jit
def build_tables(view: Any, r: Any, k: Any, kinds: Any) -> Any:
    """All tables of a view.

    Returns:
        upto: (E,) int64, worlds in tables 0 to e.
        case: (E,) int64, the case of each table.
        split: (E, 2 * MAX_CLASSES) int8, by class: cards on the table, cards in the left hand.
        num_classes: (C,) int64, by case.
        cards: (C, MAX_CLASSES) int64, the cards of each class.
    """
    cases = np.empty((MAX_CASES, 3), dtype=np.int64)
    num_cases = hundred_cases(view, r, k, cases)
    num_classes = np.zeros(num_cases, dtype=np.int64)
    cards = np.zeros((num_cases, MAX_CLASSES), dtype=np.int64)
    places = np.zeros(MAX_CLASSES, dtype=np.int64)
    kind = np.zeros(MAX_CLASSES, dtype=np.int64)
    size = np.zeros(MAX_CLASSES, dtype=np.int64)
    room = np.zeros((MAX_CLASSES + 1, 3), dtype=np.int64)
    ways = np.ones(MAX_CLASSES + 1, dtype=np.int64)
    now = np.zeros((MAX_CLASSES + 1, 2), dtype=np.int64)
    fixed = np.zeros((3, MAX_KINDS), dtype=np.int64)
    counts = np.zeros((3, MAX_KINDS), dtype=np.int64)
    if k["careful"]:
        for place in range(2):
            count_kinds(kinds, np.int64(view["played"][seat_at(k, place)]), fixed[place])
    upto = np.empty(64, dtype=np.int64)
    case = np.empty(64, dtype=np.int64)
    split = np.empty((64, 2 * MAX_CLASSES), dtype=np.int8)
    n = 0
    total = np.int64(0)
    for c in range(num_cases):
        classes = sort_classes(k, kinds, cases[c], cards[c], places, kind)
        if classes < 0:
            continue
        num_classes[c] = classes
        wanted = np.int64(0)
        for place in range(3):
            room[0, place] = k["size"][place]
            wanted += k["size"][place]
        for i in range(classes):
            size[i] = 0
            rest = cards[c, i]
            while rest != 0:
                rest &= rest - 1
                size[i] += 1
            wanted -= size[i]
        if wanted != 0:
            continue
        # Depth first through the classes; `now` holds each level's split.
        level = 0
        now[0, 0] = 0
        now[0, 1] = -1
        while level >= 0:
            if level < classes:
                on_table, left = next_split(
                    places[level], size[level], room[level], now[level, 0], now[level, 1]
                )
                if on_table < 0:
                    level -= 1
                    continue
                now[level, 0] = on_table
                now[level, 1] = left
                room[level + 1, LEFT] = room[level, LEFT] - left
                room[level + 1, TABLE] = room[level, TABLE] - on_table
                room[level + 1, RIGHT] = room[level, RIGHT] - (size[level] - on_table - left)
                ways[level + 1] = (
                    ways[level]
                    * BINOMIALS[size[level], on_table]
                    * BINOMIALS[size[level] - on_table, left]
                )
                level += 1
                now[level, 0] = 0
                now[level, 1] = -1
                continue
            possible = True
            if k["careful"]:
                copy_counts(fixed, kinds["num"], counts)
                for i in range(classes):
                    counts[TABLE, kind[i]] += now[i, 0]
                    counts[LEFT, kind[i]] += now[i, 1]
                    counts[RIGHT, kind[i]] += size[i] - now[i, 0] - now[i, 1]
                possible = story_exists(r, k, kinds, counts, k["exchanges"])
            if possible:
                if n == upto.shape[0]:
                    upto, case, split = _grown(upto, case, split)
                total += ways[classes]
                upto[n] = total
                case[n] = c
                for i in range(classes):
                    split[n, 2 * i] = now[i, 0]
                    split[n, 2 * i + 1] = now[i, 1]
                n += 1
            level -= 1
    return upto[:n], case[:n], split[:n], num_classes, cards
