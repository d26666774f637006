"""The agent `net+pimc`: a network bids, and says which cards are worth searching."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from marias_agents.agent import Agent
from marias_agents.net.agent import DEFAULT, make_net
from marias_agents.search import options as pimc
from marias_agents.search.agent import PimcAgent
from marias_agents.search.cards import decide_card
from marias_agents.search.engine import Floats, Ints
from marias_agents.search.searching import Decision
from marias_env.actions import PLAY
from marias_env.errors import AgentError
from marias_env.options import Bound, Text, Whole, check_fields
from marias_env.views import Views

BOUNDS: Final[Mapping[str, Bound]] = MappingProxyType(
    {**pimc.BOUNDS, "net": Text(), "top": Whole(1, 32)}
)


@dataclasses.dataclass(frozen=True)
class NetPimcOptions(pimc.PimcOptions):
    """How `net+pimc` searches: as `pimc`, where `rules` in `bids` and `cards` is the network.

    Attributes:
        net: name of a network of the package, or a weight file.
        top: so many of the cards that play differently are searched, those the network likes best.
    """

    net: str = DEFAULT
    top: int = 3

    def __post_init__(self) -> None:
        check_fields(self, BOUNDS, AgentError, "agent 'net+pimc': ")


class NetPimcAgent(PimcAgent):
    """Bids as a network, and searches the cards that it likes best.

    Args:
        options: how it searches.
        seed: agents of different seeds sample different worlds.
        name: what tables call it.

    Raises:
        AgentError: there is no such network, or its file is refused.
    """

    def __init__(self, options: NetPimcOptions, seed: int = 0, name: str = "net+pimc") -> None:
        super().__init__(options, seed, name)
        self._net = make_net(options.net)
        self._top = options.top

    def _first(self, views: Views) -> Ints:
        return self._net.act(views, views.legal_mask())

    def _decide(self, views: Views, i: int, base_action: int) -> Decision:
        view = views.deals[i : i + 1]
        legal = int(view["legal"][0])
        searched = view["phase"][0] == PLAY and self.options.cards != "rules"
        if not searched or legal & (legal - 1) == 0:
            return super()._decide(views, i, base_action)
        self._engine.start_clock()
        liked = liked_cards(self._net.logits(views[[i]])[0].astype(np.float64), legal)
        return decide_card(self._engine, view, views.packed_rules, base_action, liked, self._top)


def liked_cards(logits: Floats, legal: int) -> Floats:
    """Returns (32,) how much a network likes each legal card or its next one in the suit.

    Of cards that play alike the search tries one, and the network may have put its trust in
    another.

    Args:
        logits: (48,) by action id.
        legal: bit set of legal cards.
    """
    liked = np.full(32, -np.inf)
    for suit in range(4):
        cards = [card for card in range(8 * suit, 8 * suit + 8) if legal >> card & 1]
        for k, card in enumerate(cards):
            liked[card] = max(logits[near] for near in cards[max(k - 1, 0) : k + 2])
    return liked


def make_net_pimc(argument: str = "", seed: int = 0) -> Agent:
    """Makes the agent `net+pimc`."""
    name = "net+pimc" + (f":{argument}" if argument else "") + (f"@{seed}" if seed else "")
    values = pimc.parse_values(argument, BOUNDS, "net+pimc")
    return NetPimcAgent(NetPimcOptions(**values), seed, name)
