"""What an agent did in its deals: by role, position, contract, flek level and announcement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from marias_env.actions import CONTRACTS, FLEK_GAME, HUNDRED, SUIT_GAME
from marias_env.core.deal import (
    DECLARER,
    DEFENDERS,
    END_PLAYED,
    END_REVOKE,
    NOBODY,
    NUM_SEATS,
    pack_rules,
)
from marias_env.core.history import actions_of, seats_of
from marias_env.core.settlement import GAME_UNITS, SEVEN_UNITS, parts_of
from marias_env.rules import Rules

Counts = dict[str, dict[str, list[int]]]
"""Group -> key -> [times, won, units]: units are the agent's own payments."""

CONTRACT_LABELS: Final = (
    "suit",
    "suit + seven",
    "suit + hundred",
    "suit + seven + hundred",
    *CONTRACTS[1:],
)
"""Contracts with what the declarer announced."""
POSITIONS: Final = ("forehand", "middle", "rear")
ROLES: Final = ("declarer", "defender")
ANNOUNCEMENTS: Final = ("seven", "hundred", "seven against", "hundred against")
RAISES: Final = ("flek", "re", "tutti", "boty", "kalhoty", "kajzr")
GROUPS: Final = ("role", "position", "declared", "defended", "level", "announced", "raised")
"""Groups: `declared` and `defended` by contract, `level` by the doublings of the game at the end
(declarer's deals), `announced` by the announcer, `raised` by who said flek, re, … to the game."""


def contract_labels(deals: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Returns (N,) indices into `CONTRACT_LABELS`; -1 where no contract was named."""
    contract = deals["contract"].astype(np.int64)
    extra = (deals["seven_side"] == DECLARER) + 2 * (deals["hundred_side"] == DECLARER)
    return np.where(contract == SUIT_GAME, extra, np.where(contract > SUIT_GAME, contract + 3, -1))


def announcement_made(
    deals: npt.NDArray[Any], rules: Rules
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Returns for each deal whether its announced seven and its announced hundred were made.

    Where it was not announced or the deal was not played out, False.
    """
    parts = parts_of(deals, pack_rules(rules))
    played = deals["ending"] == END_PLAYED
    # Both components pay whoever announced them, or what they announced was not made.
    made = []
    for side, units in (("seven_side", SEVEN_UNITS), ("hundred_side", GAME_UNITS)):
        gained = np.where(deals[side] == DECLARER, parts[:, units], -parts[:, units])
        made.append(played & (deals[side] != NOBODY) & (gained > 0))
    return made[0], made[1]


def breakdown(
    deals: npt.NDArray[Any],
    payments: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
    agents: Iterable[int],
    rules: Rules,
) -> dict[int, Counts]:
    """Counts finished deals.

    Args:
        deals: (N,) finished DEAL records.
        payments: (N, 3) units by seat.
        seating: (N, 3) agent index by seat.
        agents: the agents to count for.
        rules: rule set.

    Returns:
        For each agent its counts; keys that did not occur are left out.
    """
    agents = list(agents)
    count = _Counter(agents)
    rows = np.arange(len(deals))
    # A revoke may end a deal at any time; it is counted by position only, where nothing is assumed.
    whole = deals["ending"] != END_REVOKE
    declarer = deals["declarer"].astype(np.int64)
    labels = contract_labels(deals)
    for seat in range(NUM_SEATS):
        who, own = seating[:, seat], payments[:, seat]
        position = (seat - deals["dealer"].astype(np.int64) - 1) % NUM_SEATS
        lone = declarer == seat
        count.add("position", POSITIONS, who, position, own)
        count.add("role", ROLES, who[whole], np.where(lone, 0, 1)[whole], own[whole])
        for group, rows_of in (("declared", whole & lone), ("defended", whole & ~lone)):
            count.add(group, CONTRACT_LABELS, who[rows_of], labels[rows_of], own[rows_of])
    levels = tuple(str(level) for level in range(int(deals["levels"][:, 0].max(initial=0)) + 1))
    lone_who, lone_own = seating[rows, declarer], payments[rows, declarer]
    count.add(
        "level",
        levels,
        lone_who[whole],
        deals["levels"][whole, 0].astype(np.int64),
        lone_own[whole],
    )
    _announced(count, deals, payments, seating, whole, rules)
    _raised(count, deals, payments, seating)
    return count.counts


class _Counter:
    def __init__(self, agents: list[int]) -> None:
        self.agents = agents
        self.counts: dict[int, Counts] = {agent: {} for agent in agents}

    def add(
        self,
        group: str,
        keys: tuple[str, ...],
        who: npt.NDArray[np.int64],
        key: npt.NDArray[np.int64],
        own: npt.NDArray[np.int64],
        won: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        for agent in self.agents:
            chosen = (who == agent) & (key >= 0)
            if not chosen.any():
                continue
            k, units = key[chosen], own[chosen]
            good = (units > 0) if won is None else won[chosen]
            times = np.bincount(k, minlength=len(keys))
            wins = np.bincount(k[good], minlength=len(keys))
            table = self.counts[agent].setdefault(group, {})
            for index in np.flatnonzero(times):
                entry = table.setdefault(keys[index], [0, 0, 0])
                entry[0] += int(times[index])
                entry[1] += int(wins[index])
                entry[2] += int(units[k == index].sum())


def _announced(
    count: _Counter,
    deals: npt.NDArray[Any],
    payments: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
    whole: npt.NDArray[np.bool_],
    rules: Rules,
) -> None:
    for index, made in enumerate(announcement_made(deals, rules)):
        name = ("seven", "hundred")[index]
        rows = np.flatnonzero(whole & (deals[f"{name}_side"] != NOBODY))
        seat = deals[f"{name}_seat"][rows].astype(np.int64)
        key = index + 2 * (deals[f"{name}_side"][rows] == DEFENDERS)
        count.add(
            "announced",
            ANNOUNCEMENTS,
            seating[rows, seat],
            key.astype(np.int64),
            payments[rows, seat],
            made[rows],
        )


def _raised(
    count: _Counter,
    deals: npt.NDArray[Any],
    payments: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
) -> None:
    history = deals["history"]
    raises = actions_of(history) == FLEK_GAME
    raises &= np.arange(history.shape[1]) < deals["num_actions"][:, None]
    rows, at = np.nonzero(raises)
    if not len(rows):
        return
    level = np.cumsum(raises, axis=1)[rows, at] - 1
    # A hundred-against puts the level back: raises before it do not count for those after it.
    against = deals["hundred_side"][rows] == DEFENDERS
    if against.any():
        place = np.argmax(actions_of(history[rows]) == HUNDRED, axis=1)
        before = np.array(
            [raises[r, :p].sum() for r, p in zip(rows, place, strict=True)], dtype=np.int64
        )
        level = level - np.where(against & (at > place), before, 0)
    seat = seats_of(history[rows, at])
    # With more doublings than names for them, the last name stands for all further ones.
    key = np.minimum(level, len(RAISES) - 1)
    count.add("raised", RAISES, seating[rows, seat], key, payments[rows, seat])


def merge(parts: Iterable[Mapping[str, Mapping[str, list[int]]]]) -> Counts:
    """Returns the sum of counts."""
    total: Counts = {}
    for part in parts:
        for group, table in part.items():
            into = total.setdefault(group, {})
            for key, values in table.items():
                entry = into.setdefault(key, [0] * len(values))
                for i, value in enumerate(values):
                    entry[i] += value
    return total
