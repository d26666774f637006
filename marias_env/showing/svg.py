"""A card table as SVG, without dependencies: for notebooks and for `marias replay --svg`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from marias_env.actions import OVER, SUIT_GAME
from marias_env.cards import SUIT_SYMBOLS, cards_of
from marias_env.core.deal import DECLARER, DEFENDERS, NUM_SEATS
from marias_env.showing.card_faces.shapes import SUIT_INKS
from marias_env.showing.explain import points_text, settlement_lines
from marias_env.showing.phrases import PHASE_NAMES
from marias_env.showing.render import TextTable, deal_for
from marias_env.showing.story import sorted_hand, tricks_of

if TYPE_CHECKING:
    from marias_env.batch import DealBatch
    from marias_env.rules import Rules

WIDTH: Final = 900
HEIGHT: Final = 620
CARD_WIDTH: Final = 58
CARD_HEIGHT: Final = 84
HAND_ROOM: Final = 420
TALON: Final = (800, 262, 130)
"""Middle, upper edge and room of the talon."""
_STYLE: Final = (
    "text{font-family:'DejaVu Sans',Verdana,sans-serif;fill:#f1f5ee}"
    ".s{font-size:13px}.n{font-size:15px;font-weight:bold}.t{font-size:17px;font-weight:bold}"
    ".r{font-size:17px;font-weight:bold}.p{font-size:30px}"
)


class Picture(str):
    """An SVG document that notebooks show as a picture."""

    def _repr_svg_(self) -> str:
        return str(self)


def render_svg(
    batch: DealBatch, row: int = 0, perspective: int | None = None, language: str = "en"
) -> Picture:
    """Returns a picture of the card table, 900 x 620.

    Args:
        batch: any batch.
        row: index of the row.
        perspective: seat whose knowledge is shown, at the bottom; None shows every card.
        language: `en` or `cs`.

    Raises:
        IndexError: no such row.
        ValueError: no such seat or language.
    """
    return draw(deal_for(batch, row, perspective), batch.rules, perspective, language)


def draw(deal: Any, rules: Rules, perspective: int | None, language: str) -> Picture:
    """Returns a picture of a DEAL record or of a seat's view of it (arguments as `render_svg`)."""
    table = TextTable(deal, rules, language, color=False)
    bottom = bottom_seat(deal, perspective)
    body: list[str] = []
    for seat, (x, y) in seat_places(bottom).items():
        body += plate(table, seat, x, y)
        body += _hand(table, seat, x, y)
    body += _trick(table, bottom)
    body += facts(table)
    talon = talon_cards(table)
    for card, left in zip(talon, card_places(len(talon), *TALON[::2])):
        body.append(card_face(left, TALON[1], card, table.sign(card)))
    return document("".join(body))


def document(body: str, style: str = "") -> Picture:
    """Returns a table of the usual size with something on it."""
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}"><style>{_STYLE}{style}</style>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="18" fill="#14532d"/>'
        '<ellipse cx="450" cy="318" rx="250" ry="112" fill="#1a6b3a" stroke="#0d3b20"/>'
        f"{body}</svg>\n"
    )


def bottom_seat(deal: Any, perspective: int | None) -> int:
    """Returns who sits at the bottom: forehand, or whose eyes it is seen through."""
    return int(deal["dealer"] + 1) % NUM_SEATS if perspective is None else perspective


def seat_places(bottom: int) -> dict[int, tuple[int, int]]:
    """Returns the middle of each hand's upper edge by seat.

    Clockwise as at a table: the next player sits on the left.
    """
    return {
        bottom: (450, 508),
        (bottom + 1) % NUM_SEATS: (230, 66),
        (bottom + 2) % NUM_SEATS: (670, 66),
    }


def trick_places(bottom: int) -> dict[int, tuple[int, int]]:
    """Returns where a card of each seat lies on the table."""
    return {
        bottom: (421, 322),
        (bottom + 1) % NUM_SEATS: (330, 252),
        (bottom + 2) % NUM_SEATS: (512, 252),
    }


def text(x: float, y: float, line: str, style: str = "s", anchor: str = "middle") -> str:
    """Returns a line of text."""
    escaped = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f'<text x="{x:g}" y="{y:g}" class="{style}" text-anchor="{anchor}">{escaped}</text>'


