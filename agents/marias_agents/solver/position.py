"""From a deal's record to a searchable position, and the rest of a trick that has begun."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.solver.lanes import (
    LANE,
    SEVEN_FENCE,
    TENS,
    TOP_FENCE,
    TRUMP_LANE,
    TRUMP_SEVEN,
    VALUE_FENCE,
    card_bit,
    count,
    distinct,
    first,
    follow,
    to_lanes,
)
from marias_agents.solver.notrump import below_all, made
from marias_agents.solver.suit import kept, last_trick, reachable
from marias_agents.solver.workspace import (
    CODES,
    FENCES,
    FLAGS,
    HANDS,
    IN_TRICK,
    KEEP,
    KILLERS,
    LEADER,
    NODES,
    PLAYED,
    SEQUENCE,
    SEVEN,
    STAMP,
    STAMP_LIMIT,
    TABLE,
    USE_EQUALS,
    USE_RANKS,
)
from marias_env.actions import BETL, DURCH, OPEN_BETL, SUIT_GAME
from marias_env.core.jit import jit

HOLDINGS = 9841
"""Holdings of one suit: up to eight cards in order, each with one of three owners."""


@jit
def fill_codes(w: Any) -> None:
    """Numbers the holdings of every lane, for `trick_key`.

    By relative rank: who holds the highest card left, the next one and so on, and how many of them
    are tens. Then cards that have gone leave no trace. Whether the lowest trump is the 7 does not
    matter either: where it is not, all three needs are the same number, and what one of the two
    positions proves about needs that are all below (or above) it holds in the other. (An announced
    7, which must be kept, is never gone while its holder has another trump.)
    """
    cards = w[HANDS] | w[HANDS + 1] | w[HANDS + 2]
    by_rank = w[FLAGS] & USE_RANKS
    suit_game = w[FENCES] & 0x80
    scale = np.int64(1)
    for lane in range(4):
        base = CODES + 1024 * lane
        held = (cards >> (16 * lane)) & LANE
        owner_1 = (w[HANDS + 1] >> (16 * lane)) & LANE
        owner_2 = (w[HANDS + 2] >> (16 * lane)) & LANE
        w[base] = 0
        w[SEQUENCE] = 0
        number = np.int64(0)
        part = np.int64(0)
        while part != held:
            part = (part - held) & held
            number += 1
            code = number
            if by_rank:
                low = part & -part
                owner = np.int64(1)
                if low & owner_1:
                    owner = np.int64(2)
                elif low & owner_2:
                    owner = np.int64(3)
                code = 3 * w[SEQUENCE + (part ^ low)] + owner
                w[SEQUENCE + part] = code
                if suit_game:
                    code += HOLDINGS * count(part & 0x300)
            w[base + part] = code * scale
        scale *= 3 * HOLDINGS


@jit
def load(w: Any, d: Any) -> None:
    """Writes the cards of a deal in play to the workspace and opens a fresh table."""
    suit_game = d["contract"] == SUIT_GAME
    trump = np.int64(d["trump"]) if suit_game else np.int64(-1)
    declarer = np.int64(d["declarer"])
    for seat in range(3):
        w[HANDS + seat] = to_lanes(np.int64(d["hands"][(declarer + seat) % 3]), trump)
    in_trick = np.int64(d["in_trick"])
    for i in range(2):
        w[PLAYED + i] = card_bit(np.int64(d["table"][i]), trump) if i < in_trick else 0
    w[IN_TRICK] = in_trick
    w[LEADER] = (np.int64(d["leader"]) - declarer + 3) % 3
    fences = TOP_FENCE
    seven = np.int64(0)
    keep = np.int64(0)
    if suit_game:
        fences |= VALUE_FENCE
        held = w[HANDS] | w[HANDS + 1] | w[HANDS + 2]
        seven = (held | w[PLAYED] | w[PLAYED + 1]) & TRUMP_SEVEN
        if seven != 0:
            fences |= SEVEN_FENCE
        if d["seven_seat"] >= 0:
            keep = w[HANDS + (np.int64(d["seven_seat"]) - declarer + 3) % 3] & TRUMP_SEVEN
    w[FENCES] = fences
    w[SEVEN] = seven
    w[KEEP] = keep
    fill_codes(w)
    w[STAMP] += 1
    if w[STAMP] > STAMP_LIMIT:
        w[STAMP] = 1
        w[TABLE:] = 0
    for i in range(KILLERS, CODES):
        w[i] = 0
    w[NODES] = 0


@jit
def next_trick(
    w: Any,
    contract: Any,
    h0: Any,
    h1: Any,
    h2: Any,
    leader: Any,
    x: Any,
    y: Any,
    z: Any,
    none: Any,
    won: Any,
    beaten: Any,
) -> Any:
    """What comes of a complete trick: 1 if the declarer gets what he needs, else 0."""
    trump_lane = TRUMP_LANE if contract == SUIT_GAME else np.int64(0)
    playable = (LANE << (first(x) & 48)) | trump_lane
    best = x
    winner = leader
    if (y & playable) != 0 and y > best:
        best = y
        winner = (leader + 1) % 3
    if (z & playable) != 0 and z > best:
        winner = (leader + 2) % 3
    if contract == SUIT_GAME:
        if h0 == 0:
            return last_trick(x, y, z, leader, w[SEVEN], none, won, beaten)
        tens = count((x | y | z) & TENS) if winner == 0 else np.int64(0)
        return reachable(w, h0, h1, h2, winner, none - tens, won - tens, beaten - tens)
    betl = np.int64(1) if contract in (BETL, OPEN_BETL) else np.int64(0)
    if (winner == 0) == (betl == 1):
        return np.int64(0)
    if contract <= DURCH:
        return made(w, betl, h0, h1, h2, winner)
    low = h0
    high = h1 | h2
    if betl == 0:
        low, high = high, low
    return np.int64(1) if below_all(low, high) else np.int64(0)


@jit
def complete(
    w: Any,
    contract: Any,
    h0: Any,
    h1: Any,
    h2: Any,
    leader: Any,
    x: Any,
    y: Any,
    none: Any,
    won: Any,
    beaten: Any,
) -> Any:
    """Whether the declarer gets what he needs from within a trick on: 1 or 0.

    Args:
        w: workspace.
        contract: contract id.
        h0: the declarer's cards.
        h1: his left neighbour's.
        h2: his right neighbour's.
        leader: who leads or led: 0, 1 or 2, counted from the declarer.
        x: the card led, 0 if none.
        y: the second card, 0 if not played.
        none: tens needed if the trump 7 is not played in the last trick (suit game).
        won: tens needed if it wins the last trick.
        beaten: tens needed if it loses the last trick.
    """
    trump_lane = TRUMP_LANE if contract == SUIT_GAME else np.int64(0)
    present = h0 | h1 | h2 | x | y
    seat = leader
    if x != 0:
        seat = (leader + (1 if y == 0 else 2)) % 3
    hand = h0
    if seat == 1:
        hand = h1
    elif seat == 2:
        hand = h2
    cards = distinct(hand, present, w[FENCES]) if w[FLAGS] & USE_EQUALS else hand
    if x != 0:
        led = LANE << (first(x) & 48)
        best = y if (y & (led | trump_lane)) != 0 and y > x else x
        cards = follow(cards, led, best, trump_lane)
    cards = kept(cards, w[KEEP])
    want = np.int64(1) if seat == 0 else np.int64(0)
    while cards != 0:
        card = cards & -cards
        cards ^= card
        g0 = h0 & ~card
        g1 = h1 & ~card
        g2 = h2 & ~card
        if x == 0:
            value = complete(w, contract, g0, g1, g2, leader, card, y, none, won, beaten)
        elif y == 0:
            value = complete(w, contract, g0, g1, g2, leader, x, card, none, won, beaten)
        else:
            value = next_trick(w, contract, g0, g1, g2, leader, x, y, card, none, won, beaten)
        if value == want:
            return want
    return 1 - want
