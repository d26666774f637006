"""Solved contracts: what forehand's contracts are worth double dummy, with a fixed discard rule."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from marias_agents.solver import solve_batch
from marias_env.actions import (
    BETL,
    CONTRACT_0,
    DURCH,
    GOOD,
    NAME_TRUMP,
    NAME_TRUMP_0,
    PLAY,
    REPLY,
    SUIT_GAME,
    TRUMP,
)
from marias_env.batch import DealBatch
from marias_env.cards import RANKS, SUITS

CONTRACT_NAMES: Final = ("suit s", "suit c", "suit d", "suit h", "betl", "durch")
"""Columns of the solved values: forehand's contracts, nothing announced, nothing doubled."""
MISSING: Final = -(1 << 62)
"""Stands where a contract cannot be had: no card of the suit in forehand's first packet."""
CANDIDATES: Final = 4
"""Discards of a suit game that are solved; the best of them counts."""
CHUNK: Final = 250
"""Deals solved between two reports of progress."""

_COLUMNS: Final = (*((SUIT_GAME, suit) for suit in range(4)), (BETL, -1), (DURCH, -1))
_LADDER: Final = tuple(RANKS.index(rank) for rank in "789J")
"""The ranks that take tricks alike where they are neighbours, in a suit game."""
_QUEEN: Final = RANKS.index("Q")
_KING: Final = RANKS.index("K")
_TEN_ALONE: Final = 1 << RANKS.index("T")

Pair = tuple[int, int]
Values = npt.NDArray[np.int64]


def solve_contracts(
    batch: DealBatch,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Values, npt.NDArray[np.int8]]:
    """Solves forehand's contracts of fresh deals.

    The discard of a suit game is the best double dummy of `suit_candidates`; that of betl and
    durch, where solving costs little, the best of all. Of equally good ones it is the first.

    Args:
        batch: deals in which nobody has acted; it is left as it is.
        threads: of the solver; None: one per core.
        progress: called with the deals done and the deals in all.

    Returns:
        (B, 6) int64, V in each column of `CONTRACT_NAMES` (`MISSING` where there is none), and
        (B, 6, 2) int8, the discards (-1 where there is none).
    """
    values = np.full((len(batch), len(_COLUMNS)), MISSING, dtype=np.int64)
    discards = np.full((len(batch), len(_COLUMNS), 2), -1, dtype=np.int8)
    for start in range(0, len(batch), CHUNK):
        part = slice(start, min(start + CHUNK, len(batch)))
        for column in range(len(_COLUMNS)):
            _solve_column(batch[part], column, threads, values[part], discards[part])
        if progress is not None:
            progress(part.stop, len(batch))
    return values, discards


