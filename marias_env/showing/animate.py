"""A whole deal as one animated SVG: cards move, words change; no script, so it plays anywhere.

The animation is CSS inside the document: browsers, notebooks and pages that show it as an image
play it. Where the reader's system asks for reduced motion, cards change places without moving. A
program that draws no animation shows the deal as it was dealt.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from marias_env.actions import OVER
from marias_env.core.deal import NUM_SEATS
from marias_env.options import Real, check
from marias_env.records import each_position
from marias_env.showing.render import TextTable, deal_for
from marias_env.showing.story import sorted_hand, tricks_of
from marias_env.showing.svg import (
    CARD_WIDTH,
    HAND_ROOM,
    TALON,
    Picture,
    bottom_seat,
    card_back,
    card_face,
    card_places,
    document,
    facts,
    plate,
    seat_places,
    talon_cards,
    text,
    trick_places,
)

MOVE: Final = 0.45
"""Share of an action's time in which its card moves."""
TRICK: Final = 1.6
"""Actions' times that a whole trick is looked at."""
END: Final = 5.0
"""Actions' times that the settlement is looked at before it all begins again."""
_SECONDS: Final = Real(0.1, 60.0)
_STYLE: Final = (
    ".m,.w{animation-iteration-count:infinite}"
    ".m{animation-timing-function:ease-in-out}.w{animation-timing-function:step-end}"
    "@media (prefers-reduced-motion:reduce){.m{animation-timing-function:step-end}}"
)

_Place = tuple[float, float, bool]
"""Left and upper edge, and whether it can be seen."""
_Key = int | tuple[int, int]
"""A card, or one of a seat's backs."""


def animate(
    record: Mapping[str, Any],
    perspective: int | None = None,
    language: str = "en",
    seconds: float = 1.0,
) -> Picture:
    """Returns a deal as an animated picture, 900 x 620, from the deal to the settlement.

    Args:
        record: a deal record (docs/records.md), finished or not.
        perspective: seat whose knowledge is shown, at the bottom; None shows every card.
        language: `en` or `cs`.
        seconds: that an action takes, 0.1 to 60.

    Returns:
        An SVG document, which notebooks show and `write_text` saves. It plays in a loop.

    Raises:
        OptionError: `seconds` out of bounds.
        RecordError: a malformed or illegal record.
        ValueError: no such seat or language.
    """
    seconds = check("seconds", seconds, _SECONDS)
    tables = [
        TextTable(deal_for(batch, 0, perspective), batch.rules, language, color=False)
        for batch in each_position(record)
    ]
    bottom = bottom_seat(tables[-1].deal, perspective)
    clock = _Clock.of(tables, seconds)
    body, style = [], [_STYLE, f".m,.w{{animation-duration:{clock.total:g}s}}"]
    for number, (key, track) in enumerate(_tracks(tables, bottom).items()):
        seen = [place for place in track if place is not None]
        if not any(visible for _, _, visible in seen):
            continue
        drawn = (
            card_face(0, 0, key, tables[0].sign(key)) if isinstance(key, int) else card_back(0, 0)
        )
        moments = [
            f"transform:translate({x:g}px,{y:g}px);opacity:{int(visible)}" for x, y, visible in seen
        ]
        x, y, visible = seen[0]
        body.append(
            f'<g class="m k{number}" transform="translate({x:g} {y:g})" opacity="{int(visible)}">'
            f"{drawn}</g>"
        )
        style.append(clock.keyframes(f"k{number}", moments, MOVE * seconds))
    for number, (fragment, frames) in enumerate(_words(tables, bottom).items()):
        shown = [frame in frames for frame in range(len(tables))]
        body.append(f'<g class="w t{number}" opacity="{int(shown[0])}">{fragment}</g>')
        style.append(clock.keyframes(f"t{number}", [f"opacity:{int(on)}" for on in shown], 0.0))
    return document(f"<title>Mariáš</title>{''.join(body)}", "".join(style))


