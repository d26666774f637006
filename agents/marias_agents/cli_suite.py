"""The console commands `marias suite` and `marias suite-score`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from marias_env.cli_records import Rules
from marias_env.terminal import echo, progress_bar


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command(name="suite")(suite_command)
    app.command(name="suite-score")(score_command)


def suite_command(
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write, .npz.")],
    deals: Annotated[int, typer.Option("--deals", min=1, help="Deals to solve.")] = 10_000,
    games: Annotated[int, typer.Option("--games", min=1, help="Games to label.")] = 1_000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the deals.")] = 2026,
    rules: Rules = "traditional",
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, help="Threads; default: one per core.")
    ] = None,
) -> None:
    """Make the benchmark suite: deals with solved contracts, decisions with exact regrets."""
    from marias_agents.suite import make_suite, save_suite

    if not out.parent.is_dir():
        raise FileNotFoundError(f"no such folder: {out.parent}")  # before the work, not after it
    with progress_bar() as report:
        suite = make_suite(deals, seed, rules, games, threads, report)
    fingerprint = save_suite(suite, out)
    echo(
        f"{out}: {suite.deals} deals, {suite.games} games, {suite.num_decisions} decisions, "
        f"{out.stat().st_size} bytes"
    )
    echo(f"sha256 {fingerprint}")


def score_command(
    agent: Annotated[str, typer.Argument(help="Agent, such as rules or pimc:10.")],
    file: Annotated[Path, typer.Argument(help="A suite that `marias suite` wrote.")],
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Only the first so many decisions.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score an agent's cards on a benchmark suite: double-dummy regret per decision."""
    from marias_agents.suite import load_suite, score

    suite = load_suite(file)
    with progress_bar() as report:
        found = score(agent, suite, limit, lambda done, total: report("decisions", done, total))
    if as_json:
        echo(json.dumps(found.to_dict()))
        return
    echo(found.table())
    echo(f"suite sha256 {found.fingerprint}")
