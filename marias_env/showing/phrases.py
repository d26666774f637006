"""Words of the game for display, in English and Czech. Nothing here is part of any format."""

from __future__ import annotations

from typing import Final

from marias_env.actions import CONTRACTS
from marias_env.cards import CARDS, RANKS, SUIT_NAMES, SUITS, card_name
from marias_env.showing.event_phrases import EVENT_PHRASES
from marias_env.showing.option_phrases import OPTIONS_CS, OPTIONS_EN
from marias_env.showing.table_phrases import TABLE_CS, TABLE_EN
from marias_env.showing.terminal_phrases import TERMINAL_PHRASES
from marias_env.showing.view_phrases import VIEW_PHRASES

LANGUAGES: Final = ("en", "cs")

RANK_SIGNS: Final = {
    "en": ("7", "8", "9", "10", "J", "Q", "K", "A"),
    "cs": ("7", "8", "9", "10", "Sp", "Sv", "K", "E"),
}
"""Short signs of the ranks: Czech cards have spodek, svršek and eso."""

PHASE_NAMES: Final = {
    "en": (
        "choice of trumps",
        "contract",
        "discard",
        "reply",
        "naming trumps",
        "announcements",
        "doubling",
        "play",
        "over",
    ),
    "cs": (
        "volba trumfů",
        "závazek",
        "odkládání",
        "odpověď",
        "určení trumfů",
        "hlášení",
        "flekování",
        "sehrávka",
        "konec",
    ),
}
"""By phase id."""

CONTRACT_NAMES: Final = {
    "en": ("suit game", "betl", "durch", "open betl", "open durch"),
    "cs": ("hra", "betl", "durch", "otevřený betl", "otevřený durch"),
}
"""By contract id."""

LEVEL_NAMES: Final = ("", "flek", "re", "tutti", "boty", "kalhoty", "kajzr")
"""Names of the doublings by level, the same in both languages; higher ones have none."""

_EN: Final = {
    "seat": "player {}",
    "deal": "deal",
    "trick": "trick",
    "declarer": "declarer",
    "defender": "defender",
    "defenders": "defenders",
    "forehand": "forehand",
    "dealer": "dealer",
    "no_contract": "no contract yet",
    "trumps": "trumps",
    "trumps_hidden": "trumps face down",
    "trumps_unnamed": "trumps not named yet",
    "trump_card": "trump card",
    "blind": "blind",
    "game": "game",
    "hundred": "hundred",
    "hundred_against": "hundred-against",
    "seven": "seven",
    "seven_against": "seven-against",
    "talon": "Talon",
    "discards": "Put away",
    "table": "Table",
    "empty": "empty",
    "wins": "{} wins",
    "last_trick": "Last trick",
    "points": "Points",
    "tricks": "tricks",
    "bidding": "Bidding",
    "to_act": "To act",
    "result": "Result",
    "payments": "Payments",
    "chooses_trump": "trump card",
    "chooses_blind": "trump card blind",
    "puts_away": "puts away",
    "good": "good",
    "bad": "bad",
    "more": "nothing more",
    "ending_played": "played out",
    "ending_decided": "decided after trick {}",
    "ending_exposed": "cards exposed after trick 1",
    "ending_unplayed": "not played",
    "ending_revoke": "revoke by player {}",
    "made": "made",
    "lost": "lost",
    "quiet_hundred": "quiet hundred",
    "quiet_hundred_defenders": "defenders' quiet hundred",
    "quiet_seven": "unannounced seven",
    "hearts": "hearts",
    "cap": "cap",
    "each": "per opponent",
    "stake": "stake",
    "marriage": "marriage",
    "plain": "{} against {}",
    "reached": "{} reached",
    "short": "only {} of {}",
}
_CS: Final = {
    "seat": "hráč {}",
    "deal": "rozdání",
    "trick": "štych",
    "declarer": "aktér",
    "defender": "obránce",
    "defenders": "obrana",
    "forehand": "forhont",
    "dealer": "rozdává",
    "no_contract": "zatím bez závazku",
    "trumps": "trumfy",
    "trumps_hidden": "trumfy zakryté",
    "trumps_unnamed": "trumfy zatím neurčené",
    "trump_card": "trumfová karta",
    "blind": "naslepo",
    "game": "hra",
    "hundred": "kilo",
    "hundred_against": "kilo proti",
    "seven": "sedma",
    "seven_against": "sedma proti",
    "talon": "Talon",
    "discards": "Odloženo",
    "table": "Stůl",
    "empty": "prázdný",
    "wins": "bere {}",
    "last_trick": "Poslední štych",
    "points": "Body",
    "tricks": "štychy",
    "bidding": "Licitace",
    "to_act": "Na tahu",
    "result": "Výsledek",
    "payments": "Platby",
    "chooses_trump": "trumfová karta",
    "chooses_blind": "trumfy naslepo",
    "puts_away": "odkládá",
    "good": "dobrá",
    "bad": "špatná",
    "more": "dál nic",
    "ending_played": "dohráno",
    "ending_decided": "rozhodnuto po {}. štychu",
    "ending_exposed": "karty vyloženy po 1. štychu",
    "ending_unplayed": "nehrálo se",
    "ending_revoke": "renonc, hráč {}",
    "made": "splněno",
    "lost": "prohráno",
    "quiet_hundred": "tiché kilo",
    "quiet_hundred_defenders": "tiché kilo obrany",
    "quiet_seven": "tichá sedma",
    "hearts": "červené",
    "cap": "strop",
    "each": "za každého soupeře",
    "stake": "sazba",
    "marriage": "hláška",
    "plain": "{} proti {}",
    "reached": "dosaženo {}",
    "short": "jen {} z {}",
}


def _names(language: str) -> dict[str, str]:
    # Names that have lists or functions of their own, by the text that stands for each in JSON.
    return {
        **{f"card_{text}": card_name(text, language) for text in CARDS},
        **{f"suit_{letter}": name for letter, name in zip(SUITS, SUIT_NAMES[language])},
        **{f"contract_{text}": name for text, name in zip(CONTRACTS, CONTRACT_NAMES[language])},
    }


PHRASES: Final = {
    "en": {
        **_EN,
        **TABLE_EN,
        **EVENT_PHRASES["en"],
        **TERMINAL_PHRASES["en"],
        **OPTIONS_EN,
        **VIEW_PHRASES["en"],
        **_names("en"),
    },
    "cs": {
        **_CS,
        **TABLE_CS,
        **EVENT_PHRASES["cs"],
        **TERMINAL_PHRASES["cs"],
        **OPTIONS_CS,
        **VIEW_PHRASES["cs"],
        **_names("cs"),
    },
}
"""By language and key: all words there are, those of the table and of the options included."""


def phrases(language: str) -> dict[str, str]:
    """Returns the words of a language by key.

    Raises:
        ValueError: no such language.
    """
    if language not in PHRASES:
        raise ValueError(f"language: {language!r}; expected one of {', '.join(LANGUAGES)}")
    return PHRASES[language]


def level_name(level: int) -> str:
    """Returns `flek`, `re`, …, or the factor where doublings have run out of names."""
    return LEVEL_NAMES[level] if level < len(LEVEL_NAMES) else f"×{1 << level}"


def rank_sign(card: int, language: str) -> str:
    """Returns the short sign of a card's rank, such as `10` or `Sv`."""
    return RANK_SIGNS[language][card % len(RANKS)]


def suit_name(suit: int, language: str) -> str:
    """Returns the name of a suit."""
    return SUIT_NAMES[language][suit]
