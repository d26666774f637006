"""Results of agents' tools as notebooks show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marias_env.showing.grid import Grid, grid_html

if TYPE_CHECKING:
    from marias_agents.analysis import Analysis

WORTHS: Final = 10
"""How much of what could have been bid is shown."""


def analysis_html(analysis: Analysis) -> str:
    """Returns an analysed deal as two tables: cards that cost something, what could be bid."""
    start, value = ("–" if v is None else f"{v:+d}" for v in (analysis.start, analysis.value))
    costly = tuple(
        (str(c.trick), str(c.seat), c.card, str(c.cost), " ".join(c.better))
        for c in analysis.cards
        if c.cost
    )
    cards = Grid(
        f"{start} at the first lead under best play, {value} paid",
        "units per opponent, all cards seen",
        ("trick", "seat", "card", "cost", "better"),
        costly or (("–", "–", "–", "0", ""),),
    )
    parts = [grid_html(cards)]
    if analysis.worths:
        bids = tuple(
            (str(w.seat), w.name, " ".join(w.discards), f"{w.value:+d}")
            for w in analysis.worths[:WORTHS]
        )
        note = "with the others silent and nothing doubled"
        heads = ("seat", "bid", "discards", "worth")
        parts.append(grid_html(Grid("What could have been bid", note, heads, bids)))
    return "".join(parts)
