"""Cases, rule sets and ways of playing that the tests of the core share."""

from __future__ import annotations

import functools
import gzip
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from marias_env.actions import NUM_ACTIONS, OVER
from marias_env.batch import DealBatch
from marias_env.cards import RANKS, SUITS
from marias_env.rules import CHOICES, CONTRACTS, Rules

DATA = Path(__file__).resolve().parents[1] / "data"
PRESETS = ("traditional", "online", "additive")

MINI_SIZES = [
    (suits, ranks)
    for suits in range(1, 5)
    for ranks in range(1, 9)
    if suits * ranks % 3 == 2 and suits * ranks >= 5
]


@functools.cache
def cases(name: str) -> list[dict[str, Any]]:
    """A list of cases, `legal` or `scoring`."""
    with (DATA / f"{name}.json").open(encoding="utf-8") as file:
        found: list[dict[str, Any]] = json.load(file)
    return found


@functools.cache
def traces(preset: str) -> list[dict[str, Any]]:
    """Whole deals of a preset, each with every legal set."""
    with gzip.open(DATA / f"traces_{preset}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def beginning(record: dict[str, Any], length: int) -> dict[str, Any]:
    """A record's first actions as a record of an unfinished deal."""
    assert length < len(record["actions"])
    return {**record, "actions": record["actions"][:length], "payments": None}


# -------------------------------------------------------------------------------- rule sets


def mini_decks() -> Iterator[tuple[str, str]]:
    """Every (suits, ranks) that makes a deck, the full one included: 781 of them."""
    for num_suits, num_ranks in MINI_SIZES:
        for suits in itertools.combinations(SUITS, num_suits):
            for ranks in itertools.combinations(RANKS, num_ranks):
                yield "".join(suits), "".join(ranks)


def _letters(whole: str, size: int) -> st.SearchStrategy[str]:
    return st.sets(st.sampled_from(whole), min_size=size, max_size=size).map("".join)


decks = st.sampled_from(MINI_SIZES).flatmap(
    lambda size: st.tuples(_letters(SUITS, size[0]), _letters(RANKS, size[1]))
)


def rule_sets(full_deck: bool | None = None) -> st.SearchStrategy[Rules]:
    """Every combination of options; `full_deck` True or False: with or without the 32 cards."""
    options: dict[str, st.SearchStrategy[Any]] = {
        name: st.sampled_from(values) for name, values in CHOICES.items()
    }
    for name, value in vars(Rules()).items():
        if isinstance(value, bool):
            options[name] = st.booleans()
    options["max_doublings"] = st.integers(0, 16)
    options["max_payment"] = st.none() | st.integers(1, 1000)
    options["tariff"] = st.fixed_dictionaries({name: st.integers(0, 50) for name in CONTRACTS})
    whole = st.just((SUITS, RANKS))
    deck = {True: whole, False: decks, None: whole | decks}[full_deck]
    return st.tuples(st.fixed_dictionaries(options), deck).map(
        lambda drawn: Rules(**drawn[0], suits=drawn[1][0], ranks=drawn[1][1])
    )


# ---------------------------------------------------------------------------------- playing


class Player:
    """Draws legal actions with weights that differ from row to row, so that rare things happen."""

    def __init__(self, batch: DealBatch, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        weights = np.exp(self.rng.normal(0.0, 2.0, (len(batch), NUM_ACTIONS)))
        # Uniform choice would make almost every deal a no-trump game.
        weights[:, 37] *= np.where(self.rng.random(len(batch)) < 0.6, 50.0, 1.0)
        weights[:, 43] *= np.where(self.rng.random(len(batch)) < 0.6, 0.02, 1.0)
        self.weights = weights

    def choose(self, batch: DealBatch) -> npt.NDArray[np.int64]:
        """(B,) legal actions, -1 where a row is over."""
        mask = batch.legal_mask()
        scores = np.log(self.weights) + self.rng.gumbel(size=mask.shape)
        actions = np.where(mask == 1, scores, -np.inf).argmax(axis=1)
        return np.where(batch.phase == OVER, -1, actions).astype(np.int64)


def nodes(batch: DealBatch, seed: int = 0) -> Iterator[DealBatch]:
    """Plays a batch without autoreset to its end, stopping before every action and at the end."""
    player = Player(batch, seed)
    yield batch
    while (batch.phase != OVER).any():
        batch.step(player.choose(batch))
        yield batch


def finished(
    num_deals: int, rules: str | Rules = "traditional", seed: int = 0, **options: Any
) -> DealBatch:
    """A batch of finished deals."""
    batch = DealBatch(num_deals, rules, seed=seed, autoreset=False, **options)
    for _ in nodes(batch, seed):
        pass
    return batch
