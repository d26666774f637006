"""Cards: `card = 8 * suit + rank`, their texts and long names (RULES.md 1, docs/actions.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from marias_env.errors import CardError

NUM_CARDS: Final = 32
SUITS: Final = "scdh"
"""Suit letters by id: spades/leaves, clubs/acorns, diamonds/bells, hearts."""
RANKS: Final = "789TJQKA"
"""Rank letters by id; T is the 10."""

SUIT_SYMBOLS: Final = ("♠", "♣", "♦", "♥")
SUIT_NAMES: Final = {
    "en": ("spades", "clubs", "diamonds", "hearts"),
    "cs": ("zelené", "žaludy", "kule", "červené"),
}
RANK_NAMES: Final = {
    "en": ("seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"),
    "cs": ("sedma", "osma", "devítka", "desítka", "spodek", "svršek", "král", "eso"),
}
# Czech adjectives agree with the gender of the rank: sedma zelená, král zelený, eso zelené.
_CZECH_SUITS = {
    "f": ("zelená", "žaludová", "kulová", "červená"),
    "m": ("zelený", "žaludový", "kulový", "červený"),
    "n": ("zelené", "žaludové", "kulové", "červené"),
}
_CZECH_GENDER = "ffffmmmn"

CARDS: Final = tuple(RANKS[c % 8] + SUITS[c // 8] for c in range(NUM_CARDS))
"""Texts by card id, rank then suit: `CARDS[29] == "Qh"`."""
CARD_IDS: Final = {text: card for card, text in enumerate(CARDS)}


def card_id(card: str | int) -> int:
    """Returns the id (0…31) of a card given as text (`"Qh"`) or as id.

    Raises:
        CardError: it is neither.
    """
    if isinstance(card, str):
        if card in CARD_IDS:
            return CARD_IDS[card]
    elif not isinstance(card, bool):
        try:
            number = int(card)
        except (TypeError, ValueError, OverflowError):
            number = -1
        if number == card and 0 <= number < NUM_CARDS:
            return number
    raise CardError(
        f"not a card: {card!r}; expected rank then suit such as 'Qh' (ranks {RANKS}, suits "
        f"{SUITS}) or an id from 0 to {NUM_CARDS - 1}"
    )


def card_name(card: str | int, language: str = "en") -> str:
    """Returns a card's long name: English `queen of hearts`, Czech `svršek červený`."""
    card = card_id(card)
    suit, rank = divmod(card, 8)
    if language == "en":
        return f"{RANK_NAMES['en'][rank]} of {SUIT_NAMES['en'][suit]}"
    if language == "cs":
        return f"{RANK_NAMES['cs'][rank]} {_CZECH_SUITS[_CZECH_GENDER[rank]][suit]}"
    raise CardError(f"no card names in language {language!r}; expected 'en' or 'cs'")


def mask_of(cards: Iterable[str | int]) -> int:
    """Returns the bit set of some cards, bit `card` for each."""
    mask = 0
    for card in cards:
        mask |= 1 << card_id(card)
    return mask


def cards_of(mask: int) -> list[int]:
    """Returns the card ids of a bit set, ascending."""
    left = int(mask) & ((1 << NUM_CARDS) - 1)
    found = []
    while left:
        lowest = left & -left
        found.append(lowest.bit_length() - 1)
        left ^= lowest
    return found
