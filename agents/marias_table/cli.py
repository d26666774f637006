"""The console command `marias serve`; adds it and `marias view`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from marias_env.terminal import echo, require
from marias_table import NEEDED

DEFAULT_PORT: Final = 8765
STRONG: Final = "pimc:10,ms=800"
"""The strongest agent that answers within a second."""
ADVISER: Final = "pimc:10,bids=play,ms=800"
"""The same for advice: it has reasons for its bids too."""


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    from marias_table.cli_view import view_command

    app.command(name="serve")(serve_command)
    app.command(name="view")(view_command)


def serve_command(
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = DEFAULT_PORT,
    db: Annotated[
        str | None,
        typer.Option(help="SQLite file of the tables, or :memory:. Default: in your own folder."),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(help="An agent that people may choose; again for each further one."),
    ] = None,
    opponent: Annotated[
        str | None, typer.Option(help="Who sits at a new table if nobody is named.")
    ] = None,
    adviser: Annotated[str, typer.Option(help="The agent that gives hints.")] = ADVISER,
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="Processes for agents that take their time.")
    ] = 1,
    limit: Annotated[
        float, typer.Option(min=0.1, help="Seconds until an agent is replaced by `rules`.")
    ] = 10.0,
    max_tables: Annotated[int, typer.Option(min=1, help="Open tables.")] = 1000,
    max_sockets: Annotated[int, typer.Option(min=1, help="Connections.")] = 2000,
    per_address: Annotated[
        int, typer.Option(min=1, help="Connections, and new tables an hour, of one address.")
    ] = 100,
    grace: Annotated[
        float, typer.Option(min=0, help="Seconds without a person until an agent plays on.")
    ] = 30.0,
    idle_hours: Annotated[
        float, typer.Option(min=0.01, help="Hours until a table that nobody is at is closed.")
    ] = 72.0,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A name the server is reached by, such as a domain.")
    ] = None,
    proxy: Annotated[
        str, typer.Option(help="Addresses of proxies whose X-Forwarded-For is believed.")
    ] = "127.0.0.1",
    language: Annotated[str, typer.Option("--language", "-l", help="en or cs.")] = "en",
    open_browser: Annotated[
        bool | None, typer.Option("--open/--no-open", help="Open the page in the browser.")
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(help="Write the finished deals of the tables to a file, and serve nothing."),
    ] = None,
) -> None:
    """Serve the table that people play at: open the page, play at once, invite others by a link."""
    require(*NEEDED, extra="table")
    from marias_env.showing.phrases import LANGUAGES
    from marias_table.store import MEMORY, Store

    if language not in LANGUAGES:
        raise typer.BadParameter(f"{language!r}; expected one of {', '.join(LANGUAGES)}")
    path = _default_db() if db is None else db
    if export is not None:
        from marias_env.records import write_records

        if path != MEMORY and not Path(path).is_file():
            raise FileNotFoundError(f"{path}: no such file; name it with --db")
        number = write_records(export, Store(path).records(), check=False)
        echo(f"Wrote {number} deals to {export}")
        return
    from marias_table.agents import AgentPool, check_specs
    from marias_table.limits import Limits, Offer
    from marias_table.serve import bind, log_to_stderr, serve, url_of
    from marias_table.warmup import prepare

    agents = tuple(agent or (STRONG, "rules", "random"))
    offer = Offer(agents, opponent or agents[0], "rules", adviser)
    check_specs(offer.specs, "--agent")
    limits = Limits(
        tables=max_tables,
        tables_per_address=per_address,
        sockets=max_sockets,
        sockets_per_address=per_address,
        grace=grace,
        idle_hours=idle_hours,
    )
    log_to_stderr()
    bound = bind(host, port)
    store = Store(path)
    url = url_of(bound)
    typer.echo("Getting ready ...", err=True)
    prepare(offer.specs)

    def ready() -> None:
        echo(f"The table stands at {url}  (Ctrl-C ends the server; tables stay)")
        if path != MEMORY:
            echo(f"Tables are kept in {path}")

    serve(
        store,
        bound,
        offer=offer,
        limits=limits,
        pool=AgentPool(offer.specs, workers, limit, 2 * limit),
        hosts=allow_host or (),
        proxies=proxy,
        language=language,
        open_browser=host in ("127.0.0.1", "localhost", "::1")
        if open_browser is None
        else open_browser,
        ready=ready,
    )


def _default_db() -> str:
    folder = Path(typer.get_app_dir("marias"))
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder / "tables.sqlite")
