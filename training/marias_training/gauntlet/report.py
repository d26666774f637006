"""A gauntlet as tables, and the files that are written of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from marias_env.files import dump_json
from marias_env.showing.grid import Grid, grid_html, grid_markdown
from marias_training.arena.breakdown import GROUPS
from marias_training.arena.outputs import write_report
from marias_training.arena.tables import show, sorted_keys
from marias_training.gauntlet.picture import plot
from marias_training.gauntlet.summary import DIFFERENCES, Gauntlet, Measure

UNITS = "units per deal and seat, 95 % intervals clustered by deal; * excludes zero"


def grids(result: Gauntlet, breakdown: bool = True) -> Iterator[Grid]:
    """Yields a gauntlet's tables in the order in which they are read."""
    yield _kinds(result)
    yield _positions(result)
    yield _roles(result)
    yield _phases(result)
    if breakdown:
        yield _breakdown(result)


def as_html(result: Gauntlet) -> str:
    """Returns the tables without the breakdown as HTML, for notebooks."""
    return "".join(grid_html(grid) for grid in grids(result, breakdown=False))


def markdown(result: Gauntlet) -> str:
    """Returns the tables as markdown."""
    header = result.header
    options = f" with {header['options']}" if header["options"] else ""
    head = (
        f"# {result.agent} among strangers\n\nRules `{header['rules']}`{options}, seed "
        f"{header['seed']}, {result.deals} deals, {result.games} games, "
        f"marias-env {header['version']}.\n"
    )
    return "\n".join([head, *(grid_markdown(grid) for grid in grids(result))])


def write_outputs(result: Gauntlet, folder: str | Path) -> list[Path]:
    """Writes `gauntlet.json`, `gauntlet.md` and, where matplotlib is installed, `gauntlet.png`.

    Returns:
        The files written.
    """
    texts = {
        "gauntlet.json": dump_json(result.to_dict(), indent=1) + "\n",
        "gauntlet.md": markdown(result),
    }
    return write_report(folder, texts, "gauntlet.png", lambda picture: plot(result, picture))


def _cells(found: dict[str, Measure]) -> tuple[str, ...]:
    return tuple(
        show(getattr(found[name], metric)) if name in found else "–"
        for name in DIFFERENCES
        for metric in ("capped", "raw")
    )


def _heads(result: Gauntlet) -> tuple[str, ...]:
    # The agent stands in the title.
    differences = ("− stranger", f"− {result.reference}", f"{result.reference} − stranger")
    return tuple(f"{name}, {metric}" for name in differences for metric in ("capped", "raw"))


def _kinds(result: Gauntlet) -> Grid:
    rows = [(label, *_cells(found)) for label, found in result.tables.items()]
    rows.append(("mean over kinds", *_cells(result.mean)))
    if result.mixtures:
        rows.append(("mean over mixtures", *_cells(result.mixtures)))
    worst = result.worst()
    rows.append((f"worst kind: {worst}", *_cells(result.tables[worst])))
    note = f"{result.agent} alone among two; {UNITS}"
    heads = ("the others", *_heads(result))
    return Grid(f"{result.agent} among strangers", note, heads, tuple(rows), (heads[-1], heads[-2]))


def _positions(result: Gauntlet) -> Grid:
    rows = tuple((name, *_cells(found)) for name, found in result.positions.items())
    note = f"mean over kinds, the stranger in the same seat on the same cards; {UNITS}"
    heads = ("position", *_heads(result))
    return Grid(f"{result.agent} by position", note, heads, rows, (heads[-1], heads[-2]))


def _roles(result: Gauntlet) -> Grid:
    rows = tuple(
        (role, show(found.capped), show(found.raw)) for role, found in result.roles.items()
    )
    note = (
        f"part of {result.agent} − {result.reference} from the games in which {result.agent} is "
        f"declarer or defends, mean over kinds; {UNITS}"
    )
    return Grid(f"{result.agent} by role", note, ("role", "capped", "raw"), rows)


def _phases(result: Gauntlet) -> Grid:
    rows = tuple(
        (phase, f"{found['share']:.1%}", f"{found['capped']:+.3f}", f"{found['raw']:+.3f}")
        for phase, found in result.phases.items()
    )
    note = (
        f"phase of the first decision in which {result.agent} and {result.reference} differ, over "
        "all tables; the columns add up to the whole difference"
    )
    return Grid(
        f"Where {result.agent} and {result.reference} part",
        note,
        ("phase", "of the deals", "units, capped", "units, raw"),
        rows,
    )


def _breakdown(result: Gauntlet) -> Grid:
    players = {"agent": result.agent, "reference": result.reference, "stranger": "stranger itself"}
    counts = {who: result.counts(who) for who in players}
    rows = []
    for group in GROUPS:
        keys: dict[str, None] = {}
        for table in counts.values():
            for key, _ in sorted_keys(group, table.get(group, {})):
                keys.setdefault(key)
        for key in keys:
            cells = []
            for who in players:
                times, won, units = counts[who].get(group, {}).get(key, (0, 0, 0))
                # A kind by itself sits in all three seats of its games.
                games = 3 * result.deals * len(result.kinds)
                cells += (
                    [f"{times / games:.1%}", f"{won / times:.0%}", f"{units / times:+.2f}"]
                    if times
                    else ["0.0%", "–", "–"]
                )
            rows.append((group, key, *cells))
    heads = tuple(f"{name}, {what}" for name in players.values() for what in ("of", "won", "units"))
    note = "share of the deals in a seat, share won, raw units each; over all kinds"
    return Grid("What they did", note, ("", "", *heads), tuple(rows))
