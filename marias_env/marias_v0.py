"""Mariáš for PettingZoo: three agents take turns through bidding, doubling and play.

    from marias_env import marias_v0

    env = marias_v0.env(rules="traditional")
    env.reset(seed=42)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        if termination or truncation:
            action = None
        else:
            action = env.action_space(agent).sample(observation["action_mask"])
        env.step(action)

| | |
|---|---|
| agents | `player_0`, `player_1`, `player_2`: the seats, clockwise; the seed draws the dealer |
| actions | `Discrete(48)` in every phase, names in `marias_env.ACTIONS` |
| observations | `observation`: int8 vector (`marias_env.observation`); `action_mask`: (48,) int8 |
| rewards | at the end of each deal the units each seat won, summing to zero; else 0.0 |
| ends | after one deal, or after a match (`episode="match"`) |

The mask is all zeros for an agent that is not on turn. An illegal action raises
`IllegalActionError` and changes nothing. Each `infos[agent]` is empty, or, once a deal has ended
and until that agent acts again, `{"payments": (units of seat 0, 1, 2), "deals_played": n}`.

Version history: v0, the first.
"""

from __future__ import annotations

from typing import Any

import pettingzoo

from marias_env.errors import StateError
from marias_env.faces.aec_env import AFTER_RESET, AGENTS, Table
from marias_env.faces.rendering import RENDER_FPS, RENDER_MODES, render_table
from marias_env.faces.spaces import SeatActions

__all__ = ["AGENTS", "env", "raw_env"]


def env(**kwargs: Any) -> raw_env:
    """Returns the environment; arguments as of `raw_env`.

    PettingZoo's own games come wrapped here, which makes every decision several times as slow.
    `raw_env` checks the order of calls and the legality of actions itself, so nothing is wrapped.
    """
    return raw_env(**kwargs)


class raw_env(Table):  # noqa: N801 (PettingZoo's name for it)
    """One table of Mariáš as a PettingZoo AEC environment.

    A running game survives `pickle`, `copy.deepcopy` and `clone()`, random streams included.

    Args:
        rules: a preset's name or a rule set; it never changes afterwards.
        episode: `"deal"`: one deal. `"match"`: deals follow each other until the match is over;
            rewards come at the end of each.
        match: for `episode="match"`: a `Match`, or how many dealer rotations `standard_match`
            takes; None: the standard match of the rules.
        reward: `"units"`, or `"chips"`: units times the match's `chips_per_point`.
        max_cycles: truncates the episode after so many decisions; None: never.
        render_mode: None, `"ansi"` (`render()` returns text), `"rgb_array"` (a picture, (620, 900,
            3) uint8; the extra `video`) or `"human"` (the table is written to standard output after
            every step).
        language: `"en"` or `"cs"`, for rendering.
        perspective: whose cards rendering shows: a seat, `"turn"` (the seat on turn; all cards once
            the deal is over) or `"all"`.
        dtype: of observations and states, int8 or float32.

    Raises:
        RulesError: unknown rules, or a number of rotations out of range.
        OptionError: an argument that is none of the above.
    """

    metadata: dict[str, Any] = {
        "name": "marias_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
        "is_parallelizable": False,
    }

    # ------------------------------------------------------------------ rendering

    def render(self) -> Any:
        """Returns the table as text or pixels, or writes it; see `faces.rendering.RENDER_MODES`.

        Raises:
            StateError: before `reset`.
        """
        if self.render_mode is not None and not self._dealt:
            raise StateError("render() before reset()")
        seat: int | None = None if self.perspective == "all" else int(self._deals["turn"][0])
        if self.perspective in (0, 1, 2):
            seat = int(self.perspective)
        seat = None if seat is not None and seat < 0 else seat
        return render_table(self.render_mode, self._batch, seat, self.language)

    def close(self) -> None:
        """Does nothing: there is nothing to release."""

    # ------------------------------------------------------------------ copies

    def clone(self) -> raw_env:
        """Returns an independent copy of the running game; both go on from here alike."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._take(self._batch.copy())
        other._owed = set(self._owed)
        other.possible_agents = list(self.possible_agents)
        for name in AFTER_RESET:
            value = self.__dict__.get(name)
            if isinstance(value, (dict, list)):
                setattr(other, name, value.copy())
        if self._dealt:
            other.infos = {agent: dict(info) for agent, info in self.infos.items()}
        other.action_spaces = {}
        for agent, space in self.action_spaces.items():
            other.action_spaces[agent] = SeatActions(other, space.seat)
            if space._np_random is not None:
                state = space._np_random.bit_generator.state
                other.action_spaces[agent].np_random.bit_generator.state = state
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> raw_env:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        dropped = ("_one", "_deals", "_packed")
        return {name: value for name, value in self.__dict__.items() if name not in dropped}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._take(self._batch)
        for space in self.action_spaces.values():
            space.link(self)

    def __repr__(self) -> str:
        episode = "deal" if self.match is None else f"{self.match!r}"
        return f"<marias_v0 dealing={self.rules.dealing!r} episode={episode}>"


# Newer versions of PettingZoo have a registry; there is no discovery, so it is filled here.
if hasattr(pettingzoo, "register") and "marias-v0" not in getattr(pettingzoo, "aec_registry", {}):
    pettingzoo.register("aec", "marias_v0", entry_point="marias_env.marias_v0:env")
