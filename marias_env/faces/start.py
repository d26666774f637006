"""Where an episode starts: the `options` of every `reset` that knows decks, dealers and records."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from marias_env.batch import DealBatch
from marias_env.checks import check_seat, deck_ids
from marias_env.errors import DeckError, RecordError
from marias_env.records import replay

START_KEYS: Final = ("deck", "dealer", "record")


def check_options(options: Mapping[str, Any] | None, known: tuple[str, ...]) -> dict[str, Any]:
    """Returns the options of a `reset` that are known; others are ignored with a warning.

    (PettingZoo's checker passes an option that no environment has.)

    Raises:
        TypeError: not a mapping.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"options: {options!r}; expected a mapping or None")
    unknown = [key for key in options if key not in known]
    if unknown:
        warnings.warn(
            f"reset ignores the options {unknown}; expected some of {list(known)}", stacklevel=3
        )
    return {key: options[key] for key in known if options.get(key) is not None}


def prepare(batch: DealBatch, options: Mapping[str, Any]) -> DealBatch | tuple[Any, Any] | None:
    """Checks where to start, before anything changes.

    Args:
        batch: one row.
        options: of the keys `deck` (texts or ids in dealing order), `dealer` (seat), `record` (a
            deal record under the batch's rules, finished or not).

    Returns:
        What `place` takes.

    Raises:
        DeckError: no such deck or dealer.
        RecordError: a bad record, one of other rules, or one beside a deck or dealer.
    """
    if "record" in options:
        if "deck" in options or "dealer" in options:
            raise RecordError("a record has its own deck and dealer; give no others")
        replayed = replay(options["record"])
        if replayed.rules != batch.rules:
            raise RecordError(
                f"rules: {replayed.rules!r}; this environment plays {batch.rules!r}, "
                "and its configuration does not change"
            )
        return replayed
    deck = options.get("deck")
    dealer = options.get("dealer")
    if deck is not None:
        deck = np.array(deck_ids(deck, batch.rules), dtype=np.int64)
    if dealer is not None:
        dealer = check_seat("dealer", dealer, DeckError)
    return None if deck is None and dealer is None else (deck, dealer)


def place(batch: DealBatch, start: DealBatch | tuple[Any, Any] | None) -> None:
    """Replaces the deal of a batch of one row, freshly reset, by what `prepare` returned.

    The row's random streams stay its own: what comes after the given deal depends on the seed as
    ever.
    """
    if start is None:
        return
    deal = batch.deals[0]
    if isinstance(start, DealBatch):
        own = {name: deal[name].copy() for name in ("key", "rng", "episode")}
        batch.deals[0] = start.deals[0]
        for name, value in own.items():
            batch.deals[name] = value
        return
    deck, dealer = start
    if deck is None:
        deck = deal["deck"][: batch.rules.num_cards].copy()
    batch.set_decks(deck, int(deal["dealer"]) if dealer is None else int(dealer))
