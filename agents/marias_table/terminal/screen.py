"""What the terminal's table shows, line by line. Everything is made from views of the watcher's."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from marias_env.actions import BLIND, DISCARD, PLAY
from marias_env.cards import CARD_IDS, SUITS
from marias_env.core.deal import NUM_SEATS
from marias_env.showing.layout import labelled, pad, visible, wrapped
from marias_env.showing.phrases import phrases, suit_name
from marias_env.showing.render import TextTable, render_text
from marias_env.showing.rules_text import rules_text
from marias_env.showing.story import sorted_hand, tricks_of
from marias_env.showing.why import forbidden_cards, why_text
from marias_table.room import Room
from marias_table.view import EVERYTHING, deal_state, view_of

BOLD = "1"
DIM = "2"
REVERSED = "7"


@dataclasses.dataclass(frozen=True)
class Choice:
    """One legal action as it is listed.

    Attributes:
        action: its text.
        label: what it is, painted.
        help: what it means; "" for cards.
        typed: what stands for it on the input line.
    """

    action: str
    label: str
    help: str
    typed: str


class Screen:
    """Writes about one room, as one receiver may see it.

    Args:
        room: the table.
        receiver: a seat, or `view.EVERYTHING`.
        language: `en` or `cs`.
        color: with ANSI colours.
        width: columns.
    """

    def __init__(
        self, room: Room, receiver: int, language: str, color: bool = False, width: int = 84
    ) -> None:
        self.room = room
        self.receiver = receiver
        self.language = language
        self.color = color
        self.width = width
        self.words = phrases(language)

    # ------------------------------------------------------------------ who and where

    def name(self, seat: int) -> str:
        """Returns what a seat is called: its number, and who sits there."""
        chair = self.room.chairs[seat]
        who = chair.name or self.words["terminal_player"]
        return f"{seat} {who if chair.kind == 'person' else short_spec(who)}"

    def names(self) -> list[str]:
        """Returns what the three seats are called."""
        return [self.name(seat) for seat in range(NUM_SEATS)]

    def title(self) -> list[str]:
        """Returns the lines that a deal begins with: its number, and who has how much."""
        match, number = self.room.terms.match, len(self.room.history) + 1
        if match is None:
            text = self.words["deal_number"].format(self.room.deal)
        else:
            text = self.words["deal_of"].format(number, match.deals)
            if match.points is not None:
                text += f", {self.words['to_points'].format(match.points)}"
        return [*self.prose(self._paint(text, BOLD)), *self.prose(self._totals())]

    def _totals(self) -> str:
        totals = self.room.totals
        return " · ".join(f"{self.name(seat)} {totals[seat]:+d}" for seat in range(NUM_SEATS))

    def table(self) -> list[str]:
        """Returns the card table."""
        seat = None if self.receiver == EVERYTHING else self.receiver
        text = render_text(
            self.room.batch, 0, seat, self.language, self.color, self.width, self.names(), True
        )
        return text.splitlines()

    # ------------------------------------------------------------------ the person's turn

    def prompt(self) -> list[str]:
        """Returns what is asked of the person on turn, and what that means."""
        state, words = self._state(), self.words
        phase, deal = state["phase"], view_of(self.room.batch, self.receiver)
        helps = {
            "TRUMP": "help_trump",
            "NAME_TRUMP": "help_name_trump",
            "DISCARD": "help_discard" if state["contract"] == "suit" else "",
        }
        if phase == "PLAY":
            open_trick = bool(state["tricks"]) and state["tricks"][-1]["winner"] is None
            text = words["prompt_play" if open_trick else "prompt_lead"]
            if self.room.deal == 1 and len(state["tricks"]) <= 2 and open_trick:
                helps["PLAY"] = "help_play" if state["contract"] == "suit" else "help_play_notrump"
        else:
            text = words[f"prompt_{phase.lower()}"]
            if phase == "REPLY":
                text = text.format(self.name(state["declarer"]), state["contract_name"])
        hand = int(deal["hands"][self.receiver]).bit_count()
        if phase == "DISCARD" and hand == self.room.terms.rules.hand_size + 1:
            text += f" ({words['discard_count'].format(1)})"
        lines = self.prose(self._paint(text, BOLD))
        if helps.get(phase):
            lines += self.prose(words[helps[phase]])
        return lines

    def choices(self) -> list[Choice]:
        """Returns the legal actions of the person on turn, as they are numbered."""
        state = self._state()
        deal = view_of(self.room.batch, self.receiver)
        table = TextTable(deal, self.room.terms.rules, self.language, self.color)
        place = {card: number for number, card in enumerate(self._hand(deal))}
        legal = sorted(state["legal"], key=lambda one: (place.get(one["id"], 99), one["id"]))
        found = []
        for one in legal:
            card = one["id"] < BLIND
            found.append(
                Choice(
                    one["action"],
                    table.card(one["id"]) if card else one["label"],
                    "" if card else self._help(state, one),
                    one["action"] if card else one["label"],
                )
            )
        return found

    def _hand(self, deal: Any) -> list[int]:
        groups = sorted_hand(int(deal["hands"][self.receiver]), deal)
        return list(itertools.chain(*groups))

    def _help(self, state: dict[str, Any], choice: dict[str, Any]) -> str:
        words, kind, action = self.words, choice["kind"], choice["action"]
        against = "_against" if self.receiver != state["declarer"] else ""
        reply = state["phase"] == "REPLY"
        if kind == "blind":
            return words["help_blind"]
        if kind == "contract":
            pays = words["pays"].format(self.room.terms.rules.tariff[action])
            return f"{words[f'help_{action}']} {pays[:1].upper()}{pays[1:]}."
        if kind == "good":
            return words["help_good" if reply else "help_nothing"]
        if kind == "bad":
            return words["help_bad"]
        if kind == "announce":
            return words[f"help_{action}{against}"]
        if kind == "raise" and reply:
            return words["help_flek_reply"]
        if kind == "raise":
            component = "seven" if action == "flek_seven" else "game"
            stake = next(one for one in state["stakes"] if one["component"] == component)
            label = choice["label"][:1].upper() + choice["label"][1:]
            return words["help_raise"].format(label, stake["name"], 2 * stake["factor"])
        return ""

    def choice_lines(self, choices: Sequence[Choice], chosen: int | None = None) -> list[str]:
        """Returns the legal actions, numbered; cards beside each other, calls below each other.

        Args:
            choices: as of `choices`.
            chosen: index of the one that the cursor is on.
        """
        entries = []
        for index, choice in enumerate(choices):
            label = f"{index + 1}) {choice.label}"
            # As wide with the cursor on it as without.
            on = index == chosen
            label = f"[{self._paint(label, REVERSED)}]" if on else f" {label} "
            entries.append((label, choice.help))
        lines: list[str] = []
        for explained, group in itertools.groupby(entries, key=lambda entry: bool(entry[1])):
            together = list(group)
            lines += self._explained(together) if explained else self._beside(together)
        return lines

    def _beside(self, entries: Sequence[tuple[str, str]]) -> list[str]:
        lines = [""]
        for label, _ in entries:
            if lines[-1] and visible(lines[-1]) + visible(label) > self.width:
                lines.append("")
            lines[-1] += label
        return [line.rstrip() for line in lines]

    def _explained(self, entries: Sequence[tuple[str, str]]) -> list[str]:
        column = max(visible(label) for label, _ in entries) + 1
        if column > self.width // 2:
            column = 4  # the words stand below
        lines: list[str] = []
        for label, text in entries:
            words = wrapped(text, self.width - column)
            if visible(label) < column:
                lines.append(pad(label, column) + words.pop(0))
            else:
                lines.append(label.rstrip())
            lines += [" " * column + line for line in words]
        return lines

    def why(self) -> list[str]:
        """Returns which rules narrow the choice of the person on turn, each with its cards."""
        deal, rules = view_of(self.room.batch, self.receiver), self.room.terms.rules
        table = TextTable(deal, rules, self.language, self.color)
        forbidden = forbidden_cards(deal, rules)
        if not forbidden:
            free = {PLAY: "terminal_free", DISCARD: "terminal_free_discard"}
            return self.prose(self.words[free.get(int(deal["phase"]), "terminal_free_call")])
        hand = self._hand(deal)
        lines = []
        for rule in dict.fromkeys(forbidden.values()):
            cards = table.cards(card for card in hand if forbidden.get(card) == rule)
            said = f"{why_text(rule, deal, self.language)} ({self.words['cannot_play']}: {cards})"
            lines += self.prose(said)
        return lines

    def advice(self, found: dict[str, Any], choices: Sequence[Choice]) -> list[str]:
        """Returns what an agent would do, and why, as `requests.told_advice` tells it."""
        number = [choice.action for choice in choices].index(found["action"]) + 1
        agent = short_spec(found["agent"])
        said = self.words["terminal_advice"].format(agent=agent, label=found["label"])
        lines = self.prose(f"{self._paint(said, BOLD)} ({number})")
        for reason in found["reason"].split("; "):
            lines += wrapped(f"  {reason}", self.width, "    ")
        return lines

    # ------------------------------------------------------------------ looked up at any time

    def last_trick(self) -> list[str]:
        """Returns the last trick that is finished."""
        deal, rules = view_of(self.room.batch, self.receiver), self.room.terms.rules
        table = TextTable(deal, rules, self.language, self.color)
        whole = [trick for trick in tricks_of(deal, rules) if trick.winner is not None]
        if not whole:
            return self.prose(self.words["last_trick_none"])
        return labelled(self.words["last_trick"], table.trick(whole[-1]), self.width)

    def score(self) -> list[str]:
        """Returns what the deals so far have paid, and the totals."""
        lines = []
        for number, paid in enumerate(self.room.history, start=1):
            text = " · ".join(f"{seat} {units:+d}" for seat, units in enumerate(paid))
            lines += labelled(self.words["deal_number"].format(number), text, self.width)
        return [*lines, *labelled(self.words["total"], self._totals(), self.width)]

    def rules(self) -> list[str]:
        """Returns the rules of the table, in short."""
        lines = []
        for title, sentences in rules_text(self.room.terms.rules, self.language, self.room.preset):
            lines.append(self._paint(title, BOLD))
            for sentence in sentences:
                lines += wrapped(f"  {sentence}", self.width, "  ")
        return lines

    def help(self, revoke: bool) -> list[str]:
        """Returns what may be typed.

        Args:
            revoke: forbidden cards may be played.
        """
        words = self.words
        lines = [self._paint(words["terminal_help"], BOLD)]
        rows = [("?", words["terminal_help_hint"])]
        rows += [
            (words[f"terminal_word_{name}"], words[f"terminal_help_{name}"])
            for name in ("why", "table", "last", "score", "rules", "next", "quit")
        ]
        for word, text in rows:
            lines += [f"  {line}" for line in labelled(word, text, self.width - 2)]
        lines += self.prose(words["terminal_help_two"])
        if revoke:
            lines += self.prose(words["terminal_help_revoke"])
        return lines

    # ------------------------------------------------------------------ after a deal

    def settlement(self) -> list[str]:
        """Returns how the deal ended: line by line, who has paid what, and who has won a match."""
        result, room, words = self.room.result(self.language), self.room, self.words
        assert result is not None
        lines = [self._paint(words["settlement"], BOLD)]
        for line in result["lines"]:
            lines += wrapped(f"  {line}", self.width, "    ")
        column = max(visible(name) for name in self.names()) + 2
        for seat, name in enumerate(self.names()):
            paid = f"{result['payments'][seat]:+d}"
            total = words["total_of"].format(f"{room.totals[seat]:+d}")
            lines.append(f"  {name:<{column}}{self._paint(f'{paid:>4}', BOLD)}  ({total})")
        if room.match_over:
            best = max(room.totals)
            names = [self.name(seat) for seat in range(NUM_SEATS) if room.totals[seat] == best]
            said = f"{words['match_over']} · {words['winner'].format(', '.join(names))}"
            lines += self.prose(self._paint(said, BOLD))
        return lines

    def analysis(self, found: dict[str, Any]) -> list[str]:
        """Returns what each card cost and what could have been bid, as `worker.study` found it."""
        words = self.words
        lines = [self._paint(words["analysis"], BOLD)]
        lines += self.prose(words["analysis_help"])
        if found["start"] is not None:
            paid = "–" if found["value"] is None else f"{found['value']:+d}"
            lines += self.prose(words["analysis_start"].format(f"{found['start']:+d}", paid))
        costly = [card for card in found["cards"] if card["cost"] > 0]
        names = self.names()
        column = max(visible(name) for name in names) + 2
        for card in costly:
            better = " ".join(self._card(text) for text in card["better"][:3])
            cost = f"{-card['cost']:+d}"
            said = (
                f"  {words['trick']} {card['trick']:>2}  {names[card['seat']]:<{column}}"
                f"{self._card(card['card'])}  {self._paint(cost, BOLD)}  "
                f"{words['better']}: {better}"
            )
            lines += wrapped(said, self.width, "      ")
        if not costly:
            lines += self.prose(words["analysis_nothing"])
        if found["worths"]:
            lines.append(self._paint(words["what_could_be_bid"], BOLD))
        for worth in found["worths"][:8]:
            away = " ".join(self._card(text) for text in worth["discards"])
            said = f"  {names[worth['seat']]:<{column}}{worth['value']:+d}  {self._bid(worth)}  "
            lines += wrapped(f"{said}{words['put_away']}: {away}", self.width, "      ")
        return lines

    def _bid(self, worth: dict[str, Any]) -> str:
        parts = [self.words[f"contract_{worth['contract']}"]]
        if worth["trump"]:
            parts.append(suit_name(SUITS.index(worth["trump"]), self.language))
        return ", ".join([*parts, *(self.words[said] for said in worth["announced"])])

    # ------------------------------------------------------------------

    def _state(self) -> dict[str, Any]:
        deal = view_of(self.room.batch, self.receiver)
        return deal_state(deal, self.room.terms.rules, self.receiver, self.language)

    def _card(self, text: str) -> str:
        table = TextTable(
            self.room.batch.deals[0], self.room.terms.rules, self.language, self.color
        )
        return table.card(CARD_IDS[text])

    def _paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color else text

    def prose(self, text: str) -> list[str]:
        """Returns a text in lines of the width."""
        return wrapped(text, self.width)


def short_spec(spec: str) -> str:
    """Returns an agent's spec without its options, or the name of its file."""
    head = spec.partition(",")[0]
    return PurePath(head).name if "/" in head or "\\" in head else head
