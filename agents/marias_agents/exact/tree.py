"""The whole game tree of a mini deck as flat arrays, and its information sets.

Nodes stand in order of depth, every child behind its parent, so a pass over the tree is a loop
over an array. The states themselves are rows of a `DealBatch` stepped level by level; they are
dropped once their children exist.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_env.actions import ACTIONS, BLIND
from marias_env.batch import DealBatch
from marias_env.core.chance import all_decks, blind_cards, put_first
from marias_env.core.jit import jit
from marias_env.core.knowledge import fingerprint
from marias_env.rules import Rules, get_rules
from marias_env.views import Views

MAX_NODES = 30_000_000
"""About 1.5 GB with the arrays of a solver."""
_CHUNK_ROWS = 60_000

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class GameTree:
    """A game as arrays over nodes, information sets and choices (an information set's actions).

    Attributes:
        rules: the rule set.
        dealer: who deals; forehand sits on the left.
        parent: (N,) index of the parent, -1 for the roots (the deals, in any order).
        choice: (N,) the choice that led here, -1 for the roots.
        chance: (N,) probability of this child given the choice: 1 but for roots and blind trumps.
        infoset: (N,) information set of the seat on turn, -1 where the deal is over.
        depth: (N,) actions taken.
        payments: (N, 3) units by seat, zeros where the deal goes on.
        keys: (I,) ascending hashes of the information sets' event tokens.
        seat: (I,) whose they are.
        level: (I,) their depth.
        first_choice: (I + 1,) where each one's choices begin.
        action: (C,) action ids, ascending within an information set.
    """

    rules: Rules
    dealer: int
    parent: Ints
    choice: Ints
    chance: Floats
    infoset: Ints
    depth: Ints
    payments: Floats
    keys: npt.NDArray[np.uint64]
    seat: npt.NDArray[np.int8]
    level: Ints
    first_choice: Ints
    action: npt.NDArray[np.int8]

    @property
    def num_nodes(self) -> int:
        """Nodes, finished deals included."""
        return len(self.parent)

    @property
    def num_infosets(self) -> int:
        """Information sets of all seats."""
        return len(self.keys)

    @property
    def num_choices(self) -> int:
        """Actions of all information sets together: the length of a policy."""
        return len(self.action)

    @property
    def infoset_of_choice(self) -> Ints:
        """(C,) the information set that a choice belongs to."""
        sizes = np.diff(self.first_choice)
        return np.repeat(np.arange(self.num_infosets, dtype=np.int32), sizes)

    def uniform(self) -> Floats:
        """Returns the policy that plays every legal action equally often: (C,) probabilities."""
        sizes = np.diff(self.first_choice)
        return np.repeat(1.0 / sizes, sizes)

    def lookup(self, views: Views) -> npt.NDArray[np.int64]:
        """Returns (N,) the information set of each view, -1 where the tree has none such."""
        hashes = token_hashes(views.tokens()[0])
        at = np.searchsorted(self.keys, hashes)
        at[at == len(self.keys)] = 0
        return np.where(self.keys[at] == hashes, at, -1)

    def action_probabilities(self, policy: Floats, views: Views) -> list[dict[int, float]]:
        """Returns what a policy does at each view: its probability for every legal action.

        Args:
            policy: (C,) probabilities.
            views: views of seats on turn.

        Raises:
            KeyError: a view of another game than the tree's.
        """
        found = []
        for i in self.lookup(views).tolist():
            if i < 0:
                raise KeyError("a view that is not in the game tree")
            choices = slice(self.first_choice[i], self.first_choice[i + 1])
            found.append(dict(zip(self.action[choices].tolist(), policy[choices].tolist())))
        return found

    def __repr__(self) -> str:
        return (
            f"GameTree({self.num_nodes:,} nodes, {self.num_infosets:,} information sets, "
            f"{self.num_choices:,} choices)"
        )


@jit
def _hash_rows(words: Any, out: Any) -> None:
    for i in range(words.shape[0]):
        out[i] = fingerprint(words[i])


def token_hashes(tokens: npt.NDArray[np.int16]) -> npt.NDArray[np.uint64]:
    """Returns (N,) 64-bit hashes of event tokens: the names of information sets."""
    words = np.ascontiguousarray(tokens).view(np.uint64)
    out = np.empty(len(words), dtype=np.uint64)
    _hash_rows(words, out)
    return out


def build_tree(rules: str | Rules, dealer: int = 2, max_nodes: int = MAX_NODES) -> GameTree:
    """Returns the whole game tree of a mini deck (RULES.md 9).

    Args:
        rules: a rule set of few cards; low `max_doublings` keeps the tree small.
        dealer: who deals; the default makes seat 0 forehand.
        max_nodes: gives up beyond this many.

    Raises:
        ValueError: too many deals or nodes.
    """
    rules = get_rules(rules)
    decks = all_decks(rules)
    parts: list[_Part] = []
    total = 0
    at = 0
    size = 20
    while at < len(decks):
        part = _grow(rules, decks[at : at + size], dealer, 1.0 / len(decks), max_nodes - total)
        parts.append(part)
        total += len(part.parent)
        at += size
        widest = int(np.bincount(part.depth).max())
        size = max(1, min(2 * size, size * _CHUNK_ROWS // widest))
    return _joined(rules, dealer, parts)


@dataclasses.dataclass
class _Part:
    parent: Ints
    action: npt.NDArray[np.int8]
    chance: Floats
    depth: Ints
    seat: npt.NDArray[np.int8]
    legal: npt.NDArray[np.uint64]
    key: npt.NDArray[np.uint64]
    payments: npt.NDArray[np.int64]


def _grow(
    rules: Rules, decks: npt.NDArray[np.uint8], dealer: int, weight: float, max_nodes: int
) -> _Part:
    # The trees of some deals, level by level.
    batch = DealBatch(len(decks), rules, seed=0, autoreset=False)
    batch.set_decks(decks, dealer)
    parent = np.full(len(decks), -1, dtype=np.int32)
    action = np.full(len(decks), -1, dtype=np.int8)
    chance = np.full(len(decks), weight)
    levels: list[_Part] = []
    nodes = 0
    while True:
        rows = len(batch)
        if nodes + rows > max_nodes:
            raise ValueError(
                "the game tree has too many nodes; take fewer cards, fewer doublings or no open "
                "contracts"
            )
        depth = np.full(rows, len(levels), dtype=np.int32)
        keys = token_hashes(batch.tokens()[0])
        payments = batch.deals["payments"].astype(np.int64)
        levels.append(
            _Part(parent, action, chance, depth, batch.turn, batch.legal_bits, keys, payments)
        )
        row, taken = np.nonzero(batch.legal_mask())
        if row.size == 0:
            break
        row, taken, chance, deals = _children(batch, row, taken)
        parent = (nodes + row).astype(np.int32)
        action = taken.astype(np.int8)
        nodes += rows
        batch = deals
        batch.step(taken.astype(np.int64))
    return _Part(
        *(
            np.concatenate([getattr(level, field.name) for level in levels])
            for field in dataclasses.fields(_Part)
        )
    )


def _children(
    batch: DealBatch, row: npt.NDArray[np.intp], taken: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats, DealBatch]:
    # One row per child to be stepped; a blind choice has as many as cards it may turn up.
    blind = np.flatnonzero(taken == BLIND)
    turns_up = [blind_cards(batch.deals[i]) for i in row[blind]]
    if not turns_up:
        return row, taken, np.ones(len(row)), batch[row]
    copies = np.ones(len(row), dtype=np.int64)
    copies[blind] = [len(cards) for cards in turns_up]
    chance = np.repeat(1.0 / copies, copies)
    row, taken = np.repeat(row, copies), np.repeat(taken, copies)
    deals = batch[row]
    turned = (card for cards in turns_up for card in cards)
    for i, card in zip(np.flatnonzero(taken == BLIND), turned):
        put_first(deals.deals[i], batch.rules, card)
    return row, taken, chance, deals


def _joined(rules: Rules, dealer: int, parts: list[_Part]) -> GameTree:
    offsets = np.cumsum([0, *(len(part.parent) for part in parts)])
    parent = np.concatenate(
        [np.where(p.parent < 0, -1, p.parent + o) for p, o in zip(parts, offsets)]
    )
    depth = np.concatenate([part.depth for part in parts])
    order = np.argsort(depth, kind="stable")
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    parent = parent[order]
    parent = np.where(parent < 0, -1, place[parent]).astype(np.int32)

    def joined(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])[order]

    depth, seat, legal, key = depth[order], joined("seat"), joined("legal"), joined("key")
    goes_on = seat >= 0
    keys, first, inverse = np.unique(key[goes_on], return_index=True, return_inverse=True)
    infoset = np.full(len(order), -1, dtype=np.int32)
    infoset[goes_on] = inverse
    seats, masks = seat[goes_on][first], legal[goes_on][first]
    levels = depth[goes_on][first].astype(np.int32)
    same = (seats[inverse] == seat[goes_on]) & (masks[inverse] == legal[goes_on])
    if not (same & (levels[inverse] == depth[goes_on])).all():
        raise AssertionError("an information set whose nodes differ in seat, actions or depth")
    bits = (masks[:, None] >> np.arange(len(ACTIONS), dtype=np.uint64)) & np.uint64(1)
    of, action = np.nonzero(bits)
    first_choice = np.searchsorted(of, np.arange(len(keys) + 1)).astype(np.int32)
    taken = joined("action").astype(np.int64)
    inner = parent >= 0
    choice = np.full(len(order), -1, dtype=np.int32)
    # Choices are in order of (information set, action), so a child's is found by bisection.
    wanted = infoset[parent[inner]].astype(np.int64) * 64 + taken[inner]
    choice[inner] = np.searchsorted(of.astype(np.int64) * 64 + action, wanted)
    return GameTree(
        rules=rules,
        dealer=dealer,
        parent=parent,
        choice=choice,
        chance=joined("chance"),
        infoset=infoset,
        depth=depth,
        payments=joined("payments").astype(np.float64),
        keys=keys,
        seat=seats,
        level=levels,
        first_choice=first_choice,
        action=action.astype(np.int8),
    )
