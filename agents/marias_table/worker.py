"""What runs in the workers: agents that take their time, and analyses; plain data in and out."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
from collections.abc import Sequence
from typing import Any

import numpy as np

from marias_agents import make, names
from marias_agents.agent import Agent
from marias_agents.warmup import play_through
from marias_env.actions import ACTIONS
from marias_env.batch import DealBatch
from marias_env.core.deal import DEAL, NUM_SEATS
from marias_env.records import Record, record_of
from marias_env.rules import Rules
from marias_env.views import Views
from marias_env.workers import end_with_parent


def begin(specs: Sequence[str], studies: bool) -> None:
    """Prepares a worker: it ends with its server, and whatever compiles does before it is asked.

    Args:
        specs: agents that it will be asked for.
        studies: it will be asked for analyses.
    """
    if hasattr(os, "nice"):
        os.nice(5)  # the server answers people; whoever thinks has more time
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server to hear
    end_with_parent()
    for spec in specs:
        # What is imported by a spec of its own is not called: who knows what else it does.
        if spec.partition("@")[0].partition(":")[0] in names():
            # Whole deals: an end game that compiles only when it comes makes an agent late.
            play_through(spec)
        with contextlib.suppress(Exception):  # told when it is asked for
            agent_of(spec)
    if studies:
        batch = DealBatch(1, "traditional", seed=0, autoreset=False)
        agent = agent_of("rules")
        while batch.turn[0] >= 0:
            views = batch.views()
            batch.step(agent.act(views, views.legal_mask()))
        study(record_of(batch))


@functools.lru_cache(maxsize=32)
def agent_of(spec: str) -> Agent:
    """Returns the agent of a spec, made once in this process."""
    return make(spec)


def decide(spec: str, deal: bytes, rules: Rules) -> int:
    """Returns an agent's action.

    Args:
        spec: the agent.
        deal: bytes of one information view.
        rules: its rules.
    """
    views = _views(deal, rules)
    return int(agent_of(spec).act(views, views.legal_mask())[0])


def advise(spec: str, deal: bytes, rules: Rules) -> dict[str, Any]:
    """Returns an agent's action with what it weighed.

    Args:
        spec: the agent.
        deal: bytes of one information view.
        rules: its rules.

    Returns:
        `action`, `how` (None where the agent tells nothing) and `alternatives`: `actions`, `units`,
        `wins`, the chosen one first, then by units.
    """
    views, agent = _views(deal, rules), agent_of(spec)
    if not hasattr(agent, "decide"):
        action = int(agent.act(views, views.legal_mask())[0])
        return {"action": action, "how": None, "alternatives": []}
    found = agent.decide(views)[0]
    order = sorted(
        range(len(found.units)),
        key=lambda i: (found.alternatives[i] != found.chosen, -found.units[i]),
    )
    return {
        "action": int(found.action),
        "how": found.how,
        "alternatives": [
            {
                "actions": [ACTIONS[action] for action in found.alternatives[i]],
                "units": round(float(found.units[i]), 3),
                "wins": round(float(found.wins[i]), 3),
            }
            for i in order[:8]
        ],
    }


def study(record: Record) -> dict[str, Any]:
    """Returns a finished deal, analysed, as docs/protocol.md describes it."""
    from marias_agents.analysis import analyse

    found = analyse(record)
    return {
        "start": found.start,
        "value": found.value,
        "cards": [
            {
                "seat": card.seat,
                "trick": card.trick,
                "card": card.card,
                "value": card.value,
                "best": card.best,
                "better": list(card.better),
                "cost": card.cost,
            }
            for card in found.cards
        ],
        "costs": [found.cost_of(seat) for seat in range(NUM_SEATS)],
        "worths": [
            {
                "seat": worth.seat,
                "name": worth.name,
                "contract": worth.contract,
                "trump": worth.trump or None,
                "announced": list(worth.announced),
                "discards": list(worth.discards),
                "value": worth.value,
            }
            for worth in found.worths
        ],
    }


def _views(deal: bytes, rules: Rules) -> Views:
    return Views(np.frombuffer(deal, dtype=DEAL).copy(), rules)
