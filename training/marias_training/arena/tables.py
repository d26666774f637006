"""An evaluation as rich tables, markdown and CSV: one description of each table serves all."""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Iterator

from rich.console import Console

from marias_env.actions import PHASES
from marias_env.showing.grid import Grid, grid_html, grid_markdown, print_grid
from marias_training.arena.bidding_regret import BIDDING
from marias_training.arena.breakdown import GROUPS
from marias_training.arena.pairs import METRICS
from marias_training.arena.stats import Interval
from marias_training.arena.summary import Evaluation

GROUP_TITLES = {
    "role": "role",
    "position": "position",
    "declared": "declared",
    "defended": "defended",
    "level": "doublings",
    "announced": "announced",
    "raised": "raised",
}


def show(interval: Interval) -> str:
    """Returns `+0.123 ± 0.045`, with a star where the interval excludes zero."""
    if math.isnan(interval.mean):
        return "–"
    return f"{interval}{' *' if interval.excludes_zero else ''}"


def grids(evaluation: Evaluation, breakdown: bool = True) -> Iterator[Grid]:
    """Yields an evaluation's tables in the order in which they are read."""
    yield _pairs(evaluation)
    if any(pair.bidding for pair in evaluation.pairs.values()):
        yield _par(evaluation)
    if any(pair.adjusted for pair in evaluation.pairs.values()):
        yield _adjusted(evaluation)
    if len(evaluation.agents) > 2:
        yield _matrix(evaluation, "raw")
        yield _matrix(evaluation, "capped")
    if evaluation.tables:
        yield _three(evaluation)
    if evaluation.controls:
        yield _control(evaluation)
    if breakdown:
        yield _breakdown(evaluation)
    if any(evaluation.regrets(agent) for agent in evaluation.agents):
        yield _regrets(evaluation)
    yield _use(evaluation)


def _pairs(evaluation: Evaluation) -> Grid:
    rows = [
        (
            pair.a,
            pair.b,
            show(pair.raw),
            show(pair.capped),
            f"{pair.trimmed:+.3f}",
            f"{pair.top_share:.0%}",
            show(pair.alone_a),
            show(pair.alone_b),
        )
        for pair in evaluation.pairs.values()
    ]
    heads = ("A", "B", "A − B", "A − B capped", "trimmed", "top 1 %", "A vs 2 B", "B vs 2 A")
    note = (
        f"units per deal and seat ± 95 %, {evaluation.deals} deals × 6 line-ups; * excludes zero; "
        "capped at 16 units per opponent; trimmed: without 5 % of deals at either end; "
        "top 1 %: their share of the variance; A vs 2 B: A's own units where it sits alone"
    )
    optional = ("top 1 %", "trimmed", "B vs 2 A", "A vs 2 B")
    return Grid("A minus B", note, heads, tuple(rows), optional)


def _par(evaluation: Evaluation) -> Grid:
    rows = [
        (
            pair.a,
            pair.b,
            *(show(part[metric]) for metric in METRICS for part in (pair.bidding, pair.play)),
        )
        for pair in evaluation.pairs.values()
    ]
    heads = ("A", "B", "bidding", "card play", "bidding capped", "card play capped")
    note = (
        "A − B in two parts that add up: what the contracts and doublings were worth double dummy "
        "at the first lead, and what play made of them"
    )
    optional = ("bidding", "card play")
    return Grid("Bidding and card play", note, heads, tuple(rows), optional)


def _adjusted(evaluation: Evaluation) -> Grid:
    rows = [
        (
            pair.a,
            pair.b,
            name,
            *(
                text
                for m in METRICS
                for text in (show(found.intervals[m]), f"{found.saved[m]:.1%}")
            ),
        )
        for pair in evaluation.pairs.values()
        for name, found in pair.adjusted.items()
    ]
    heads = ("A", "B", "variate", "A − B", "saved", "A − B capped", "saved capped")
    note = "after a control variate, its coefficients fixed before; saved: share of the variance"
    return Grid("Control variates", note, heads, tuple(rows), ("saved", "saved capped"))


