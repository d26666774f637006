"""One chunk of an evaluation: some deals of the common set, in all line-ups of all contests."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_agents.agent import Agent
from marias_env.batch import DealBatch
from marias_env.records import write_records
from marias_env.rules import Rules
from marias_training.arena.bidding_regret import bidding_regrets
from marias_training.arena.breakdown import breakdown
from marias_training.arena.lineups import Contest, agent_sums, cap_payments
from marias_training.arena.par import par_payments
from marias_training.arena.regret import card_regrets
from marias_training.arena.variates import ControlVariate
from marias_training.play import Played, play

AgentLike = str | Agent
"""A spec for `marias_agents.make`, or an agent."""

Chunk = dict[str, Any]
"""A chunk's results as JSON values, one line of a results file."""


@dataclasses.dataclass(frozen=True)
class Job:
    """What an evaluation plays; the same for all its chunks.

    Attributes:
        agents: the agents or their specs.
        labels: their names in tables, all different.
        rules: rule set.
        seed: seed of the common deal set.
        contests: who plays whom.
        control_deals: on the first so many deals every agent also plays a second instance of
            itself.
        records: folder for the games' records, one file a chunk; None: none are kept.
        par: also solve every game double dummy from its first lead.
        variates: control variates.
        regret_deals: on the first so many deals every bid and card is judged double dummy.
    """

    agents: tuple[AgentLike, ...]
    labels: tuple[str, ...]
    rules: Rules
    seed: int
    contests: tuple[Contest, ...]
    control_deals: int = 0
    records: Path | None = None
    par: bool = False
    variates: tuple[ControlVariate, ...] = ()
    regret_deals: int = 0

    def players(self) -> Players:
        """Makes the agents."""
        return Players(self)

    def play(self, players: Players, start: int, size: int) -> Chunk:
        """Plays a chunk, see `play_chunk`."""
        return play_chunk(self, players, start, size)

    def records_file(self, start: int, size: int) -> Path | None:
        """Returns the file that holds the records of a chunk."""
        return None if self.records is None else self.records / f"deals-{start:08d}-{size}.jsonl"


class Players:
    """The agents of a job, made once per process, and their second instances for the control."""

    def __init__(self, job: Job) -> None:
        self.agents: list[Agent] = [make_agent(agent) for agent in job.agents]
        self.twins: list[Agent] = []
        if job.control_deals:
            self.twins = [
                make_agent(agent) if isinstance(agent, str) else copy.deepcopy(agent)
                for agent in job.agents
            ]


def make_agent(agent: AgentLike) -> Agent:
    """Returns an agent from its spec, or the agent itself."""
    # Imported here, since specs are resolved only where something is played.
    from marias_agents.registry import make

    return make(agent)


def common_deals(
    rules: Rules, seed: int, start: int, size: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int8]]:
    """Returns decks (size, n) and dealers of deals number `start` … of a seed's deal set.

    Deal number i of a seed is the same however the set is cut into chunks.
    """
    batch = DealBatch(size, rules, seed=seed, first_index=start)
    return batch.deals["deck"][:, : rules.num_cards].copy(), batch.dealer


def play_chunk(job: Job, players: Players, start: int, size: int) -> Chunk:
    """Plays deals `start` to `start + size` in every line-up and returns what is kept of them."""
    decks, dealers = common_deals(job.rules, job.seed, start, size)
    played = _play_contests(job.contests, decks, dealers, players.agents, job.rules)
    chunk: Chunk = {
        "start": start,
        "deals": size,
        "games": len(played.batch),
        "contests": _results(job.contests, played, size, job.rules),
        "use": [dataclasses.asdict(use) for use in played.use],
    }
    if job.par:
        _add_par(chunk["contests"], job, played, size)
    if job.variates:
        chunk["variates"] = {
            variate.name: np.asarray(variate.function(decks, dealers, job.rules)).tolist()
            for variate in job.variates
        }
    judged = min(size, job.regret_deals - start)
    if judged > 0:
        rows = np.flatnonzero(np.arange(len(played.batch)) % size < judged)
        regrets = card_regrets(
            played.deals[rows], played.seating[rows], range(len(job.agents)), job.rules
        )
        bids = bidding_regrets(
            played.deals[rows], played.seating[rows], range(len(job.agents)), job.rules
        )
        chunk["regrets"] = {str(agent): regrets[agent] | bids[agent] for agent in regrets}
    controlled = min(size, job.control_deals - start)
    if controlled > 0:
        n = len(job.agents)
        twins = tuple(Contest((index, n + index)) for index in range(n))
        both = [*players.agents, *players.twins]
        control = _play_contests(twins, decks[:controlled], dealers[:controlled], both, job.rules)
        sums = _results(twins, control, controlled, job.rules, counts=False)
        chunk["control"] = {str(i): sums[twin.key] for i, twin in enumerate(twins)}
    path = job.records_file(start, size)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_records(path, _records(job, played, start, size), check=False)
    return chunk


def _play_contests(
    contests: Sequence[Contest],
    decks: npt.NDArray[np.uint8],
    dealers: npt.NDArray[np.int8],
    agents: Sequence[Agent],
    rules: Rules,
) -> Played:
    # All line-ups in one batch, line-up by line-up, so that an agent is asked for all of them at
    # once and equal decisions of different line-ups only once.
    lines = np.concatenate([contest.seats for contest in contests])
    seating = np.repeat(lines, len(decks), axis=0)
    repeated = (np.tile(decks, (len(lines), 1)), np.tile(dealers, len(lines)))
    return play(*repeated, seating, agents, rules)


def _results(
    contests: Sequence[Contest], played: Played, size: int, rules: Rules, counts: bool = True
) -> dict[str, Any]:
    results: dict[str, Any] = {}
    payments = played.payments
    capped = cap_payments(payments)
    at = 0
    for contest in contests:
        rows = slice(at, at + 6 * size)
        at += 6 * size
        entry: dict[str, Any] = {
            "raw": agent_sums(contest, payments[rows].reshape(6, size, 3)).tolist(),
            "capped": agent_sums(contest, capped[rows].reshape(6, size, 3)).tolist(),
        }
        if counts:
            found = breakdown(
                played.deals[rows], payments[rows], played.seating[rows], contest.agents, rules
            )
            entry["counts"] = {str(agent): table for agent, table in found.items()}
        results[contest.key] = entry
    return results


def _add_par(contests: dict[str, Any], job: Job, played: Played, size: int) -> None:
    par = par_payments(played.deals, job.rules)
    for metric, payments in (("par_raw", par), ("par_capped", cap_payments(par))):
        for number, contest in enumerate(job.contests):
            lines = payments[6 * size * number : 6 * size * (number + 1)].reshape(6, size, 3)
            contests[contest.key][metric] = agent_sums(contest, lines).tolist()


def _records(job: Job, played: Played, start: int, size: int) -> list[dict[str, Any]]:
    # Sorted by deal, so that the games on one deck stand together.
    found = []
    for deal in range(size):
        for number, contest in enumerate(job.contests):
            for line, name in enumerate(contest.names):
                row = (6 * number + line) * size + deal
                record = played.record(row, deal=start + deal, lineup=name)
                record["agents"] = [job.labels[index] for index in played.seating[row]]
                found.append(record)
    return found