@dataclasses.dataclass(frozen=True)
class _Clock:
    # When each frame begins, and how long it all takes, in seconds.
    starts: tuple[float, ...]
    total: float

    @classmethod
    def of(cls, tables: Sequence[TextTable], seconds: float) -> _Clock:
        starts, now = [], 0.0
        for table in tables:
            starts.append(now)
            deal = table.deal
            whole = deal["tricks"] and not deal["in_trick"]
            over = deal["phase"] == OVER
            now += seconds * (END if over else TRICK if whole else 1.0)
        return cls(tuple(starts), now)

    def keyframes(self, name: str, moments: Sequence[str], move: float) -> str:
        # A moment holds until the next one that differs; getting there takes `move` seconds.
        found = [(0.0, moments[0])]
        for start, before, after in zip(self.starts[1:], moments, moments[1:]):
            if after == before:
                continue
            if move:
                found.append((start - move, before))
            found.append((start, after))
        found.append((self.total, moments[-1]))
        steps = "".join(f"{100 * at / self.total:.2f}%{{{moment}}}" for at, moment in found)
        return f"@keyframes {name}{{{steps}}}.{name}{{animation-name:{name}}}"


def _drawn(key: _Key, table: TextTable) -> str:
    return card_face(0, 0, key, table.sign(key)) if isinstance(key, int) else card_back(0, 0)


def _tracks(tables: Sequence[TextTable], bottom: int) -> dict[_Key, list[_Place]]:
    # Where each card, and each back of a card that is not known, is in each frame.
    last, rules = tables[-1].deal, tables[-1].rules
    order = [c for group in sorted_hand(rules.deck_mask, last) for c in group]
    hands = seat_places(bottom)
    slots = range(max(max(table.counts) for table in tables))
    keys: list[_Key] = [(seat, slot) for seat in range(NUM_SEATS) for slot in slots]
    keys += order
    tracks: dict[_Key, list[_Place]] = {key: [] for key in keys}
    laid: dict[int, int] = {}
    for table in tables:
        found = dict(_laid_out(table, order, bottom))
        tricks = tricks_of(table.deal, rules)
        played = {card: seat for seat, card in tricks[-1].cards} if tricks else {}
        for key, track in tracks.items():
            if key in found:
                x, y = found[key]
                if isinstance(key, int) and track and not track[-1][2] and key in played:
                    # It comes from a hand that is not known.
                    left, top = hands[played[key]]
                    track[-1] = (left - CARD_WIDTH / 2, top, False)
                track.append((x, y, True))
            elif isinstance(key, int) and key in laid and track[-1][2]:
                left, top = hands[laid[key]]
                track.append((left - CARD_WIDTH / 2, top, False))
            else:
                x, y = track[-1][:2] if track else (421.0, 262.0)
                track.append((x, y, False))
        # Who takes in what lies on the table now.
        taker = tricks[-1].winner if tricks else None
        laid = dict.fromkeys(played, taker) if taker is not None else {}
    return tracks


def _laid_out(
    table: TextTable, order: Sequence[int], bottom: int
) -> Iterator[tuple[_Key, tuple[float, float]]]:
    deal = table.deal
    for seat, (x, y) in seat_places(bottom).items():
        known = [card for card in order if int(deal["hands"][seat]) >> card & 1]
        count = max(table.counts[seat], len(known))
        keys: list[_Key] = [*known, *((seat, slot) for slot in range(count - len(known)))]
        yield from zip(keys, ((left, float(y)) for left in card_places(count, x, HAND_ROOM)))
    talon = talon_cards(table)
    for card, left in zip(talon, card_places(len(talon), *TALON[::2])):
        yield card, (left, float(TALON[1]))
    for trick in tricks_of(deal, table.rules)[-1:]:
        for seat, card in trick.cards:
            x, y = trick_places(bottom)[seat]
            yield card, (float(x), float(y))


def _words(tables: Sequence[TextTable], bottom: int) -> dict[str, set[int]]:
    # What is written, and in which frames.
    found: dict[str, set[int]] = {}
    for frame, table in enumerate(tables):
        written = facts(table)
        for seat, (x, y) in seat_places(bottom).items():
            written += plate(table, seat, x, y)
        calls = table.calls()
        if calls and not tricks_of(table.deal, table.rules) and table.deal["phase"] != OVER:
            call, label = calls[-1]
            written.append(text(450, 322, f"{table.words['seat'].format(call.seat)}: {label}", "t"))
        for fragment in written:
            found.setdefault(fragment, set()).add(frame)
    return found
