"""The form for a new table, described: presets, options with their bounds and words, agents."""

from __future__ import annotations

import dataclasses
from typing import Any

from marias_agents import names
from marias_env.actions import CONTRACTS
from marias_env.match import standard_match
from marias_env.options import Choice, Flag, Maybe, Whole
from marias_env.rules import AMOUNT, BOUNDS, RULES, Rules
from marias_env.showing.phrases import LANGUAGES, phrases
from marias_table.limits import Offer
from marias_table.protocol import MAX_DEALS, MAX_MESSAGE, MAX_NAME, PROTOCOL


def form(offer: Offer, language: str) -> dict[str, Any]:
    """Returns what a client needs to draw the form for a new table.

    Args:
        offer: the server's agents.
        language: `en` or `cs`.
    """
    words = phrases(language)
    return {
        "protocol": PROTOCOL,
        "languages": list(LANGUAGES),
        "presets": [
            {
                "name": name,
                "label": words[f"preset_{name}"],
                "text": words[f"preset_{name}_text"],
                "values": {
                    field.name: _plain(getattr(rules, field.name))
                    for field in dataclasses.fields(Rules)
                },
            }
            for name, rules in RULES.items()
        ],
        "fields": [_field(field.name, language) for field in dataclasses.fields(Rules)],
        "match": {
            "standard": {
                name: {"deals": match.deals, "points": match.points}
                for name, match in ((name, standard_match(rules)) for name, rules in RULES.items())
            },
            "max_deals": MAX_DEALS,
        },
        "agents": [
            {"spec": spec, "label": spec, "help": _help(spec, language)} for spec in offer.agents
        ],
        "default_agent": offer.opponent,
        "adviser": offer.adviser,
        "limits": {"name": MAX_NAME, "message": MAX_MESSAGE},
    }


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, str)) else dict(value)


def _field(name: str, language: str) -> dict[str, Any]:
    words = phrases(language)
    found: dict[str, Any] = {
        "name": name,
        "label": words[f"option_{name}"],
        "help": words[f"option_{name}_help"],
    }
    bound = BOUNDS.get(name)
    if isinstance(bound, Flag):
        found["kind"] = "bool"
    elif isinstance(bound, Choice):
        found["kind"] = "choice"
        found["choices"] = [
            {"value": value, "label": words[f"option_{name}_{value}"]} for value in bound.words
        ]
    elif isinstance(bound, Maybe):
        found["kind"] = "optional_int"
        found.update(_range(bound.bound))
    elif isinstance(bound, Whole):
        found["kind"] = "int"
        found.update(_range(bound))
    elif name == "tariff":
        found["kind"] = "tariff"
        found["choices"] = [{"value": c, "label": words[f"contract_{c}"]} for c in CONTRACTS]
        found.update(_range(AMOUNT))
    else:
        found["kind"] = "subset"
        letters = getattr(RULES["traditional"], name)
        found["choices"] = [
            {"value": letter, "label": words.get(f"suit_{letter}", letter)} for letter in letters
        ]
    return found


def _range(bound: Any) -> dict[str, Any]:
    return {"min": bound.low, "max": bound.high}


def _help(spec: str, language: str) -> str:
    head = spec.partition("@")[0].partition(":")[0]
    return phrases(language).get(f"agent_{head}") or names().get(head, "")
