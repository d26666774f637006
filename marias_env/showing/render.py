"""A card table as text, for people: `ansi` and `human` rendering and the console command."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from marias_env.actions import (
    BAD,
    BLIND,
    CONTRACT_0,
    FLEK_GAME,
    GOOD,
    HUNDRED,
    NAME_TRUMP_0,
    NO_CONTRACT,
    OVER,
    REPLY,
    SEVEN,
    SUIT_GAME,
)
from marias_env.batch import DealBatch
from marias_env.cards import CARDS, SUIT_SYMBOLS, cards_of
from marias_env.core.deal import (
    DECLARER,
    DEFENDERS,
    GAME,
    NO_CARD,
    NOBODY,
    NUM_SEATS,
    SEVEN_COMPONENT,
)
from marias_env.core.worth import marriage_worth
from marias_env.rules import Rules, preset_and_options
from marias_env.showing.explain import points_text, settlement_lines
from marias_env.showing.layout import ends, labelled, pad, visible, wrapped
from marias_env.showing.phrases import (
    CONTRACT_NAMES,
    PHASE_NAMES,
    level_name,
    phrases,
    rank_sign,
    suit_name,
)
from marias_env.showing.story import Call, Trick, calls_of, hand_counts, sorted_hand, tricks_of

WIDTH: Final = 84
"""Columns of the card table as text, where nothing else is asked for."""
MIN_WIDTH: Final = 40
BACK: Final = "▒"
# Four colours, so that ♠ and ♣ as well as ♦ and ♥ are told apart at a glance.
_SUIT_COLOURS: Final = ("1;34", "1;32", "1;33", "1;31")


class TextTable:
    """Writes parts of one deal, or of an information view of it, as text.

    Args:
        deal: a DEAL record.
        rules: its rules.
        language: `en` or `cs`.
        color: with ANSI colours; without them the text holds no escape codes.
        symbols: cards as on a picture of the table (`10♥`); without them as everywhere else (`Th`).

    Raises:
        ValueError: no such language.
    """

    def __init__(
        self,
        deal: Any,
        rules: Rules,
        language: str = "en",
        color: bool = True,
        symbols: bool = True,
    ) -> None:
        self.deal = deal
        self.rules = rules
        self.language = language
        self.color = color
        self.symbols = symbols
        self.words = phrases(language)
        self.counts = hand_counts(deal, rules)

    def sign(self, card: int) -> str:
        """Returns the sign of a card's rank."""
        return rank_sign(card, self.language)

    def paint(self, text: str, code: str) -> str:
        """Returns a text in a colour, if there are colours."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and text and code else text

    def card(self, card: int) -> str:
        """Returns a card such as `10♥`, or `Th`."""
        if card < 0:
            return self.paint(BACK, "2")
        text = self.sign(card) + SUIT_SYMBOLS[card // 8] if self.symbols else CARDS[card]
        return self.paint(text, _SUIT_COLOURS[card // 8])

    def cards(self, cards: Iterable[int]) -> str:
        """Returns some cards in the order given."""
        return " ".join(self.card(card) for card in cards)

    def suit(self, suit: int) -> str:
        """Returns a suit's name, with its symbol."""
        name = suit_name(suit, self.language)
        if self.symbols:
            name = f"{SUIT_SYMBOLS[suit]} {name}"
        return self.paint(name, _SUIT_COLOURS[suit])

    def hand(self, seat: int) -> str:
        """Returns a hand: what is known of it by suit, then card backs with their number."""
        known = int(self.deal["hands"][seat])
        groups = []
        for group in sorted_hand(known, self.deal):
            if not self.symbols:
                groups.append(self.cards(group))
                continue
            ranks = " ".join(self.sign(card) for card in group)
            suit = group[0] // 8
            groups.append(self.paint(f"{SUIT_SYMBOLS[suit]} {ranks}", _SUIT_COLOURS[suit]))
        hidden = self.counts[seat] - len(cards_of(known))
        if hidden > 0:
            groups.append(self.paint(BACK * hidden, "2") + f" {hidden}")
        return "  ".join(groups)

    def roles(self, seat: int) -> str:
        """Returns what a seat is in this deal."""
        found = []
        if self.deal["contract"] != NO_CONTRACT:
            found.append(self.words["declarer" if seat == self.deal["declarer"] else "defender"])
        if seat == (self.deal["dealer"] + 1) % NUM_SEATS:
            found.append(self.words["forehand"])
        if seat == self.deal["dealer"]:
            found.append(self.words["dealer"])
        return ", ".join(found)

    def contract(self) -> str:
        """Returns contract, trumps as far as known, and declarer."""
        deal, words = self.deal, self.words
        parts = []
        if deal["contract"] == NO_CONTRACT:
            parts.append(words["no_contract"])
        else:
            parts.append(CONTRACT_NAMES[self.language][deal["contract"]])
        shown = bool(deal["trump_shown"])
        if deal["contract"] == SUIT_GAME or deal["contract"] == NO_CONTRACT:
            chosen = self.rules.dealing == "chosen_trump"
            if shown:
                parts.append(f"{words['trumps']} {self.suit(int(deal['trump']))}")
            elif deal["trump_card"] != NO_CARD:
                parts.append(f"{words['trump_card']} {self.card(int(deal['trump_card']))}")
            elif deal["contract"] == SUIT_GAME:
                parts.append(words["trumps_hidden" if chosen else "trumps_unnamed"])
            if deal["blind"]:
                parts.append(words["blind"])
        if deal["contract"] != NO_CONTRACT:
            seat = words["seat"].format(deal["declarer"])
            parts.append(f"{words['declarer']} {seat}")
        return " · ".join(parts)

    def stakes(self) -> str:
        """Returns the components at stake with their levels; empty before there is one."""
        deal, words = self.deal, self.words
        if deal["contract"] == NO_CONTRACT:
            return ""

        def stake(name: str, level: int) -> str:
            return f"{name} ×{1 << level} ({level_name(level)})" if level else f"{name} ×1"

        game = CONTRACT_NAMES[self.language][deal["contract"]]
        if deal["contract"] == SUIT_GAME:
            game = words["game"]
            if deal["hundred_side"] != NOBODY:
                game = words["hundred" if deal["hundred_side"] == DECLARER else "hundred_against"]
        parts = [stake(game, int(deal["levels"][GAME]))]
        if deal["seven_side"] != NOBODY:
            seven = words["seven" if deal["seven_side"] == DECLARER else "seven_against"]
            parts.append(stake(seven, int(deal["levels"][SEVEN_COMPONENT])))
        return " · ".join(parts)

    def marriages(self, seat: int) -> str:
        """Returns the marriages a seat has scored."""
        found = []
        for suit in range(4):
            if int(self.deal["marriages"][seat]) >> suit & 1:
                worth = int(marriage_worth(suit, int(self.deal["trump"])))
                found.append(self.paint(f"{worth}{SUIT_SYMBOLS[suit]}", _SUIT_COLOURS[suit]))
        return " ".join(found)

    def trick(self, trick: Trick) -> str:
        """Returns a trick: who played what, marriages, who took it and its points."""
        married = {seat: worth for seat, _, worth in trick.marriages}
        parts = []
        for seat, card in trick.cards:
            part = f"{seat} {self.card(card)}"
            if seat in married:
                part += f" ({self.words['marriage']} {married[seat]})"
            parts.append(part)
        text = " · ".join(parts)
        if trick.winner is not None:
            text += f" → {trick.winner}"
            if self.deal["contract"] == SUIT_GAME and trick.points:
                text += f" (+{trick.points})"
        return text

    def action(self, action: int, seat: int, level: int = 0, reply: bool = False) -> str:
        """Returns an action in words.

        Args:
            action: action id.
            seat: who takes it.
            level: level that a raise brings its component to.
            reply: whether `good` accepts a contract, else it means nothing more.
        """
        words = self.words
        if action < BLIND:
            return self.card(action)
        if action == BLIND:
            return words["blind"]
        if action < CONTRACT_0:
            return self.suit(action - NAME_TRUMP_0)
        if action < GOOD:
            return CONTRACT_NAMES[self.language][action - CONTRACT_0]
        if action == GOOD:
            return words["good" if reply else "more"]
        if action == BAD:
            return words["bad"]
        against = "_against" if seat != self.deal["declarer"] else ""
        if action == SEVEN:
            return words[f"seven{against}"]
        if action == HUNDRED:
            return words[f"hundred{against}"]
        name = level_name(level) if level else level_name(1)
        if self.deal["contract"] != SUIT_GAME:
            return name
        return f"{name} ({words['game' if action == FLEK_GAME else 'seven']})"

    def call(self, call: Call, reply: bool) -> str:
        """Returns what was said or done in one entry of the bidding; by whom stands in it."""
        if call.kind == "discard":
            return f"{self.words['puts_away']} {self.cards(call.cards)}"
        if call.kind == "trump":
            if call.action == BLIND:
                return self.words["chooses_blind"]
            return f"{self.words['chooses_trump']} {self.card(call.action)}"
        return self.action(call.action, call.seat, call.level, reply)

    def calls(self) -> list[tuple[Call, str]]:
        """Returns everything before the first trick, each entry with its words."""
        entries = []
        # A `good` accepts until both others have said it in a row; later ones end a turn.
        accepted = 0
        for call in calls_of(self.deal, self.rules):
            reply = accepted < 2
            if call.kind == "call":
                if reply and call.action in (GOOD, FLEK_GAME):
                    accepted += 1
                elif call.action == BAD:
                    accepted = 0
            entries.append((call, self.call(call, reply)))
        return entries

    def bidding(self) -> list[str]:
        """Returns everything before the first trick, an entry each, with its seat."""
        return [f"{call.seat} {text}" for call, text in self.calls()]