def suit_candidates(allowed: int, hand: int, trump: int) -> list[Pair]:
    """Returns the discards of a suit game that are solved, most promising first.

    Any two cards of the side suits that may go, ranked by: marriages broken and tens left alone in
    their suit (fewest first), suits emptied (most first), cards left in the suits they come from
    (fewest first), sum of the rank ids, card ids. Cards up to the jack that are neighbours in the
    hand take the same tricks: the lowest of them stand for all. With fewer than two cards in the
    side suits, trumps are a choice too.

    Args:
        allowed: bit set of the cards that may be put away.
        hand: bit set of the cards held.
        trump: the suit.
    """
    pool = [card for card in _cards(allowed) if card // 8 != trump]
    if len(pool) < 2:
        pool = _cards(allowed)
    pairs = {_standing_for(pair, hand & allowed) for pair in combinations(pool, 2)}
    return sorted(pairs, key=lambda pair: _rank(pair, hand))[:CANDIDATES]


def _cards(bits: int) -> list[int]:
    return [card for card in range(32) if bits >> card & 1]


def _standing_for(pair: Pair, hand: int) -> Pair:
    first = _lowest(pair[0], hand, -1)
    second = _lowest(pair[1], hand, first)
    return min(first, second), max(first, second)


def _lowest(card: int, hand: int, taken: int) -> int:
    # The lowest card, other than `taken`, of the run of neighbours that ends with this one.
    suit, rank = divmod(card, 8)
    if rank not in _LADDER:
        return card
    found = card
    for lower in reversed(_LADDER[: _LADDER.index(rank)]):
        if not hand >> (8 * suit + lower) & 1:
            break
        if 8 * suit + lower != taken:
            found = 8 * suit + lower
    return found


def _rank(pair: Pair, hand: int) -> tuple[int, int, int, int, Pair]:
    left = hand & ~(1 << pair[0]) & ~(1 << pair[1])
    suits = {card // 8 for card in pair}
    harm = 0
    for card in pair:
        suit, rank = divmod(card, 8)
        if rank in (_QUEEN, _KING):
            harm += hand >> (8 * suit + _QUEEN + _KING - rank) & 1
    remains = [left >> (8 * suit) & 255 for suit in suits]
    harm += remains.count(_TEN_ALONE)
    cards = sum(bin(bits).count("1") for bits in remains)
    return harm, -remains.count(0), cards, sum(card % 8 for card in pair), pair


def _solve_column(
    batch: DealBatch,
    column: int,
    threads: int | None,
    values: Values,
    discards: npt.NDArray[np.int8],
) -> None:
    contract, suit = _COLUMNS[column]
    rows, batch = _before_discard(batch, contract, suit)
    if not rows.size:
        return
    places: list[int] = []
    pairs: list[Pair] = []
    hands = batch.deals["hands"][np.arange(len(batch)), batch.turn]
    for place, (legal, hand) in enumerate(zip(batch.legal_bits.tolist(), hands.tolist())):
        if contract == SUIT_GAME:
            found = suit_candidates(legal, hand, suit)
        else:
            found = list(combinations(_cards(legal), 2))
        places.extend([place] * len(found))
        pairs.extend(found)
    at, cards, solved = _solve_pairs(batch, places, pairs, suit, threads)
    # Stable, so that the first of the best discards of a deal comes first.
    order = np.lexsort((-solved, at))
    at, cards, solved = at[order], cards[order], solved[order]
    firsts = np.flatnonzero(np.diff(at, prepend=-1))
    values[rows[at[firsts]], column] = solved[firsts]
    discards[rows[at[firsts]], column] = cards[firsts]


def _before_discard(batch: DealBatch, contract: int, suit: int) -> tuple[Values, DealBatch]:
    # The rows that can have the contract, led on to forehand's discard.
    rows = np.arange(len(batch))
    if batch.phase[0] == TRUMP:
        ours = batch.legal_bits & np.uint64(255 << (8 * suit) if suit >= 0 else 0xFFFFFFFF)
        rows = np.flatnonzero(ours)
        if not rows.size:
            return rows, batch
        batch = batch[rows]
        # The lowest card of the suit is shown.
        shown = [_cards(bits)[0] for bits in ours[rows].tolist()]
        batch.step(np.array(shown))
    elif suit >= 0 and SUITS[suit] not in batch.rules.suits:
        return rows[:0], batch
    batch.step(np.full(len(batch), CONTRACT_0 + contract))
    while batch.phase[0] == REPLY:
        batch.step(np.full(len(batch), GOOD))
    return rows, batch


def _solve_pairs(
    batch: DealBatch, places: list[int], pairs: list[Pair], suit: int, threads: int | None
) -> tuple[Values, npt.NDArray[np.int8], Values]:
    # V after each discard that is legal, the others accepting and nobody raising anything.
    at = np.array(places)
    cards = np.array(pairs, dtype=np.int64)
    lines = batch[at]
    lines.step(cards[:, 0])
    legal = np.flatnonzero(lines.legal_bits >> cards[:, 1].astype(np.uint64) & np.uint64(1))
    at, cards, lines = at[legal], cards[legal], lines[legal]
    lines.step(cards[:, 1])
    while lines.phase[0] < PLAY:
        action = NAME_TRUMP_0 + suit if lines.phase[0] == NAME_TRUMP else GOOD
        lines.step(np.full(len(lines), action))
    if lines.phase[0] == PLAY:
        return at, cards.astype(np.int8), solve_batch(lines, threads=threads)
    return at, cards.astype(np.int8), lines.deals["value"].astype(np.int64)
