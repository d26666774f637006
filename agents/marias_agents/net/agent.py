"""The agent `net`: `net:base`, or `net:FILE` with weights of your own."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from marias_agents.net.kernel import logit_rows, net_rows, new_scratch
from marias_agents.net.shape import NetParams
from marias_agents.net.weights import FOLDER, SUFFIX, load_weights
from marias_env.actions import NUM_ACTIONS
from marias_env.errors import AgentError
from marias_env.rules import RULES, Rules
from marias_env.seeds import random_root
from marias_env.views import Views

DEFAULT: Final = "base"


class NetAgent:
    """Plays from a network, one forward pass a decision.

    Without a seed it takes the action it finds best. With one it draws from its policy; the draw
    is a hash of seed and view, so that the same view gets the same action.

    Args:
        params: the network, or networks by preset: of several, a table gets the one that was
            trained for its way of dealing.
        name: what tables call it.
        seed: None: the best action, always.

    Raises:
        AgentError: weights that are not finite.
    """

    def __init__(
        self, params: NetParams | Mapping[str, NetParams], name: str, seed: int | None = None
    ) -> None:
        self._by_preset = params if isinstance(params, Mapping) else {"": params}
        for one in self._by_preset.values():
            for part, values in one._asdict().items():
                # A NaN would lose every comparison, and the first action be taken whatever it is.
                if not np.isfinite(values).all():
                    raise AgentError(f"agent {name!r}: weights {part!r} are not finite")
        self.name = name if seed is None else f"{name}@{seed}"
        self.seed = seed
        self._key = random_root(seed or 0)

    def params_for(self, rules: Rules) -> NetParams:
        """Returns the network that plays under a rule set."""
        for preset, params in self._by_preset.items():
            if preset and RULES[preset].dealing == rules.dealing:
                return params
        return next(iter(self._by_preset.values()))

    def act(self, views: Views, masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Chooses an action for every view (the masks are in the views)."""
        params = self.params_for(views.rules)
        actions = np.empty(len(views), dtype=np.int64)
        net_rows(
            views.deals,
            views.packed_rules,
            params,
            new_scratch(params),
            self.seed is not None,
            self._key,
            actions,
        )
        return actions

    def logits(self, views: Views) -> npt.NDArray[np.float32]:
        """Returns (N, 48) float32 by action id: the policy before the softmax, illegal ones too."""
        params = self.params_for(views.rules)
        out = np.empty((len(views), NUM_ACTIONS), dtype=np.float32)
        logit_rows(views.deals, views.packed_rules, params, new_scratch(params), out)
        return out

    def __repr__(self) -> str:
        return f"make({self.name!r})"


@functools.lru_cache(maxsize=8)
def _shipped(name: str) -> dict[str, NetParams]:
    found = {}
    for preset in RULES:
        path = FOLDER / f"{name}-{preset}{SUFFIX}"
        if path.is_file():
            found[preset] = load_weights(path).params
    return found


def shipped_names() -> list[str]:
    """Returns the names of the networks that come with the package."""
    return sorted({path.stem.rpartition("-")[0] for path in FOLDER.glob(f"*{SUFFIX}")})


def make_net(argument: str = "", seed: int = 0) -> NetAgent:
    """Makes the agent `net`; seed 0 takes the best action, another one draws from the policy.

    Args:
        argument: name of a network of the package, or a weight file.
        seed: see above.

    Raises:
        AgentError: there is no such network, or its file is refused.
    """
    what = argument or DEFAULT
    params: NetParams | dict[str, NetParams] = _shipped(what) if what.isidentifier() else {}
    if not params:
        if not Path(what).is_file():
            raise AgentError(
                f"agent 'net': no network {what!r}; expected one of {', '.join(shipped_names())}, "
                "or the path of a weight file"
            )
        params = load_weights(what).params
    return NetAgent(params, "net" + (f":{argument}" if argument else ""), seed or None)
