"""Runs a gauntlet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from marias_agents.strangers import judging_specs
from marias_env.errors import AgentError
from marias_env.options import Bound, Whole, check
from marias_env.rules import Rules, get_rules
from marias_training.arena.chunk import AgentLike
from marias_training.arena.chunked import ChunksInterrupted, run_chunks
from marias_training.arena.run import agent_labels, header_of
from marias_training.gauntlet.chunk import GauntletJob
from marias_training.gauntlet.seats import tables_of
from marias_training.gauntlet.summary import Gauntlet

CHUNK: Final = 50
"""Deals a chunk: at six kinds and their mixtures some four thousand games."""
BOUNDS: Final[Mapping[str, Bound]] = MappingProxyType(
    {"deals": Whole(1), "seed": Whole(0), "processes": Whole(1), "chunk": Whole(1)}
)
"""What the options of `gauntlet` may be."""


class GauntletInterrupted(KeyboardInterrupt):
    """Ctrl-C during a gauntlet.

    Attributes:
        gauntlet: what the finished chunks say.
        saved: the results file they are in, or None.
    """

    def __init__(self, gauntlet: Gauntlet, saved: Path | None) -> None:
        super().__init__("gauntlet interrupted")
        self.gauntlet = gauntlet
        self.saved = saved


def gauntlet(
    agent: AgentLike,
    *,
    deals: int = 1000,
    kinds: Sequence[AgentLike] | None = None,
    reference: AgentLike = "rules",
    mixed: bool = True,
    rules: str | Rules = "traditional",
    seed: int = 0,
    processes: int = 1,
    out: str | Path | None = None,
    resume: bool = False,
    chunk: int = CHUNK,
    on_progress: Callable[[int, int], None] | None = None,
) -> Gauntlet:
    """Measures an agent alone among two strangers, kind by kind, on duplicate deals.

    On every deal and at every table the agent plays each seat once, the reference does, and the
    kind by itself plays the deal once: all differences are of payments in the same seat on the same
    cards against the same players. The common deals make differences between agents of different
    runs paired too. The result depends on the arguments down to `seed` only.

    Args:
        agent: the agent that is measured, or its spec.
        deals: number of deals.
        kinds: the strangers; None: the population that judges (`marias_agents.strangers`), without
            those that take seconds a deal.
        reference: whom the agent is compared with.
        mixed: also tables with two strangers of different kinds.
        rules: a preset's name or a rule set.
        seed: seed of the common deal set.
        processes: worker processes; 1 plays in this process.
        out: results file (`.jsonl`), one line a chunk.
        resume: go on with an existing results file of the same gauntlet.
        chunk: deals a chunk.
        on_progress: called with the deals done and wanted.

    Raises:
        AgentError: an unknown agent, no kinds, or a kind that is the agent itself.
        ResultsError: `out` exists without `resume`, or is of another gauntlet.
        OptionError: an argument out of range.
        GauntletInterrupted: Ctrl-C; holds what is done.
    """
    given = {"deals": deals, "seed": seed, "processes": processes, "chunk": chunk}
    for name, value in given.items():
        given[name] = check(name, value, BOUNDS[name])
    strangers = tuple(judging_specs(slow=False) if kinds is None else kinds)
    if not strangers:
        raise AgentError("kinds: none given; expected one stranger or more")
    players = (agent, reference, *strangers)
    # The agent may well be of one of the kinds, or the reference: only kinds must have names apart.
    kind_labels = agent_labels(strangers)
    labels = (*agent_labels([agent]), *agent_labels([reference]), *kind_labels)
    job = GauntletJob(players, tables_of(kind_labels, mixed), get_rules(rules), given["seed"])
    header = {
        **header_of(players, labels, job.rules, job.seed, chunk),
        "gauntlet": [table.label for table in job.tables],
    }
    try:
        chunks = run_chunks(
            job,
            header,
            given["deals"],
            given["chunk"],
            processes=given["processes"],
            out=out,
            resume=resume,
            on_progress=on_progress,
        )
    except ChunksInterrupted as stopped:
        raise GauntletInterrupted(
            Gauntlet(header, job.tables, stopped.chunks), stopped.saved
        ) from None
    return Gauntlet(header, job.tables, chunks)
