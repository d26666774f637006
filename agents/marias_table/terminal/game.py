"""The course of a sitting in the terminal: who is on turn, what is shown, what is asked."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from marias_env.actions import OVER, PLAY
from marias_env.errors import AgentError
from marias_env.terminal import columns, echo
from marias_table.agents import is_quick
from marias_table.events import event_for
from marias_table.protocol import ErrorCode, ProtocolError
from marias_table.terminal.entry import Entry, EntryError, command_of, read_entry
from marias_table.terminal.players import Players
from marias_table.terminal.reading import LineReader, Reader
from marias_table.terminal.screen import Choice, Screen
from marias_table.terminal.sitting import Sitting
from marias_table.view import EVERYTHING, view_of
from marias_table.worker import study

UNTOLD = ("began", "over", "match_over", "deal")
"""Kinds of events that are shown in another way."""


class QuitError(Exception):
    """The person wants to stop."""


class Game:
    """Plays a sitting.

    Args:
        sitting: the table, and its file.
        players: the agents.
        reader: asks the person.
        color: with ANSI colours.
        width: returns how many columns there are now.
        analyse: show after each deal what its cards cost.
    """

    def __init__(
        self,
        sitting: Sitting,
        players: Players,
        reader: Reader,
        color: bool,
        width: Callable[[], int],
        analyse: bool = True,
    ) -> None:
        self.sitting = sitting
        self.players = players
        self.reader = reader
        self.analyse = analyse
        self.language = sitting.plan.language
        person = sitting.person
        self.receiver = EVERYTHING if person is None else person
        self.screen = Screen(sitting, self.receiver, self.language, color)
        self._width = width
        self._told = 0
        self._shown: tuple[int, int] | None = None
        """The last `place` whose table has been shown."""
        self._pending: list[Entry] = []

    @property
    def words(self) -> dict[str, str]:
        """The words of the language."""
        return self.screen.words

    def run(self) -> None:
        """Plays until the person stops.

        Raises:
            EOFError: no more input.
            KeyboardInterrupt: Ctrl-C, or `kill`.
        """
        sitting = self.sitting
        self._fit()
        if sitting.person is not None:
            lines = isinstance(self.reader, LineReader)
            key = "terminal_welcome_lines" if lines else "terminal_welcome"
            self._say([self.words[key].format(card="Kh")])
        try:
            self._title()
            while True:
                if sitting.over:
                    self._end_of_deal()
                    sitting.next_deal()
                    self._title()
                elif sitting.mover() is None:
                    self._turn()
                else:
                    self._agent()
        except QuitError:
            return

    # ------------------------------------------------------------------ one step

    def _agent(self) -> None:
        mover = self.sitting.mover()
        assert mover is not None
        seat, spec = mover
        before = self._stage()
        if is_quick(spec):
            self.players.move(self.sitting)
        else:
            key = "terminal_thinks" if self.players.ready else "terminal_loads"
            with _Note(self.words[key].format(name=self.screen.name(seat))):
                self.players.move(self.sitting)
        self._tell()
        if self.sitting.person is None and before != self._stage() != (OVER, 0):
            self._watch()

    def _stage(self) -> tuple[int, int]:
        # What a watcher is shown anew: the play that begins, and each trick.
        deal = self.sitting.batch.deals[0]
        phase = int(deal["phase"])
        return (phase, 0) if phase == OVER else (int(phase == PLAY), int(deal["tricks"]))

    def _watch(self) -> None:
        self._fit()
        echo("")
        self._lines(self.screen.table())
        if sys.stdin.isatty():
            self._between("terminal_continue")

    def _between(self, question: str) -> None:
        """Asks whether to go on, where nothing is to be chosen."""
        while True:
            line = self.reader.read(lambda chosen: [self.words[question]], ())
            command = command_of(line)
            if command == "quit":
                raise QuitError
            if not line.strip() or command == "next":
                return
            if command in (None, "hint", "why"):
                self._say([self.words["terminal_not_now"]])
            else:
                self._look_up(command)

    def _turn(self) -> None:
        """The person's action, or a command."""
        seat = self.sitting.person
        assert seat is not None
        if self._pending:
            self._act(seat, self._pending.pop(0))
            return
        self._show_turn()
        choices = self.screen.choices()
        line = self._ask(choices)
        try:
            view = view_of(self.sitting.batch, seat)
            texts = [choice.action for choice in choices]
            entry = read_entry(line, view, self.sitting.terms.rules, texts, self.language)
        except EntryError as error:
            self._say([str(error)])
            return
        if entry.command is not None:
            self._command(entry.command, choices)
            return
        first, *rest = entry.actions
        if self._act(seat, Entry((first,), revoke=entry.revoke)):
            self._pending = [Entry((action,)) for action in rest]

    def _act(self, seat: int, entry: Entry) -> bool:
        """Takes an action; a line says why not."""
        try:
            place = self.sitting.place
            self.sitting.act(seat, entry.actions[0], place, self.language, entry.revoke)
        except ProtocolError as error:
            if error.code != ErrorCode.ILLEGAL_ACTION:
                raise
            self._refuse(error)
            return False
        self._tell()
        self._shown = None
        return True

    def _refuse(self, error: ProtocolError) -> None:
        if error.extra.get("rule") == "not_now":
            labels = ", ".join(choice.typed for choice in self.screen.choices())
            self._say([self.words["why_not_now"].format(legal=labels)])
            return
        self._say([str(error)])
        if self.sitting.terms.rules.illegal_action == "revoke":
            self._say([self.words["terminal_help_revoke"], self.words["revoke_help"]])

    def _show_turn(self) -> None:
        """Shows the table, once for each decision, and what is asked."""
        self._fit()
        if self._shown != self.sitting.place:
            self._shown = self.sitting.place
            echo("")
            self._lines(self.screen.table())
        self._lines(self.screen.prompt())

    def _ask(self, choices: Sequence[Choice]) -> str:
        def draw(chosen: int | None) -> list[str]:
            self._fit()
            return self.screen.choice_lines(choices, chosen)

        return self.reader.read(draw, [choice.typed for choice in choices])

    def _command(self, command: str, choices: Sequence[Choice]) -> None:
        screen = self.screen
        if command == "quit":
            raise QuitError
        if command == "hint":
            self._hint(choices)
        elif command == "why":
            self._lines(screen.why())
        elif command == "next":
            self._say([self.words["terminal_over_first"]])
        elif command == "table":
            self._shown = None
        else:
            self._look_up(command)

    def _look_up(self, command: str) -> None:
        """What may be asked in a deal and after it."""
        screen = self.screen
        if command == "last":
            self._lines(screen.last_trick())
        elif command == "score":
            self._lines(screen.score())
        elif command == "rules":
            self._lines(screen.rules())
        elif command == "table":
            self._lines(screen.table())
        elif command == "help":
            self._lines(screen.help(self.sitting.terms.rules.illegal_action == "revoke"))

    def _hint(self, choices: Sequence[Choice]) -> None:
        seat = self.sitting.person
        assert seat is not None
        try:
            with _Note(self.words["hint_wait"]):
                found = self.players.advise(self.sitting, seat, self.language)
        except AgentError as error:
            self._say([self.words["terminal_no_advice"].format(why=error)])
            return
        told = {**found, "agent": self.players.adviser}
        self._lines(self.screen.advice(told, choices))

    # ------------------------------------------------------------------ between deals

    def _end_of_deal(self) -> None:
        self._fit()
        echo("")
        self._lines(self.screen.table())
        echo("")
        self._lines(self.screen.settlement())
        if self.analyse:
            self._analysis()
        over = self.sitting.match_over
        if self.sitting.person is None and not sys.stdin.isatty():
            # Nobody is there to be asked: one deal, or the whole match.
            if over or self.sitting.terms.match is None:
                raise QuitError
            return
        echo("")
        self._between("terminal_after_match" if over else "terminal_after")

    def _analysis(self) -> None:
        record = self.sitting.file.record()
        echo("")
        with _Note(self.words["analysis_wait"]):
            found: dict[str, Any] = study(record)
        self._lines(self.screen.analysis(found))

    # ------------------------------------------------------------------ output

    def _title(self) -> None:
        self._fit()
        echo("")
        self._lines(self.screen.title())

    def _tell(self) -> None:
        """Says what has happened since the last time."""
        names = self.screen.names()
        for happening in self.sitting.events:
            if happening.seq > self._told and happening.kind not in UNTOLD:
                event = event_for(happening, self.receiver, self.language, names)
                self._say([event["text"]])
        self._told = self.sitting.seq

    def _fit(self) -> None:
        self.screen.width = self._width()

    def _say(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._lines(self.screen.prose(text))

    @staticmethod
    def _lines(lines: Sequence[str]) -> None:
        for line in lines:
            echo(line)


class _Note:
    """A line that stands on a terminal for as long as something takes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.shown = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"

    def __enter__(self) -> None:
        if self.shown:
            echo(self.text[: columns(20, 200)])

    def __exit__(self, *error: object) -> None:
        if self.shown:
            sys.stdout.write("\x1b[1A\x1b[2K")  # up, and the line is empty again
            sys.stdout.flush()
