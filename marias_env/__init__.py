"""Mariáš for reinforcement learning: environment, vectorized core, records.

Everything is imported on first use, so `import marias_env` compiles nothing and is quick:

    import marias_env
    env = marias_env.marias_v0.env(rules="traditional")          # PettingZoo
    batch = marias_env.DealBatch(num_deals=4096, seed=0)         # thousands of deals at once

    import gymnasium
    gymnasium.make("marias_env:Marias-v0", opponents="random")
    gymnasium.make_vec("marias_env:Marias-v0", num_envs=1024)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from marias_env import integrations, marias_v0
    from marias_env.actions import ACTION_IDS, ACTIONS, PHASES
    from marias_env.batch import DealBatch
    from marias_env.errors import (
        ActionError,
        AgentError,
        CardError,
        DeckError,
        IllegalActionError,
        MariasError,
        OptionError,
        RecordError,
        RulesError,
        StateError,
    )
    from marias_env.faces.gym_env import MariasEnv
    from marias_env.faces.vector_env import MariasVectorEnv
    from marias_env.match import Match, standard_match
    from marias_env.one_deal import OneDeal
    from marias_env.records import replay
    from marias_env.rules import RULES, Rules
    from marias_env.views import Views

    __version__: str

_EXPORTS: Final = {
    "ACTIONS": "actions",
    "ACTION_IDS": "actions",
    "PHASES": "actions",
    "DealBatch": "batch",
    "ActionError": "errors",
    "AgentError": "errors",
    "CardError": "errors",
    "DeckError": "errors",
    "IllegalActionError": "errors",
    "MariasError": "errors",
    "OptionError": "errors",
    "RecordError": "errors",
    "RulesError": "errors",
    "StateError": "errors",
    "MariasEnv": "faces.gym_env",
    "Match": "match",
    "standard_match": "match",
    "replay": "records",
    "RULES": "rules",
    "Rules": "rules",
    "MariasVectorEnv": "faces.vector_env",
    "OneDeal": "one_deal",
    "Views": "views",
}
"""Where each public name lives."""
_MODULES: Final = ("integrations", "marias_v0")
"""Submodules that are public names themselves."""

__all__ = [
    "ACTIONS",
    "ACTION_IDS",
    "PHASES",
    "RULES",
    "ActionError",
    "AgentError",
    "CardError",
    "DealBatch",
    "DeckError",
    "IllegalActionError",
    "MariasEnv",
    "MariasError",
    "MariasVectorEnv",
    "Match",
    "OneDeal",
    "OptionError",
    "RecordError",
    "Rules",
    "RulesError",
    "StateError",
    "Views",
    "__version__",
    "integrations",
    "marias_v0",
    "replay",
    "standard_match",
]


def __getattr__(name: str) -> Any:
    if name in _EXPORTS:
        value = getattr(importlib.import_module(f"marias_env.{_EXPORTS[name]}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"marias_env.{name}")
    elif name == "__version__":
        from importlib.metadata import version

        value = version("marias-env")
    else:
        raise AttributeError(f"module 'marias_env' has no attribute {name!r}")
    globals()[name] = value  # the next access is an ordinary one
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _register() -> None:
    # Gymnasium finds environments by no other way than registration at import.
    try:
        from gymnasium.envs.registration import register, registry
    except ImportError:
        return
    if "Marias-v0" not in registry:
        register(
            id="Marias-v0",
            entry_point="marias_env.faces.gym_env:MariasEnv",
            vector_entry_point="marias_env.faces.vector_env:MariasVectorEnv",
        )


_register()