def _matrix(evaluation: Evaluation, metric: str) -> Grid:
    ratings = evaluation.ratings(metric)
    rows = []
    for a, rating in zip(evaluation.agents, ratings.values, strict=True):
        cells = [
            "" if a == b else show(getattr(evaluation.pair(a, b), metric))
            for b in evaluation.agents
        ]
        rows.append((a, *cells, f"{rating:+.3f}"))
    note = (
        f"row minus column, units per deal and seat ({metric}); rating: least-squares strengths, "
        f"which leave a residual of {ratings.residual:.3f} ({ratings.share:.0%} of the cells' size)"
    )
    return Grid(f"Matrix, {metric} units", note, ("", *evaluation.agents, "rating"), tuple(rows))


def _three(evaluation: Evaluation) -> Grid:
    rows = []
    for table in evaluation.tables:
        label = " / ".join(table.agents)
        for name, raw, capped in zip(table.agents, table.raw, table.capped, strict=True):
            rows.append((label, name, show(raw), show(capped)))
        for (a, b), interval in table.differences.items():
            rows.append((label, f"{a} − {b}", show(interval), ""))
    note = "three different agents, in all six orders: own units per deal"
    return Grid("One table", note, ("at the table", "agent", "units", "capped"), tuple(rows))


def _control(evaluation: Evaluation) -> Grid:
    rows = [
        (name, show(interval), "yes" if not interval.excludes_zero else "NO")
        for name, interval in evaluation.controls.items()
    ]
    deals = next(iter(evaluation.controls.values())).deals
    note = f"two instances of the same agent, {deals} deals: exactly zero for a pure function"
    return Grid("Identity control", note, ("agent", "itself − itself", "contains 0"), tuple(rows))


def _breakdown(evaluation: Evaluation) -> Grid:
    rows = []
    for agent in evaluation.agents:
        counts = evaluation.counts(agent)
        seats = sum(entry[0] for entry in counts.get("position", {}).values())
        for group in GROUPS:
            for key, (times, won, units) in sorted_keys(group, counts.get(group, {})):
                rows.append(
                    (
                        agent,
                        GROUP_TITLES[group],
                        key,
                        str(times),
                        f"{times / seats:.1%}",
                        f"{won / times:.0%}",
                        f"{units / times:+.2f}",
                        _per_opponent(group, key, units / times),
                    )
                )
    note = (
        "share: of all deals the agent sat in; won: own payment above zero (announced: made); "
        "V: units per opponent, from the agent's own side; declared, defended: contract as "
        "declarer, as defender; doublings: of the game at the end; raised: said to the game"
    )
    heads = ("agent", "group", "what", "times", "share", "won", "own units", "V")
    optional = ("won", "V", "times")
    return Grid("Breakdown", note, heads, tuple(rows), optional, sections=True)


def _per_opponent(group: str, key: str, own: float) -> str:
    # The declarer's payment is twice V; positions and raises mix declarers and defenders.
    if group in ("position", "raised"):
        return ""
    lone = group in ("declared", "level") or key in ("declarer", "seven", "hundred")
    return f"{own / 2 if lone else own:+.2f}"


def sorted_keys(group: str, table: dict[str, list[int]]) -> list[tuple[str, tuple[int, int, int]]]:
    """Returns a group's entries in their natural order."""
    from marias_training.arena import breakdown as b

    orders: dict[str, tuple[str, ...]] = {
        "role": b.ROLES,
        "position": b.POSITIONS,
        "declared": b.CONTRACT_LABELS,
        "defended": b.CONTRACT_LABELS,
        "announced": b.ANNOUNCEMENTS,
        "raised": b.RAISES,
    }
    order = orders.get(group, tuple(sorted(table, key=int)) if group == "level" else ())
    return [(key, (table[key][0], table[key][1], table[key][2])) for key in order if key in table]


