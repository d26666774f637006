"""The rules of one rule set in short, in words: what a player wants to look up at the table.

RULES.md is what holds; this says the same for people, with the numbers of the rule set filled in.
"""

from __future__ import annotations

from typing import Final

from marias_env.actions import CONTRACTS
from marias_env.rules import CHOICES, RULES, Rules
from marias_env.showing.phrases import CONTRACT_NAMES, LEVEL_NAMES, phrases

_EN: Final = {
    "cards": "Cards",
    "cards_1": "{cards} cards, three players: one declarer against two defenders.",
    "cards_2": "In a suit game A 10 K Q J 9 8 7, without trumps A K Q J 10 9 8 7.",
    "cards_3": "Aces and tens are worth 10 points, and so is the last trick: {points} in all.",
    "trumps": "Deal and trumps",
    "chosen_1": "Forehand, left of the dealer, sees {first} cards and chooses one of them as trump "
    "card, face down.",
    "chosen_blind": "Or he chooses blind, a card he has not seen.",
    "chosen_2": "He picks up the rest, names a contract and puts two cards away, the talon.",
    "talon_1": "{hand} cards each and two in the talon, which nobody sees until it is taken.",
    "talon_2": "Forehand names a contract first; the declarer takes the talon, puts two cards away "
    "and in a suit game names the trumps.",
    "discards": "In a suit game no ace and no ten may be put away.",
    "discards_card": "In a suit game no ace, no ten and not the trump card may be put away.",
    "discards_trumps": "A trump only when nothing else may.",
    "contracts": "Contracts",
    "contract_line": "{name}: {help} Pays {units}.",
    "contracts_2": "Good accepts. Bad takes the talon and plays something higher. In betl and "
    "durch a defender may also say flek.",
    "announce": "Announcements and doubling",
    "announce_1": "Seven: to win the last trick with the seven of trumps, 2. Hundred: to reach "
    "{hundred} points with one marriage, 4 and more; it replaces the game.",
    "announce_2": "The defenders may announce either against the declarer, and double: then the "
    "sides take turns.",
    "announce_names": "Each doubling counts twice the one before: {levels}.",
    "announce_none": "There is no doubling at this table.",
    "play": "Play",
    "play_1": "Follow suit, and beat the trick if you can. Without the suit play a trump, a higher "
    "one if there is one in the trick. Without both play anything.",
    "play_2": "King and queen of a suit in one hand are a marriage: 20 points, 40 in trumps, when "
    "the queen is played.",
    "queen_forced": "The king may not be played before its queen.",
    "queen_free": "Who plays the king first loses the marriage.",
    "play_3": "Who has announced a seven keeps the seven of trumps as long as he can.",
    "pay": "Payment",
    "pay_1": "Units per opponent. Plain game {suit}; in hearts everything counts twice.",
    "hundred_doubling": "A quiet hundred 2, announced 4; twice that for every ten points more, and "
    "for every ten missing when it fails.",
    "hundred_linear": "A quiet hundred 2, announced 4, and as much again for every ten points more "
    "or missing.",
    "hundred_fixed": "A quiet hundred 2, an announced one 4, however many points.",
    "pay_seven": "A seven nobody announced: 1 for the side that wins the last trick with it, and "
    "1 against the side whose seven is beaten.",
    "cap": "No deal costs more than {cap} per opponent.",
    "match": "A match",
    "match_points": "Until somebody has 20 points after a deal, at most 20 deals.",
    "match_rotations": "Three deals, so that everybody deals once. The highest total wins.",
    "options": "Changed at this table",
}
_CS: Final = {
    "cards": "Karty",
    "cards_1": "{cards} karet, tři hráči, každý za sebe: jeden aktér proti dvěma obráncům.",
    "cards_2": "Ve hře eso, 10, král, svršek, spodek, 9, 8, 7; bez trumfů eso, král, svršek, "
    "spodek, 10, 9, 8, 7.",
    "cards_3": "Esa a desítky platí 10 bodů, poslední štych také: dohromady {points}.",
    "trumps": "Rozdání a trumfy",
    "chosen_1": "Forhont, vlevo od rozdávajícího, vidí {first} karet a jednu z nich položí "
    "zakrytou jako trumfovou.",
    "chosen_blind": "Nebo volí naslepo, kartu, kterou neviděl.",
    "chosen_2": "Zvedne zbytek, ohlásí závazek a dvě karty odloží do talonu.",
    "talon_1": "Po {hand} kartách a dvě v talonu, který nikdo nevidí, dokud ho nevezme.",
    "talon_2": "Forhont nejdřív ohlásí závazek; aktér vezme talon, dvě karty odloží a ve hře "
    "určí trumfy.",
    "discards": "Ve hře nesmí do talonu eso ani desítka.",
    "discards_card": "Ve hře nesmí do talonu eso, desítka ani trumfová karta.",
    "discards_trumps": "Trumf jen tehdy, když nic jiného nesmí.",
    "contracts": "Závazky",
    "contract_line": "{name}: {help} Platí {units}.",
    "contracts_2": "Dobrá přijímá. Špatná bere talon a hraje něco vyššího. Proti betlu a durchu "
    "může obránce dát i flek.",
    "announce": "Hlášení a fleky",
    "announce_1": "Sedma: poslední štych vzít trumfovou sedmou, 2. Kilo: s jednou hláškou "
    "dosáhnout {hundred} bodů, 4 a víc; nahrazuje hru.",
    "announce_2": "Obrana může hlásit obojí proti aktérovi a flekovat; pak se strany střídají.",
    "announce_names": "Každé zvýšení platí dvakrát tolik co předchozí: {levels}.",
    "announce_none": "U tohoto stolu se neflekuje.",
    "play": "Sehrávka",
    "play_1": "Ctěte barvu a přebíjejte, můžete-li. Bez barvy hrajte trumf, vyšší, je-li ve štychu "
    "trumf. Bez obojího cokoli.",
    "play_2": "Král a svršek jedné barvy v jedné ruce jsou hláška: 20 bodů, v trumfech 40, když se "
    "zahraje svršek.",
    "queen_forced": "Král se nesmí hrát před svrškem.",
    "queen_free": "Kdo hraje dřív krále, přijde o hlášku.",
    "play_3": "Kdo hlásil sedmu, drží trumfovou sedmu, dokud může.",
    "pay": "Placení",
    "pay_1": "Jednotky za každého soupeře. Hra {suit}; v červených všechno dvakrát.",
    "hundred_doubling": "Tiché kilo 2, hlášené 4; dvakrát tolik za každých deset bodů navíc, při "
    "prohře za každých deset chybějících.",
    "hundred_linear": "Tiché kilo 2, hlášené 4 a totéž znovu za každých deset bodů navíc nebo "
    "chybějících.",
    "hundred_fixed": "Tiché kilo 2, hlášené 4, ať je bodů kolikkoli.",
    "pay_seven": "Sedma, kterou nikdo nehlásil: 1 straně, která s ní vezme poslední štych, a 1 od "
    "strany, jejíž sedma je přebita.",
    "cap": "Žádné rozdání nestojí víc než {cap} za každého soupeře.",
    "match": "Zápas",
    "match_points": "Než někdo má po rozdání 20 bodů, nejvýš 20 rozdání.",
    "match_rotations": "Tři rozdání, každý rozdává jednou. Vyhrává nejvyšší součet.",
    "options": "Jinak u tohoto stolu",
}
_SENTENCES: Final = {"en": _EN, "cs": _CS}


