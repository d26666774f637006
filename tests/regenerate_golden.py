"""Golden playthroughs: every state of a few seeded deals as text, reviewed as a diff.

`python -m tests.regenerate_golden` writes tests/golden/*.txt anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import numpy as np

from marias_env.actions import ACTIONS, OVER, PHASES
from marias_env.batch import DealBatch
from marias_env.cards import CARDS
from marias_env.observation import OBSERVATION_SLICES, OBSERVATION_VERSION
from marias_env.positions import position_text
from marias_env.rules import RULES, Rules

FOLDER: Final = Path(__file__).resolve().parent / "golden"
DEALS: Final[Mapping[str, tuple[Rules, tuple[int, ...]]]] = {
    "traditional": (RULES["traditional"], (909, 2061, 1260, 839)),
    "online": (RULES["online"], (949, 400, 1723, 671)),
    "additive": (RULES["additive"], (62, 195, 1260)),
    "mini_chosen_trump": (Rules(suits="sh", ranks="7TQKA89", max_doublings=2), (41, 246, 909)),
    "mini_talon": (
        Rules(
            dealing="talon",
            suits="scdh",
            ranks="7TQKA",
            talon_trumps=False,
            seven_requires_card=False,
        ),
        (745, 1392, 1925),
    ),
    "mini_one_suit": (Rules(suits="h", ranks="TJQKA", hundred_steps="fixed"), (61, 195, 394)),
}
"""Rules and seeds of each file; the seeds are those of deals in which much happens."""


def playthrough(rules: Rules, seed: int) -> Iterator[str]:
    """The lines of one deal: every state, what the seat on turn sees, and the end."""
    # The actions come from the deal's own stream, which no other library's version can change.
    batch = DealBatch(1, rules, seed=seed, autoreset=False)
    yield position_text(batch)
    number = 0
    while batch.phase[0] != OVER:
        mask = batch.legal_mask()[0]
        yield ""
        yield f"{number} {PHASES[batch.phase[0]]} seat {batch.turn[0]}"
        yield f"mask {int(batch.legal_bits[0]):012x}"
        yield f"legal {' '.join(ACTIONS[action] for action in np.flatnonzero(mask))}"
        yield from observation(batch.observe()[0])
        action = batch.sample_legal()
        yield f"action {ACTIONS[action[0]]}"
        batch.step(action)
        number += 1
    yield ""
    yield f"{number} OVER"
    yield position_text(batch)
    deal = batch.deals[0]
    for name in ("ending", "declarer", "contract", "trump", "value"):
        yield f"{name} {deal[name]}"
    for name in ("levels", "points", "marriage_sum", "tricks_won"):
        yield f"{name} {' '.join(map(str, deal[name]))}"
    yield f"payments {' '.join(map(str, batch.payments[0]))}"


def observation(vector: np.ndarray) -> Iterator[str]:
    """The parts of an observation that are not all zero: cards, or places with their values."""
    for part in OBSERVATION_SLICES.values():
        values = vector[part.start : part.stop]
        places = np.flatnonzero(values)
        if not places.size:
            continue
        if part.size == 32:
            shown = [CARDS[place] for place in places]
        elif part.size == 1:
            shown = [str(values[0])]
        else:
            shown = [f"{p}" if values[p] == 1 else f"{p}:{values[p]}" for p in places]
        yield f"  {part.name} {' '.join(shown)}"


def text_of(name: str) -> str:
    """The whole text of one file."""
    rules, seeds = DEALS[name]
    lines = [f"observation version {OBSERVATION_VERSION}"]
    for seed in seeds:
        lines += ["", f"== seed {seed}", *playthrough(rules, seed)]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Writes every file."""
    FOLDER.mkdir(exist_ok=True)
    for name in DEALS:
        path = FOLDER / f"{name}.txt"
        path.write_text(text_of(name), encoding="utf-8")
        print(f"{path.name}: {path.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