def _regrets(evaluation: Evaluation) -> Grid:
    rows = []
    for agent in evaluation.agents:
        for role, by_trick in sorted(evaluation.regrets(agent).items()):
            whole = [sum(column) for column in zip(*by_trick.values(), strict=True)]
            tricks = sorted(by_trick, key=PHASES.index if role == BIDDING else int)
            for trick, (n, optimal, units, capped) in (
                ("all", whole),
                *((trick, by_trick[trick]) for trick in tricks),
            ):
                rows.append(
                    (
                        agent,
                        role,
                        trick,
                        str(n),
                        f"{optimal / n:.1%}",
                        f"{units / n:.3f}",
                        f"{capped / n:.3f}",
                    )
                )
    heads = ("agent", "role", "when", "decisions", "optimal", "regret", "regret capped")
    note = (
        "units that a decision between two options or more gave away double dummy, mean over "
        "decisions; cards: per opponent, by trick; bidding: of the own payment, by phase, the "
        "rules player bidding on after each option; optimal: gave nothing away"
    )
    optional = ("optimal", "regret", "decisions")
    return Grid("Double-dummy regret", note, heads, tuple(rows), optional, sections=True)


def _use(evaluation: Evaluation) -> Grid:
    rows = []
    for agent in evaluation.agents:
        use = evaluation.use(agent)
        asked = use["asked"]
        rows.append(
            (
                agent,
                f"{use['decisions']:,.0f}",
                f"{asked:,.0f}",
                f"{use['seconds']:.2f}",
                f"{1e6 * use['seconds'] / asked:,.1f}" if asked else "–",
            )
        )
    note = "asked: equal decisions of different line-ups are asked once"
    heads = ("agent", "decisions", "asked", "seconds", "µs each")
    return Grid("Time", note, heads, tuple(rows), ("decisions", "seconds"))


# ---------------------------------------------------------------------- three ways to write them


def print_tables(evaluation: Evaluation, console: Console, breakdown: bool = True) -> None:
    """Prints the tables."""
    for grid in grids(evaluation, breakdown):
        print_grid(grid, console)


def markdown(evaluation: Evaluation, breakdown: bool = True) -> str:
    """Returns the tables as markdown."""
    header = evaluation.header
    options = f" with {header['options']}" if header["options"] else ""
    title = f"# {' · '.join(evaluation.agents)}\n\n"
    what = f"Rules `{header['rules']}`{options}, seed {header['seed']}, {evaluation.deals} deals, "
    parts = [f"{title}{what}{evaluation.games} games, marias-env {header['version']}.\n"]
    parts += [grid_markdown(grid) for grid in grids(evaluation, breakdown)]
    return "\n".join(parts)


def as_html(evaluation: Evaluation) -> str:
    """Returns the tables without the breakdown as HTML, for notebooks."""
    return "".join(grid_html(grid) for grid in grids(evaluation, breakdown=False))


def pairs_csv(evaluation: Evaluation) -> str:
    """Returns one line per pair with all its numbers."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    names = ("raw", "capped", "alone_a", "alone_b")
    ends = ("mean", "low", "high", "half_width")
    fixed = ("deals", "method", "trimmed", "top_1_percent_share")
    heads = [*(f"deviation_{m}" for m in METRICS), *(f"{n}_{end}" for n in names for end in ends)]
    writer.writerow(["a", "b", *fixed, *heads])
    for pair in evaluation.pairs.values():
        values = [getattr(getattr(pair, name), end) for name in names for end in ends]
        writer.writerow(
            [pair.a, pair.b, pair.raw.deals, pair.raw.method, pair.trimmed, pair.top_share]
            + [*(pair.deviations[metric] for metric in METRICS), *values]
        )
    return buffer.getvalue()


def breakdown_csv(evaluation: Evaluation) -> str:
    """Returns one line per agent, opponent, group and key."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["agent", "opponent", "group", "key", "times", "won", "units"])
    for a, b in itertools.permutations(evaluation.agents, 2):
        for group, table in evaluation.counts(a, b).items():
            for key, entry in sorted_keys(group, table):
                writer.writerow([a, b, group, key, *entry])
    return buffer.getvalue()