def deal_for(batch: DealBatch, row: int, perspective: int | None) -> Any:
    """Returns a row's DEAL record, or the information view of one seat.

    Raises:
        IndexError: no such row.
        ValueError: no such seat.
    """
    if perspective is None:
        return batch.deals[row]
    return batch.views([row], [perspective]).deals[0]


def render_text(
    batch: DealBatch,
    row: int = 0,
    perspective: int | None = None,
    language: str = "en",
    color: bool = True,
    width: int = WIDTH,
    names: Sequence[str] | None = None,
    brief: bool = False,
) -> str:
    """Returns a readable card table.

    Args:
        batch: any batch.
        row: index of the row.
        perspective: seat whose knowledge is shown, at the bottom; None shows every card.
        language: `en` or `cs`.
        color: with ANSI colours.
        width: columns of the table, at least 40.
        names: what the three seats are called; None: `0`, `1`, `2`.
        brief: without the legal actions and the result, which whoever asks shows himself.

    Raises:
        IndexError: no such row.
        ValueError: no such seat or language, or too few columns.
    """
    if width < MIN_WIDTH:
        raise ValueError(f"width: {width}; expected at least {MIN_WIDTH} columns")
    table = TextTable(deal_for(batch, row, perspective), batch.rules, language, color)
    deal, words = table.deal, table.words
    preset, options = preset_and_options(batch.rules)
    title = "Mariáš · " + preset + (f" (+{len(options)})" if options else "")
    phase = PHASE_NAMES[language][deal["phase"]]
    if int(deal["tricks"]) < batch.rules.hand_size and deal["phase"] == OVER - 1:
        phase += f", {words['trick']} {int(deal['tricks']) + 1}/{batch.rules.hand_size}"
    room = width - 4
    lines = [*ends(table.paint(title, "1"), phase, room), *wrapped(table.contract(), room)]
    if table.stakes():
        lines += wrapped(table.stakes(), room)
    lines.append("")
    last = 2 if perspective is None else perspective
    seats = ((last + 1) % NUM_SEATS, (last + 2) % NUM_SEATS, last)
    who = {seat: _who(table, seat, names[seat] if names else None) for seat in seats}
    column = max(28, *(visible(text) + 2 for text in who.values()))
    for seat in seats:
        lines += _seat_lines(table, seat, pad(who[seat], column), room)
    lines += ["", *_facts(table, perspective, brief, room)]
    rule = "─" * (width - 2)
    framed = [f"│{pad(' ' + line, width - 2)}│" if line else f"├{rule}┤" for line in lines]
    return "\n".join([f"╭{rule}╮", *framed, f"╰{rule}╯"])


