"""The console command `marias view`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from marias_env.errors import RecordError
from marias_env.terminal import echo, progress_bar, require
from marias_table import NEEDED

DEFAULT_PORT: Final = 8766
_LIMIT: Final = 60.0
"""Seconds that an agent may think about one position."""
_PICTURES: Final = (".html", ".svg")


def view_command(
    file: Annotated[Path, typer.Argument(help="Deal records, .jsonl or .jsonl.gz.")],
    index: Annotated[int, typer.Option("--index", "-n", help="Which record, from 0.")] = 0,
    agents: Annotated[
        list[str] | None,
        typer.Option(
            help="Agents that are asked what they would do, such as rules,pimc:3; each knows what "
            "its seat knows.",
        ),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            help="Write one deal to a file and serve nothing: .html the viewer itself, which opens "
            "from disk, .svg an animated picture."
        ),
    ] = None,
    seat: Annotated[
        int | None, typer.Option(min=0, max=2, help="With an .svg: show only what this seat knows.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = DEFAULT_PORT,
    language: Annotated[str, typer.Option("--language", "-l", help="en or cs.")] = "en",
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in the browser.")
    ] = True,
) -> None:
    """Step through recorded deals in the browser: hands, values of every card, agents' choices."""
    from marias_env.records import read_records
    from marias_env.showing.phrases import LANGUAGES

    if language not in LANGUAGES:
        raise typer.BadParameter(f"{language!r}; expected one of {', '.join(LANGUAGES)}")
    if export is not None and export.suffix not in _PICTURES:
        raise typer.BadParameter(f"--export {export}: expected a name in .html or .svg")
    if seat is not None and (export is None or export.suffix != ".svg"):
        raise typer.BadParameter("--seat belongs to --export FILE.svg")
    specs = split_specs(agents or ["rules"])
    records = read_records(file)
    if not records:
        raise RecordError(f"{file.name} has no records")
    if not -len(records) <= index < len(records):
        raise RecordError(f"{file.name} has {len(records)} records; no index {index}")
    index %= len(records)
    if export is not None and export.suffix == ".svg":
        from marias_env.files import write_text_atomic
        from marias_env.showing.animate import animate

        write_text_atomic(export, animate(records[index], seat, language))
        echo(f"Wrote {export}")
        return
    require(*NEEDED, extra="table")
    from marias_table.agents import check_specs

    check_specs(specs, "--agents")
    if export is not None:
        from marias_env.files import write_text_atomic
        from marias_table.share import share_html

        with progress_bar() as report:
            text = share_html(
                records[index], specs, language, lambda done, of: report("positions", done, of)
            )
        write_text_atomic(export, text)
        echo(f"Wrote {export}")
        return
    from marias_table.agents import AgentPool
    from marias_table.serve import bind, log_to_stderr, run, url_of
    from marias_table.viewer import make_viewer

    log_to_stderr()
    bound = bind("127.0.0.1", port)
    pool = AgentPool(specs, limit=_LIMIT, patience=4 * _LIMIT)
    app = make_viewer(records, file.name, specs, pool, language, index)
    url = url_of(bound)

    def ready() -> None:
        many = f"{len(records)} deals" if len(records) > 1 else "1 deal"
        echo(f"{file.name}, {many}: {url}  (Ctrl-C ends it)")

    run(app, bound, open_browser, ready)


def split_specs(texts: Sequence[str]) -> list[str]:
    """Returns the agents of texts such as `rules,pimc:3,ms=200`, each once, in their order.

    A part with `=` is an option of the agent before it.
    """
    found: list[str] = []
    for text in texts:
        own = False
        for part in text.split(","):
            if own and re.match(r"\w+=", part):
                found[-1] += f",{part}"
            elif part.strip():
                found.append(part.strip())
                own = True
    return list(dict.fromkeys(found))
