"""The console command `marias play`."""

from __future__ import annotations

import os
import secrets
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from marias_env.cli_records import Rules as RulesOption
from marias_env.errors import OptionError
from marias_env.terminal import columns, echo, require
from marias_table import NEEDED
from marias_table.cli import ADVISER, STRONG

if TYPE_CHECKING:
    from marias_env.match import Match
    from marias_env.rules import Rules
    from marias_table.terminal.sitting import Plan

WATCH: Final = "watch"
_FIXED: Final = ("rules", "match", "seat", "agent", "seed", "name")
"""Options that a sitting is begun with, and that nothing changes later."""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(name="play")(play_command)


def play_command(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(help="Where the deals are kept, .jsonl. Default: in your own folder."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with FILE, or with the game played last.")
    ] = False,
    rules: RulesOption = "traditional",
    match: Annotated[
        str | None,
        typer.Option(
            help="standard (the match of the rules), or a number of deals, points after a comma: "
            "20,points=20. Default: single deals."
        ),
    ] = None,
    seat: Annotated[
        str, typer.Option(help="Your seat: 0, 1 or 2; or watch, and agents play in all three.")
    ] = "0",
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="Who plays in the other seats, clockwise from your left; again for the next."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**53 - 1, help="What all cards follow from.")
    ] = None,
    name: Annotated[str, typer.Option(help="What you are called, here and in the records.")] = "",
    language: Annotated[
        str | None, typer.Option("--language", "--lang", "-l", help="en or cs.")
    ] = None,
    adviser: Annotated[str, typer.Option(help="The agent that gives advice.")] = ADVISER,
    limit: Annotated[
        float, typer.Option(min=0.1, help="Seconds until an agent is replaced by `rules`.")
    ] = 10.0,
    analysis: Annotated[
        bool, typer.Option(help="Show after each deal what every card cost.")
    ] = True,
) -> None:
    """Play in the terminal against agents; every action is kept, and --resume goes on there."""
    require(*NEEDED, extra="table")
    from marias_env.showing.phrases import LANGUAGES, phrases
    from marias_env.showing.render import MIN_WIDTH, WIDTH
    from marias_table.agents import check_specs
    from marias_table.terminal import sitting as sittings
    from marias_table.terminal.game import Game
    from marias_table.terminal.players import Players
    from marias_table.terminal.reading import reader_for_terminal

    if language is not None and language not in LANGUAGES:
        raise typer.BadParameter(f"{language!r}; expected one of {', '.join(LANGUAGES)}")

    def check(plan: Plan) -> None:
        check_specs([spec for spec in plan.seats if spec], "--agent")
        check_specs([adviser], "--adviser")

    if resume:
        _refuse_fixed(context)
        sitting = sittings.resume(file or sittings.latest(_folder()), language)
    else:
        plan = _plan(rules, match, seat, agent, seed, name, language or "en")
        check(plan)
        sitting = sittings.begin(plan, file or _new_file())
    words = phrases(sitting.plan.language)
    path = shlex.quote(str(sitting.path))
    if resume:
        check(sitting.plan)
        echo(words["terminal_resumed"].format(file=path, number=sitting.deal))
    players = Players([chair.agent for chair in sitting.chairs if chair.agent], adviser, limit)
    game = Game(
        sitting,
        players,
        reader_for_terminal(),
        color=not os.environ.get("NO_COLOR"),
        width=lambda: columns(MIN_WIDTH, WIDTH),
        analyse=analysis,
    )

    def kept() -> None:
        key = "terminal_kept_over" if sitting.over else "terminal_kept"
        echo("\n" + words[key].format(file=path))

    try:
        game.run()
    except EOFError:
        kept()
    except KeyboardInterrupt:
        kept()
        raise
    else:
        kept()
    finally:
        players.close()


def _plan(
    rules: str,
    match: str | None,
    seat: str,
    agents: list[str] | None,
    seed: int | None,
    name: str,
    language: str,
) -> Plan:
    from marias_env.rules import get_rules
    from marias_table.lobby import Lobby
    from marias_table.protocol import ProtocolError
    from marias_table.terminal.sitting import MAX_SEED, Plan

    found = get_rules(rules)
    try:
        shown = Lobby.name_of(name)
    except ProtocolError as error:
        raise typer.BadParameter(f"--name: {error}") from error
    return Plan(
        found,
        None if match is None else _match(match, found),
        _seats(seat, agents or [STRONG]),
        shown,
        secrets.randbelow(MAX_SEED) if seed is None else seed,
        language,
    )


def _match(text: str, rules: Rules) -> Match:
    """Returns the match of a text: `standard`, or `6`, or `20,points=20`."""
    from marias_env.match import Match, standard_match
    from marias_env.options import Whole, check
    from marias_table.protocol import MAX_DEALS

    if text == "standard":
        return standard_match(rules)
    deals, comma, points = text.partition(",")
    value = points.removeprefix("points=")
    if comma and value == points:
        raise OptionError(f"--match {text!r}; expected standard, 6 or 20,points=20")
    bound, most = Whole(1, 1_000_000), Whole(1, MAX_DEALS)
    return Match(
        check("match deals", most.read(deals), most, OptionError),
        check("match points", bound.read(value), bound, OptionError) if comma else None,
    )


def _seats(seat: str, agents: list[str]) -> tuple[str | None, str | None, str | None]:
    """Returns who sits where; None: the person."""
    from marias_env.core.deal import NUM_SEATS

    if seat not in ("0", "1", "2", WATCH):
        raise typer.BadParameter(f"--seat {seat!r}; expected 0, 1, 2 or {WATCH}")
    others = 3 if seat == WATCH else 2
    if len(agents) not in (1, others):
        raise typer.BadParameter(
            f"--agent {len(agents)} times; expected once for all, or {others} times"
        )
    left = [agents[0]] * others if len(agents) == 1 else agents
    if seat == WATCH:
        return left[0], left[1], left[2]
    found: list[str | None] = [None, None, None]
    for number, spec in enumerate(left, start=1):
        found[(int(seat) + number) % NUM_SEATS] = spec
    return found[0], found[1], found[2]


def _refuse_fixed(context: typer.Context) -> None:
    for name in _FIXED:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(f"--{name} with --resume; the game goes on as it was begun")


def _folder() -> Path:
    folder = Path(typer.get_app_dir("marias")) / "play"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _new_file() -> Path:
    stamp = time.strftime("%Y-%m-%d-%H%M%S")
    paths = (_folder() / f"{stamp}{more}.jsonl" for more in ("", *(f"-{n}" for n in range(2, 100))))
    return next(path for path in paths if not path.exists())