def _who(table: TextTable, seat: int, name: str | None) -> str:
    roles = table.roles(seat)
    who = str(seat) if name is None else f"{name} ·" if roles else name
    return f"{'▶' if seat == table.deal['turn'] else ' '} {who} {roles}"


def _seat_lines(table: TextTable, seat: int, who: str, room: int) -> list[str]:
    deal = table.deal
    who = table.paint(who, "1" if seat == deal["turn"] else "")
    won = f"{table.words['tricks']} {deal['tricks_won'][seat]}"
    right = " ".join(part for part in (table.marriages(seat), won) if part)
    hand = table.hand(seat)
    whole = ends(who + hand, right, room)
    if len(whole) == 1:
        return whole
    return [*ends(who, right, room), *(f"    {line}" for line in wrapped(hand, room - 4))]


def _facts(table: TextTable, perspective: int | None, brief: bool, room: int) -> list[str]:
    # Talon, table, last trick, points, bidding, and what may be done or what was paid.
    deal, words = table.deal, table.words
    rows: list[tuple[str, str]] = []
    talon = cards_of(deal["talon"])
    if talon:
        rows.append((words["talon"], table.cards(talon)))
    elif perspective is not None and deal["discards"][perspective]:
        rows.append((words["discards"], table.cards(cards_of(deal["discards"][perspective]))))
    tricks = tricks_of(deal, table.rules)
    whole = [trick for trick in tricks if trick.winner is not None]
    if tricks and tricks[-1].winner is None:
        text = table.trick(tricks[-1])
        rows.append((words["table"], f"{text}   {words['wins'].format(deal['best_seat'])}"))
    if whole:
        rows.append((words["last_trick"], table.trick(whole[-1])))
    if deal["contract"] == SUIT_GAME and tricks:
        declarer, defenders = points_text(deal, DECLARER), points_text(deal, DEFENDERS)
        text = f"{words['declarer']} {declarer} · {words['defenders']} {defenders}"
        rows.append((words["points"], text))
    bidding = table.bidding()
    if bidding:
        rows.append((words["bidding"], " · ".join(bidding)))
    legal = [action for action in range(48) if int(deal["legal"]) >> action & 1]
    if legal and not brief:
        seat, reply = int(deal["turn"]), bool(deal["phase"] == REPLY)
        rows.append((words["to_act"], f"{seat}: " + _choices(table, legal, seat, reply)))
    elif deal["phase"] != OVER:
        rows.append((words["to_act"], str(deal["turn"])))
    elif not brief:
        result = settlement_lines(deal, table.rules, table.language)
        rows.append((words["result"], " · ".join(result)))
        paid = " · ".join(f"{seat}: {units:+d}" for seat, units in enumerate(deal["payments"]))
        rows.append((words["payments"], table.paint(paid, "1")))
    return [line for label, text in rows for line in labelled(label, text, room)]


def _choices(table: TextTable, legal: list[int], seat: int, reply: bool) -> str:
    named = []
    for action in legal:
        level = 0
        if action >= FLEK_GAME:
            level = int(table.deal["levels"][action - FLEK_GAME]) + 1
        named.append(table.action(action, seat, level, reply))
    return " · ".join(named) if legal[0] >= BLIND else "  ".join(named)
