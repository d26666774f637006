"""What the terminal prints before the end of a deal does not depend on cards that are hidden."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from marias_env.actions import ACTIONS
from marias_env.core.history import history_of
from marias_env.rules import RULES
from marias_table.protocol import ProtocolError
from marias_table.terminal import screen
from marias_table.terminal.game import Game
from marias_table.terminal.players import Players
from marias_table.terminal.sitting import Plan, Sitting
from tests.hidden import permuted
from tests.table.test_leaks import PRESETS, Stacked, played

LOOKED_UP = ("?", "why", "last", "score", "table")


class Repeated(Players):
    """Agents that do what was done in a deal, whatever they hold."""

    actions: list[tuple[int, int]]

    def move(self, room: Any) -> None:
        seat, action = self.actions.pop(0)
        room.play(seat, action, "rules")


class Script:
    """Looks everything up, then types what was done in a deal."""

    def __init__(self, actions: list[tuple[int, int]]) -> None:
        self.actions = actions
        self.asked = 0

    def read(self, draw: Callable[[int | None], Sequence[str]], typed: Sequence[str]) -> str:
        for line in draw(0):
            print(line)
        self.asked += 1
        if self.asked <= len(LOOKED_UP):
            return LOOKED_UP[self.asked - 1]
        self.asked = 0
        if not self.actions:
            raise EOFError
        return ACTIONS[self.actions.pop(0)[1]]


def printed(
    preset: str, deal: Any, seat: int, language: str, file: Path, capsys: Any
) -> str | None:
    """All that is printed up to where a deal stands; None: it cannot be played so."""
    rules = RULES[preset]
    seats: list[str | None] = ["rules", "rules", "rules"]
    seats[seat] = None
    file.unlink(missing_ok=True)
    plan = Plan(rules, None, (seats[0], seats[1], seats[2]), "", 0, language)
    sitting = Sitting(plan, file)
    sitting._cards = sitting._rng = Stacked(0)
    sitting._cards.deck = deal["deck"][: rules.num_cards].tolist()
    sitting.begin()
    sitting.batch.set_decks(sitting._cards.deck, int(deal["dealer"]))
    players = Repeated((), "rules", 10.0)
    # One list: whoever is on turn takes the next action off it.
    players.actions = history_of(deal)
    script = Script(players.actions)
    capsys.readouterr()
    try:
        Game(sitting, players, script, True, lambda: 80).run()
    except EOFError:
        return capsys.readouterr().out  # type: ignore[no-any-return]
    except (IndexError, ProtocolError, ValueError):
        return None
    return None


def compare(deals: int, file: Path, capsys: Any) -> None:
    compared = seed = 0
    while compared < deals:
        seed += 1
        assert seed < 4 * deals + 20, "too few deals can be played with exchanged cards"
        preset, language = PRESETS[seed % 3], ("en", "cs")[seed % 2]
        batch = played(preset, seed)
        rng = np.random.default_rng(seed + 10**6)
        seat = int(rng.integers(3))
        deal = batch.deals[0]
        other = permuted(deal, seat, batch.rules, rng)
        if other is None or other["deck"].tolist() == deal["deck"].tolist():
            continue
        if int(deal["turn"]) != seat:
            continue  # the script ends where the person is asked
        swapped = printed(preset, other, seat, language, file, capsys)
        if swapped is None:
            continue
        told = printed(preset, deal, seat, language, file, capsys)
        assert told is not None
        assert told == swapped, f"seed {seed}, seat {seat}"
        compared += 1


def test_swapped_hidden_cards_change_no_letter(tmp_path: Path, capsys: Any) -> None:
    compare(20, tmp_path / "deal.jsonl", capsys)


@pytest.mark.slow
def test_swapped_hidden_cards_change_no_letter_in_500_deals(tmp_path: Path, capsys: Any) -> None:
    compare(500, tmp_path / "deal.jsonl", capsys)


def test_the_comparison_would_see_a_leak(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def everything(batch: Any, *args: Any) -> str:
        return str(batch.deals[0]["hands"])

    monkeypatch.setattr(screen, "render_text", everything)
    with pytest.raises(AssertionError, match="seed"):
        compare(4, tmp_path / "deal.jsonl", capsys)
