"""A table of texts, and how it is printed: columns may be left out, digits never."""

from __future__ import annotations

import dataclasses
import html
import itertools
from collections.abc import Mapping

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from marias_env.terminal import plain

NAME_WIDTH = 12
"""A column of names is not folded to less than this."""


@dataclasses.dataclass(frozen=True)
class Grid:
    """A table: its title, a note on how to read it, column heads and rows.

    Attributes:
        title: the title.
        note: how to read it.
        heads: the columns' names.
        rows: texts, as many as there are columns.
        optional: columns that a narrow terminal does without, the first to go first.
        sections: with a line wherever the first column changes.
    """

    title: str
    note: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    optional: tuple[str, ...] = ()
    sections: bool = False

    def numeric(self, column: int) -> bool:
        """Whether a column holds numbers."""
        return any(row[column][:1] in "+-–0123456789" for row in self.rows if row[column])


def print_grid(grid: Grid, console: Console) -> None:
    """Prints a table in the width of a terminal, and as wide as it is where there is none.

    Optional columns go where the width does not do, then names are folded. What is still too wide
    runs over the edge: a number is never cut.
    """

    def text(cell: str) -> str:
        # Written in the stream's letters before widths are counted.
        return plain(cell, console.encoding)

    room = console.width if console.is_terminal else 1 << 16
    widths = {
        column: max(cell_len(text(cell)) for cell in (head, *(row[column] for row in grid.rows)))
        for column, head in enumerate(grid.heads)
    }
    left_out: list[str] = []
    for head in grid.optional:
        if _total(widths) > room:
            del widths[grid.heads.index(head)]
            left_out.append(head)
    names = [column for column in widths if not grid.numeric(column)]
    while _total(widths) > room and any(widths[column] > NAME_WIDTH for column in names):
        widths[max(names, key=lambda column: widths[column])] -= 1
    note = grid.note
    if left_out:
        note += f"; left out for want of width: {', '.join(reversed(left_out))}"
    # A path with brackets is no markup.
    table = Table(
        title=escape(text(grid.title)),
        caption=escape(text(note)),
        box=box.SIMPLE_HEAD,
        title_justify="left",
    )
    for column, width in widths.items():
        table.add_column(
            escape(text(grid.heads[column])),
            justify="left" if column in names else "right",
            width=width,
            overflow="fold",
        )
    for row, following in itertools.zip_longest(grid.rows, grid.rows[1:]):
        ends = following is not None and following[0] != row[0] and grid.sections
        table.add_row(*(escape(text(row[column])) for column in widths), end_section=ends)
    before = console.width
    console.width = max(_total(widths), before if console.is_terminal else 0)
    try:
        console.print(table, crop=False)
    finally:
        console.width = before


def _total(widths: Mapping[int, int]) -> int:
    # With a space on either side of a column, one between two, and the box's own at the edges.
    return sum(width + 3 for width in widths.values()) + 1


def grid_markdown(grid: Grid) -> str:
    """Returns a table as markdown, its title a heading."""
    lines = [f"## {grid.title}", "", f"{grid.note[:1].upper()}{grid.note[1:]}.", ""]
    lines.append("| " + " | ".join(grid.heads) + " |")
    aligned = ["--:" if grid.numeric(n) else "---" for n in range(len(grid.heads))]
    lines.append("|" + "|".join(aligned) + "|")
    # The star that marks significance must not begin emphasis.
    lines += ["| " + " | ".join(row).replace("*", r"\*") + " |" for row in grid.rows]
    return "\n".join(lines) + "\n"


def grid_html(grid: Grid) -> str:
    """Returns a table as HTML, its title above and its note below."""
    aligned = ["right" if grid.numeric(n) else "left" for n in range(len(grid.heads))]

    def row(cells: tuple[str, ...], tag: str) -> str:
        return "".join(
            f'<{tag} style="text-align:{side}">{html.escape(cell)}</{tag}>'
            for cell, side in zip(cells, aligned)
        )

    body = "".join(f"<tr>{row(cells, 'td')}</tr>" for cells in grid.rows)
    note = f"<p><small>{html.escape(grid.note)}</small></p>" if grid.note else ""
    return (
        f"<div><strong>{html.escape(grid.title)}</strong><table><thead><tr>"
        f"{row(grid.heads, 'th')}</tr></thead><tbody>{body}</tbody></table>{note}</div>"
    )
