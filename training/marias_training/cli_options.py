"""Options that several commands have, said once."""

from __future__ import annotations

from typing import Annotated

import typer

Processes = Annotated[int, typer.Option(min=1, help="Worker processes.")]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with an interrupted run in the --out folder.")
]
Chunk = Annotated[int, typer.Option(min=1, help="Deals per saved chunk.")]
Breakdown = Annotated[
    bool, typer.Option(help="Show the breakdown by role, contract and announcement.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print everything as JSON instead of tables.")]
