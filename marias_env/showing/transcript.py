"""A whole deal as text: hands, bidding, trick by trick, settlement. What `marias replay` prints."""

from __future__ import annotations

from marias_env.actions import NO_CONTRACT, OVER, PHASES, SUIT_GAME
from marias_env.batch import DealBatch
from marias_env.cards import cards_of
from marias_env.core.deal import DECLARER, NUM_SEATS
from marias_env.rules import preset_and_options
from marias_env.showing.explain import settlement_lines
from marias_env.showing.phrases import PHASE_NAMES
from marias_env.showing.render import TextTable
from marias_env.showing.story import tricks_of

_TITLES = {
    "en": ("Dealt", "Bidding", "Play", "Settlement", "Payments", "to act", "talon"),
    "cs": ("Rozdáno", "Licitace", "Sehrávka", "Vyúčtování", "Platby", "na tahu", "talon"),
}


def transcript(batch: DealBatch, row: int = 0, language: str = "en", color: bool = True) -> str:
    """Returns the course of one deal, every card shown.

    Args:
        batch: any batch; a deal may be unfinished.
        row: index of the row.
        language: `en` or `cs`.
        color: with ANSI colours.

    Raises:
        IndexError: no such row.
        ValueError: no such language.
    """
    deal, rules = batch.deals[row], batch.rules
    table = TextTable(deal, rules, language, color, symbols=False)
    dealt, bidding, play, settlement, payments, to_act, talon = (
        table.paint(title, "1") if number < 5 else title
        for number, title in enumerate(_TITLES[language])
    )
    preset, options = preset_and_options(rules)
    head = [f"Mariáš · {preset}", *(f"{name}={value}" for name, value in options.items())]
    lines = [table.paint(" · ".join(head), "1"), "", dealt]
    start = DealBatch(1, rules, seed=0, autoreset=False)
    start.set_decks(deal["deck"][: rules.num_cards], int(deal["dealer"]))
    before = TextTable(start.deals[0], rules, language, color, symbols=False)
    for seat in range(NUM_SEATS):
        lines.append(f"  {seat} {before.roles(seat):<12}{before.hand(seat)}")
    if start.deals["talon"][0]:
        lines.append(f"  {talon:<14}{before.cards(cards_of(start.deals['talon'][0]))}")
    entries = table.bidding()
    if entries:
        lines += ["", bidding, *(f"  {entry}" for entry in entries)]
    tricks = tricks_of(deal, rules)
    if deal["contract"] != NO_CONTRACT:
        lines += ["", f"{play}  {table.contract()} · {table.stakes()}"]
    score = [0, 0]
    for number, trick in enumerate(tricks, start=1):
        # A marriage counts at once, for the side of whoever played its queen.
        for seat, _, worth in trick.marriages:
            score[int(seat != deal["declarer"])] += worth
        if trick.winner is not None:
            score[int(trick.winner != deal["declarer"])] += trick.points
        text = f"  {number:>2}  {table.trick(trick)}"
        if deal["contract"] == SUIT_GAME:
            text += f"   {score[DECLARER]} : {score[1 - DECLARER]}"
        lines.append(text)
    if deal["phase"] == OVER:
        result = settlement_lines(deal, rules, language)
        paid = (f"{seat}: {units:+d}" for seat, units in enumerate(deal["payments"].tolist()))
        lines += ["", settlement, *(f"  {line}" for line in result)]
        lines += ["", f"{payments}  {' · '.join(paid)}"]
    else:
        phase = PHASE_NAMES[language][deal["phase"]]
        lines += ["", f"{deal['turn']} {to_act}: {phase} ({PHASES[deal['phase']]})"]
    return "\n".join(lines)
