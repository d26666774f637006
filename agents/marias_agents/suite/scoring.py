"""What an agent's cards give away double dummy in the decisions of a suite."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from marias_agents.agent import Agent
from marias_agents.registry import make
from marias_agents.suite.suite import Decisions, Suite
from marias_env.actions import ACTIONS, CONTRACTS
from marias_env.errors import AgentError
from marias_env.options import Maybe, Whole, check

CAP: Final = 16
"""Units per opponent at which both values are cut for the capped regret."""
CHUNK: Final = 2_000
"""Decisions asked at a time."""
_Z: Final = 1.959963984540054


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A mean over decisions.

    Attributes:
        mean: the mean.
        half: half the width of its 95 % interval, with games as clusters; infinite for one game.
    """

    mean: float
    half: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.half:.3f}"


@dataclasses.dataclass(frozen=True)
class Part:
    """Some of the decisions.

    Attributes:
        decisions: how many.
        games: how many games they are from.
        regret: units per opponent given away in a decision.
        capped: the same with the values cut at 16 units.
        best: share of decisions in which nothing was given away.
    """

    decisions: int
    games: int
    regret: Estimate
    capped: Estimate
    best: Estimate


@dataclasses.dataclass(frozen=True)
class Score:
    """The score of an agent: double-dummy regret, not strength.

    Attributes:
        agent: its name.
        fingerprint: of the suite.
        total: over all decisions asked.
        critical: over those in which some legal card gives something away.
        tricks: by trick, from 1.
        roles: by `declarer` and `defender`.
        contracts: by contract name.
    """

    agent: str
    fingerprint: str
    total: Part
    critical: Part | None
    tricks: Mapping[int, Part]
    roles: Mapping[str, Part]
    contracts: Mapping[str, Part]

    def to_dict(self) -> dict[str, Any]:
        """Returns the score as JSON values; an unknown half width is null."""
        found: dict[str, Any] = _plain(dataclasses.asdict(self))
        return found

    def table(self) -> str:
        """Returns the score as text."""
        parts: list[tuple[str, Part]] = [("all", self.total)]
        if self.critical is not None:
            parts.append(("critical", self.critical))
        parts += [*self.roles.items(), *self.contracts.items()]
        parts += [(f"trick {trick}", part) for trick, part in self.tricks.items()]
        lines = [
            f"{self.agent}: double-dummy regret per decision, units per opponent, 95 % intervals",
            f"{'':<12}{'decisions':>9}   {'regret':<16}{'capped at 16':<16}share best",
        ]
        lines += [
            f"{name:<12}{part.decisions:>9}   {part.regret!s:<16}{part.capped!s:<16}{part.best}"
            for name, part in parts
        ]
        return "\n".join(lines)


def score(
    agent: str | Agent,
    suite: Suite,
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Score:
    """Asks an agent for the cards of a suite's decisions and counts what they give away.

    Args:
        agent: an agent or its name.
        suite: the suite.
        limit: ask only the first so many decisions.
        progress: called with the decisions done and the decisions in all.

    Raises:
        AgentError: an unknown agent, or one whose answer is not a legal action for each view.
        SuiteError: the games of the suite cannot be replayed.
        ValueError: a limit below 1.
    """
    check("limit", limit, Maybe(Whole(1)))
    player = make(agent)
    total = suite.num_decisions if limit is None else min(limit, suite.num_decisions)
    columns: list[tuple[npt.NDArray[Any], ...]] = []
    for start in range(0, total, CHUNK):
        asked = suite.decisions(slice(start, min(start + CHUNK, total)))
        regret = asked.regrets[np.arange(len(asked)), _answers(player, asked)]
        capped = np.clip(asked.best, -CAP, CAP) - np.clip(asked.best - regret, -CAP, CAP)
        columns.append(
            (
                regret,
                capped,
                asked.regrets.max(axis=1) > 0,
                asked.game,
                asked.trick,
                asked.declarer.astype(int),
                asked.contract,
            )
        )
        if progress is not None:
            progress(start + len(asked), total)
    regret, capped, critical, game, trick, lone, contract = (
        np.concatenate(column) for column in zip(*columns)
    )
    outcome = np.stack([regret, capped, regret == 0], axis=1).astype(np.float64)

    def part(rows: npt.NDArray[np.bool_]) -> Part:
        return _part(outcome[rows], game[rows])

    return Score(
        player.name,
        suite.fingerprint(),
        _part(outcome, game),
        part(critical) if critical.any() else None,
        {number: part(trick == number) for number in np.unique(trick).tolist()},
        {
            role: part(lone == number)
            for number, role in ((1, "declarer"), (0, "defender"))
            if (lone == number).any()
        },
        {CONTRACTS[number]: part(contract == number) for number in np.unique(contract).tolist()},
    )


def _answers(agent: Agent, asked: Decisions) -> npt.NDArray[np.int64]:
    masks = asked.masks()
    answer = np.asarray(agent.act(asked.views(), masks.copy()))
    if answer.shape != (len(asked),) or answer.dtype.kind not in "iu":
        raise AgentError(
            f"agent {agent.name!r}: `act` returned an array of shape {answer.shape} and dtype "
            f"{answer.dtype}; expected ({len(asked)},) integers"
        )
    in_range = (answer >= 0) & (answer < masks.shape[1])
    cards = np.where(in_range, answer, 0).astype(np.int64)
    bad = np.flatnonzero(~in_range | (masks[np.arange(len(asked)), cards] == 0))
    if bad.size:
        at = int(bad[0])
        legal = ", ".join(ACTIONS[action] for action in np.flatnonzero(masks[at]))
        raise AgentError(
            f"agent {agent.name!r}: action {int(answer[at])} is not legal in decision "
            f"{asked.rows[at]}; expected one of {legal}"
        )
    return cards


def _part(outcome: npt.NDArray[np.float64], game: npt.NDArray[np.int64]) -> Part:
    # A mean of decisions whose number per game varies is a ratio of sums over games.
    cluster = np.unique(game, return_inverse=True)[1].reshape(-1)
    games = int(cluster.max()) + 1
    count = np.bincount(cluster, minlength=games)
    found = []
    for values in outcome.T:
        mean = float(values.mean())
        off = np.bincount(cluster, weights=values, minlength=games) - mean * count
        half = math.inf
        if games > 1:
            half = _Z * math.sqrt(games / (games - 1) * float(off @ off)) / len(values)
        found.append(Estimate(mean, half))
    return Part(len(outcome), games, *found)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    return None if value == math.inf else value