def card_face(x: float, y: float, card: int, sign: str, edge: str = "#94a3b8") -> str:
    """Returns a card at a place."""
    ink = SUIT_INKS[card // 8]
    symbol = SUIT_SYMBOLS[card // 8]
    return (
        f'<g transform="translate({x:g},{y:g})">'
        f'<rect width="{CARD_WIDTH}" height="{CARD_HEIGHT}" rx="7" fill="#fffdf5" stroke="{edge}"'
        f' stroke-width="{1 if edge == "#94a3b8" else 3}"/>'
        f'<text x="6" y="19" class="r" style="fill:{ink}">{sign}</text>'
        f'<text x="6" y="36" class="r" style="fill:{ink}">{symbol}</text>'
        f'<text x="34" y="70" class="p" text-anchor="middle" style="fill:{ink}">{symbol}</text></g>'
    )


def card_back(x: float, y: float) -> str:
    """Returns the back of a card at a place."""
    return (
        f'<g transform="translate({x:g},{y:g})">'
        f'<rect width="{CARD_WIDTH}" height="{CARD_HEIGHT}" rx="7" '
        'fill="#7f1d1d" stroke="#fef3c7"/>'
        f'<rect x="6" y="6" width="{CARD_WIDTH - 12}" height="{CARD_HEIGHT - 12}" rx="4" '
        'fill="none" stroke="#fbbf24" stroke-dasharray="3 3"/></g>'
    )


def card_places(count: int, x: float, room: float) -> list[float]:
    """Returns the left edges of cards side by side around x, overlapping as the room needs."""
    step = min(CARD_WIDTH + 4.0, (room - CARD_WIDTH) / max(count - 1, 1))
    left = x - (step * (count - 1) + CARD_WIDTH) / 2
    return [left + number * step for number in range(count)]


def _hand(table: TextTable, seat: int, x: int, y: int) -> list[str]:
    hand = [c for group in sorted_hand(int(table.deal["hands"][seat]), table.deal) for c in group]
    hand += [-1] * (table.counts[seat] - len(hand))
    return [
        card_back(left, y) if card < 0 else card_face(left, y, card, table.sign(card))
        for card, left in zip(hand, card_places(len(hand), x, HAND_ROOM))
    ]


def plate(table: TextTable, seat: int, x: int, y: int) -> list[str]:
    """Returns what is written above and below a seat's cards."""
    deal = table.deal
    body = []
    label = f"{table.words['seat'].format(seat)}"
    roles = table.roles(seat)
    if roles:
        label += f" · {roles}"
    if seat == deal["turn"]:
        body.append(
            f'<rect x="{x - 190}" y="{y - 32}" width="380" height="26" rx="13" fill="#facc15"/>'
            f'<text x="{x}" y="{y - 13}" class="n" text-anchor="middle" style="fill:#14532d">'
            f"▶ {label}</text>"
        )
    else:
        body.append(text(x, y - 13, label, "n"))
    won = f"{table.words['tricks']} {deal['tricks_won'][seat]}"
    married = table.marriages(seat)
    if married:
        won += f" · {table.words['marriage']} {married}"
    body.append(text(x, y + CARD_HEIGHT + 20, won))
    return body


def _trick(table: TextTable, bottom: int) -> list[str]:
    deal = table.deal
    tricks = tricks_of(deal, table.rules)
    if not tricks:
        return []
    # Between tricks the last one stays on the table, as at a real one.
    spots = trick_places(bottom)
    best = tricks[-1].winner if tricks[-1].winner is not None else int(deal["best_seat"])
    body = []
    for seat, card in tricks[-1].cards:
        edge = "#facc15" if seat == best else "#94a3b8"
        body.append(card_face(*spots[seat], card, table.sign(card), edge))
    return body


def talon_cards(table: TextTable) -> list[int]:
    """Returns the cards of the talon, as far as they are known."""
    return list(cards_of(table.deal["talon"]))


def facts(table: TextTable) -> list[str]:
    """Returns what is written about the deal: contract, stakes, points, settlement."""
    deal, words = table.deal, table.words
    body = [text(450, 24, table.contract(), "t")]
    left = [PHASE_NAMES[table.language][deal["phase"]]]
    if table.stakes():
        left += table.stakes().split(" · ")  # beside the lowest hand there is no room for both
    if deal["contract"] == SUIT_GAME and (deal["tricks"] or deal["in_trick"]):
        left.append(f"{words['points']}: {words['declarer']} {points_text(deal, DECLARER)}")
        left.append(f"{words['defenders']} {points_text(deal, DEFENDERS)}")
    for number, line in enumerate(left):
        body.append(text(24, 506 + 22 * number, line, "s", "start"))
    if talon_cards(table):
        body.append(text(TALON[0], TALON[1] - 10, words["talon"]))
    if deal["phase"] == OVER:
        body += [text(100, 262, words["payments"], "n")]
        for seat, units in enumerate(deal["payments"].tolist()):
            line = f"{words['seat'].format(seat)}: {units:+d}"
            body.append(text(100, 290 + 24 * seat, line, "n"))
        result = settlement_lines(deal, table.rules, table.language)
        for number, line in enumerate(result):
            body.append(text(876, 606 - 20 * (len(result) - 1 - number), line, "s", "end"))
    return body
