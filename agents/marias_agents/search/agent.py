"""The agent `pimc`: determinized search in every phase of a deal."""

from __future__ import annotations

from marias_agents.agent import Agent
from marias_agents.search.bidding import decide_bid
from marias_agents.search.cards import decide_card
from marias_agents.search.engine import Engine
from marias_agents.search.options import PimcOptions, parse_options
from marias_agents.search.searching import Decision, Searcher
from marias_env.actions import PLAY
from marias_env.views import Views


class PimcAgent(Searcher):
    """Samples worlds that agree with all the seat knows, and values every option in each.

    Args:
        options: how it searches.
        seed: agents of different seeds sample different worlds.
        name: what tables call it.
    """

    def __init__(self, options: PimcOptions, seed: int = 0, name: str = "pimc") -> None:
        super().__init__(Engine(options, seed), seed, name)
        self.options = options

    def _decide(self, views: Views, i: int, base_action: int) -> Decision:
        view = views.deals[i : i + 1]
        legal = int(view["legal"][0])
        if legal & (legal - 1) == 0:
            return Decision(base_action, "nothing else is legal")
        self._engine.start_clock()
        playing = view["phase"][0] == PLAY
        if (self.options.cards if playing else self.options.bids) == "rules":
            return Decision(base_action, "without search")
        decide = decide_card if playing else decide_bid
        return decide(self._engine, view, views.packed_rules, base_action)

    def __repr__(self) -> str:
        return f"make({self.name!r})"


def make_pimc(argument: str = "", seed: int = 0) -> Agent:
    """Makes the agent `pimc`."""
    name = "pimc" + (f":{argument}" if argument else "") + (f"@{seed}" if seed else "")
    return PimcAgent(parse_options(argument), seed, name)
