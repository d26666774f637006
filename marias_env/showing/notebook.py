"""Objects as notebooks show them: one deal as a picture, several as a table, rules as a table."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from marias_env.actions import CONTRACTS, NO_CONTRACT, OVER, PHASES
from marias_env.cards import SUIT_SYMBOLS
from marias_env.rules import RULES, preset_and_options
from marias_env.showing.grid import Grid, grid_html
from marias_env.showing.option_phrases import OPTIONS_EN
from marias_env.showing.svg import draw

if TYPE_CHECKING:
    from marias_env.batch import DealBatch
    from marias_env.rules import Rules
    from marias_env.views import Views

ROWS: Final = 20
"""Rows of a batch that are shown."""


def batch_html(batch: DealBatch) -> str:
    """Returns one deal as a picture with every card shown, several as a table."""
    if len(batch) == 1:
        return draw(batch.deals[0], batch.rules, None, "en")
    return _deals(batch.deals, batch.rules, batch.__repr__())


def views_html(views: Views) -> str:
    """Returns one view as a picture of what its seat knows, several as a table."""
    if len(views) == 1:
        deal = views.deals[0]
        return draw(deal, views.rules, int(deal["viewer"]), "en")
    return _deals(views.deals, views.rules, f"{len(views)} views")


def rules_html(rules: Rules) -> str:
    """Returns every option with its value; those that differ from the preset with the preset's."""
    preset, changed = preset_and_options(rules)
    base = RULES[preset]
    rows = []
    for field in dataclasses.fields(rules):
        value, usual = getattr(rules, field.name), getattr(base, field.name)
        meaning = OPTIONS_EN[f"option_{field.name}"]
        differs = _value(usual) if field.name in changed else ""
        rows.append((field.name, _value(value), differs, meaning))
    note = "the third column has the preset's value where this one differs"
    heads = ("option", "value", preset, "")
    return grid_html(Grid(f"Rules: {preset}", note, heads, tuple(rows)))


def _value(value: Any) -> str:
    if hasattr(value, "items"):
        return ", ".join(f"{key} {units}" for key, units in value.items())
    return str(value)


def _deals(deals: Any, rules: Rules, title: str) -> str:
    seen = "viewer" in (deals.dtype.names or ()) and (deals["viewer"] >= 0).all()
    rows = []
    for row, deal in enumerate(deals[:ROWS]):
        contract, trump = int(deal["contract"]), int(deal["trump"])
        name = "" if contract == NO_CONTRACT else CONTRACTS[contract]
        over = deal["phase"] == OVER
        rows.append(
            (
                str(row),
                *((str(int(deal["viewer"])),) if seen else ()),
                PHASES[deal["phase"]],
                "" if over else str(int(deal["turn"])),
                str(int(deal["dealer"])),
                f"{name} {SUIT_SYMBOLS[trump]}" if name == "suit" and trump >= 0 else name,
                str(int(deal["declarer"])) if name else "",
                str(int(deal["tricks"])),
                " ".join(f"{units:+d}" for units in deal["payments"].tolist()) if over else "",
            )
        )
    heads = ("row", *(("seat",) if seen else ()), "phase", "turn", "dealer", "contract")
    heads += ("declarer", "tricks", "payments")
    left = len(deals) - len(rows)
    note = f"{preset_and_options(rules)[0]} rules" + (f"; {left} more rows" if left > 0 else "")
    return grid_html(Grid(title, note, heads, tuple(rows)))
