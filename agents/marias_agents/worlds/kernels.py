"""Loops over worlds: the compiled functions that the Python face and search agents call.

Search agents call `sample_into` with an information view of their own and an array to fill; it
needs nothing else, and the same (view, state) always gives the same worlds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.worlds.complete import complete
from marias_agents.worlds.draw import draw_cards, list_cards
from marias_agents.worlds.knowledge import KNOWN, TABLE, learn
from marias_agents.worlds.story import KINDS, sort_kinds
from marias_agents.worlds.tables import build_tables
from marias_env.actions import OVER, TRUMP
from marias_env.core.jit import jit
from marias_env.core.rng import advance, mix, stream


@jit
def _tables(view: Any, r: Any, known: Any, kinds: Any) -> Any:
    # A Numba record is a bare pointer that does not keep its array alive. So arrays of one record
    # are handed down to where the records are used, and stay in the caller's hands meanwhile.
    learn(view, r, known[0])
    sort_kinds(r, known[0], kinds[0])
    return build_tables(view, r, known[0], kinds[0])


@jit
def count_of(view: Any, r: Any) -> Any:
    """The exact number of worlds of a view."""
    if view["phase"] == OVER:
        return np.int64(1)
    upto, _, _, _, _ = _tables(view, r, np.zeros(1, KNOWN), np.zeros(1, KINDS))
    return upto[upto.shape[0] - 1] if upto.shape[0] > 0 else np.int64(0)


@jit
def sample_into(view: Any, r: Any, out: Any, state: Any) -> Any:
    """Fills an array with worlds of a view, drawn independently and exactly uniformly.

    Args:
        view: a `DEAL` record that went through `erase`.
        r: the rule set, a `RULE_SET` record.
        out: (n,) DEAL, out.
        state: uint64, any number.

    Returns:
        Whether the view is possible at all; if not, nothing is written.
    """
    if view["phase"] == OVER:
        for i in range(out.shape[0]):
            out[i] = view
            _seed(out[i], stream(state, i))
        return True
    return _sample(view, r, np.zeros(1, KNOWN), np.zeros(1, KINDS), out, state)


@jit
def _sample(view: Any, r: Any, known: Any, kinds: Any, out: Any, state: Any) -> Any:
    upto, case, split, num_classes, cards = _tables(view, r, known, kinds)
    if upto.shape[0] == 0:
        return False
    listed, start = list_cards(num_classes, cards)
    by_place = np.zeros(3, dtype=np.int64)
    state = stream(state, 0)
    for i in range(out.shape[0]):
        state = draw_cards(upto, case, split, listed, start, state, by_place)
        d = out[i]
        out[i] = view
        state = complete(d, r, known[0], kinds[0], by_place, state)
        state = advance(state)
        _seed(d, mix(state))
    return True


@jit
def _seed(d: Any, number: Any) -> None:
    # The world's own streams: what is dealt after this deal, and its random actions.
    d["viewer"] = -1
    d["key"] = stream(number, 0)
    d["rng"] = stream(number, 1)


@jit
def sample_rows(views: Any, rules: Any, root: Any, out: Any) -> Any:
    """Samples worlds of many views; the worlds of view i are rows i*n to i*n + n - 1 of `out`.

    The stream is a function of the root and of the view, not of the view's row.

    Args:
        views: (N,) DEAL, information views with the hash of the view in `rng`.
        rules: (1,) RULE_SET.
        root: uint64.
        out: (N * n,) DEAL, out.

    Returns:
        The first view that is impossible, or -1.
    """
    n = out.shape[0] // views.shape[0]
    for i in range(views.shape[0]):
        state = mix(root ^ views[i]["rng"])
        if not sample_into(views[i], rules[0], out[i * n : i * n + n], state):
            return i
    return -1


@jit
def count_rows(views: Any, rules: Any, out: Any) -> None:
    """Writes the number of worlds of every view to `out`, (N,) int64."""
    for i in range(views.shape[0]):
        out[i] = count_of(views[i], rules[0])


@jit
def marginal_rows(views: Any, rules: Any, out: Any) -> None:
    """Writes the marginals of every view to `out`, (N, 32, 4) float64."""
    for i in range(views.shape[0]):
        marginals_into(views[i], rules[0], out[i])


@jit
def enumerate_row(views: Any, rules: Any, root: Any, out: Any) -> Any:
    """Writes every world of row 0; see `enumerate_into`."""
    return enumerate_into(views[0], rules[0], out, mix(root ^ views[0]["rng"]))


@jit
def enumerate_into(view: Any, r: Any, out: Any, state: Any) -> Any:
    """Writes every world once.

    Args:
        view: a `DEAL` record that went through `erase`, not over.
        r: rule set.
        out: (count,) DEAL, out; `count_of` tells how many.
        state: uint64, for what an assignment leaves open (order of the deck, earlier talons).

    Returns:
        The number written.
    """
    return _enumerate(view, r, np.zeros(1, KNOWN), np.zeros(1, KINDS), out, state)


@jit
def _enumerate(view: Any, r: Any, known: Any, kinds: Any, out: Any, state: Any) -> Any:
    upto, case, split, num_classes, cards = _tables(view, r, known, kinds)
    listed, start = list_cards(num_classes, cards)
    by_place = np.zeros(3, dtype=np.int64)
    choice = np.zeros(33, dtype=np.int64)
    room = np.zeros((32, 3), dtype=np.int64)
    state = stream(state, 0)
    n = 0
    for e in range(upto.shape[0]):
        c = case[e]
        unseen = start[c, num_classes[c]]
        for i in range(num_classes[c]):
            room[i, 2] = split[e, 2 * i]
            room[i, 0] = split[e, 2 * i + 1]
            room[i, 1] = start[c, i + 1] - start[c, i] - room[i, 0] - room[i, 2]
        # Card by card: `choice` is the next place to try for each.
        for place in range(3):
            by_place[place] = 0
        at = 0
        choice[0] = 0
        while at >= 0:
            if at == unseen:
                out[n] = view
                state = complete(out[n], r, known[0], kinds[0], by_place, state)
                state = advance(state)
                _seed(out[n], mix(state))
                n += 1
            else:
                i = 0
                while start[c, i + 1] <= at:
                    i += 1
                while choice[at] < 3 and room[i, choice[at]] == 0:
                    choice[at] += 1
                if choice[at] < 3:
                    room[i, choice[at]] -= 1
                    by_place[choice[at]] |= np.int64(1) << listed[c, at]
                    at += 1
                    choice[at] = 0
                    continue
            # Back to the card before, and on to its next place.
            at -= 1
            if at >= 0:
                i = 0
                while start[c, i + 1] <= at:
                    i += 1
                room[i, choice[at]] += 1
                by_place[choice[at]] &= ~(np.int64(1) << listed[c, at])
                choice[at] += 1
    return n


@jit
def marginals_into(view: Any, r: Any, out: Any) -> Any:
    """Writes where every card is with which probability.

    Args:
        view: a `DEAL` record that went through `erase`.
        r: rule set.
        out: (32, 4) float64, out: seats 0 to 2, talon; zeros for played cards and foreign ones.

    Returns:
        The number of worlds.
    """
    for card in range(32):
        for column in range(4):
            out[card, column] = 0.0
        for seat in range(3):
            if (np.int64(view["hands"][seat]) >> card) & 1:
                out[card, seat] = 1.0
        if (np.int64(view["talon"]) >> card) & 1:
            out[card, 3] = 1.0
    if view["phase"] == OVER:
        return np.int64(1)
    return _marginals(view, r, np.zeros(1, KNOWN), np.zeros(1, KINDS), out)


@jit
def _marginals(view: Any, r: Any, known: Any, kinds: Any, out: Any) -> Any:
    upto, case, split, num_classes, cards = _tables(view, r, known, kinds)
    if upto.shape[0] == 0:
        return np.int64(0)
    total = upto[upto.shape[0] - 1]
    listed, start = list_cards(num_classes, cards)
    columns = np.empty(3, dtype=np.int64)
    for place in range(TABLE):
        columns[place] = (known[0]["viewer"] + 1 + place) % 3
    # Before trumps are chosen the "table" is what forehand, who looks, will pick up.
    columns[TABLE] = known[0]["viewer"] if view["phase"] == TRUMP else 3
    before = np.int64(0)
    for e in range(upto.shape[0]):
        weight = (upto[e] - before) / total
        before = upto[e]
        c = case[e]
        for i in range(num_classes[c]):
            n = start[c, i + 1] - start[c, i]
            on_table = np.int64(split[e, 2 * i])
            left = np.int64(split[e, 2 * i + 1])
            for j in range(start[c, i], start[c, i + 1]):
                card = listed[c, j]
                out[card, columns[TABLE]] += weight * on_table / n
                out[card, columns[0]] += weight * left / n
                out[card, columns[1]] += weight * (n - on_table - left) / n
    return total