def rules_text(rules: Rules, language: str = "en", base: str = "") -> list[tuple[str, list[str]]]:
    """Returns a rule set in short: (heading, sentences) in the order of a deal.

    Args:
        rules: any rule set.
        language: `en` or `cs`.
        base: name of a preset; what differs from it comes last, option by option.

    Raises:
        ValueError: no such language.
    """
    words = phrases(language)
    say = _SENTENCES[language]
    chosen = rules.dealing == "chosen_trump"
    half = rules.hand_size // 2
    first = rules.hand_size + 2 - half
    hundred = rules.card_points + 10
    sections: list[tuple[str, list[str]]] = [
        (
            say["cards"],
            [
                say["cards_1"].format(cards=rules.num_cards),
                say["cards_2"],
                say["cards_3"].format(points=rules.card_points),
            ],
        )
    ]
    if chosen:
        deal = [say["chosen_1"].format(first=first)]
        deal += [say["chosen_blind"]] if rules.blind_trump else []
        deal += [say["chosen_2"], say["discards_card"]]
    else:
        deal = [say["talon_1"].format(hand=rules.hand_size), say["talon_2"], say["discards"]]
    deal += [] if rules.talon_trumps else [say["discards_trumps"]]
    sections.append((say["trumps"], deal))
    names = CONTRACTS if rules.open_contracts else CONTRACTS[:3]
    contracts = [
        say["contract_line"].format(
            name=CONTRACT_NAMES[language][number].capitalize(),
            help=words[f"help_{name}"],
            units=rules.tariff[name],
        )
        for number, name in enumerate(names)
    ]
    sections.append((say["contracts"], [*contracts, say["contracts_2"]]))
    named = ", ".join(
        f"{name} {1 << level}"
        for level, name in enumerate(LEVEL_NAMES)
        if 0 < level <= rules.max_doublings
    )
    calls = [say["announce_1"].format(hundred=hundred)]
    if rules.max_doublings:
        calls += [say["announce_2"], say["announce_names"].format(levels=named)]
    else:
        calls.append(say["announce_none"])
    sections.append((say["announce"], calls))
    play = [say["play_1"], say["play_2"], say[f"queen_{rules.queen_before_king}"], say["play_3"]]
    sections.append((say["play"], play))
    pay = [
        say["pay_1"].format(suit=rules.tariff["suit"]),
        say[f"hundred_{rules.hundred_steps}"],
        say["pay_seven"],
    ]
    pay += [] if rules.max_payment is None else [say["cap"].format(cap=rules.max_payment)]
    sections.append((say["pay"], pay))
    sections.append((say["match"], [say["match_rotations" if chosen else "match_points"]]))
    changed = _changed(rules, base, language) if base in RULES else []
    return [*sections, (say["options"], changed)] if changed else sections


def _changed(rules: Rules, base: str, language: str) -> list[str]:
    words = phrases(language)
    lines = []
    for name, value in rules.options(base).items():
        if name == "tariff":
            shown = ", ".join(
                f"{CONTRACT_NAMES[language][CONTRACTS.index(contract)]} {units}"
                for contract, units in value.items()
            )
        elif name in CHOICES:
            shown = words[f"option_{name}_{value}"]
        elif isinstance(value, bool):
            shown = words["on" if value else "off"]
        else:
            shown = "–" if value is None else str(value)
        lines.append(f"{words[f'option_{name}']}: {shown}")
    return lines
