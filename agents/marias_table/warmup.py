"""Plays a deal at a table ahead, so that nobody waits for what is compiled on first use."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec

from marias_env.rules import RULES
from marias_env.showing.phrases import LANGUAGES


def steps() -> Iterator[tuple[str, Callable[[], None]]]:
    """Yields what `marias warmup` makes ready: nothing without the extra `table`."""
    if find_spec("pebble") is not None and find_spec("pydantic") is not None:
        yield "table", prepare


def prepare(specs: Sequence[str] = ()) -> None:
    """Plays a deal, so that whatever has to be compiled is before anybody waits for it.

    Args:
        specs: agents; those that take their time are prepared by their workers.
    """
    from marias_agents import make
    from marias_env.showing.why import why_not
    from marias_table.agents import LAST_RESORT, act_together, is_quick
    from marias_table.chairs import Chair
    from marias_table.room import Room, Terms
    from marias_table.telling import state_of
    from marias_table.view import PUBLIC, view_of

    chairs = [Chair("person"), *(Chair("agent", LAST_RESORT, LAST_RESORT) for _ in range(2))]
    room = Room(Terms(RULES["traditional"]), chairs, rng=random.Random(0))
    room.begin()
    agents = [make(spec) for spec in (*specs, LAST_RESORT) if is_quick(spec)]
    while not room.waiting_for():
        seat = int(room.batch.turn[0])
        for language in LANGUAGES:
            state_of(room, seat, language)
            state_of(room, PUBLIC, language)
        chosen = [act_together(agent, [room.batch.views()])[0] for agent in agents]
        legal = room.batch.legal_mask()[0]
        for action in range(32):
            if not legal[action]:
                why_not(view_of(room.batch, seat), room.terms.rules, action)
        room.play(seat, chosen[-1], LAST_RESORT)
    state_of(room, 0, LANGUAGES[0])
