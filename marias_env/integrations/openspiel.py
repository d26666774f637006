"""Mariáš as an OpenSpiel game, `python_marias`, for OpenSpiel's algorithms.

    import pyspiel
    from marias_env.integrations import openspiel

    openspiel.register()
    game = pyspiel.load_game("python_marias", {"rules": "online"})

A state is one row of a `DealBatch`; every rule is the core's.
"""

from __future__ import annotations

import importlib
import itertools
import json
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel

from marias_env.actions import ACTIONS, BLIND, NUM_ACTIONS, TRUMP
from marias_env.batch import DealBatch
from marias_env.cards import CARDS, cards_of
from marias_env.core.bounds import max_actions, max_units
from marias_env.core.chance import (
    Draw,
    blind_cards,
    deck_of,
    drawn,
    draws,
    outcome_of,
    packets_of,
    put_first,
)
from marias_env.core.deal import pack_rules
from marias_env.core.dealing import blind_card
from marias_env.core.history import history_of
from marias_env.errors import RulesError
from marias_env.integrations.openspiel_observer import MariasObserver, observer_arguments
from marias_env.options import Bound, Choice, Whole, check
from marias_env.positions import position_text
from marias_env.rules import Rules, rules_with_options

NAME = "python_marias"
PARAMETERS: Mapping[str, Any] = {
    "rules": "traditional",
    "suits": "scdh",
    "ranks": "789TJQKA",
    "options": "none",
    "dealing": "sampled",
    "dealer": -1,
    "seed": -1,
    "infostate": "one_hot",
}
"""Game parameters and their defaults.

`rules` is a preset, `suits` and `ranks` are the deck (RULES.md 9), `options` further fields of
`Rules`, as in `max_doublings:1;blind_trump:false`. `dealing` is `sampled` (one chance node with one
outcome, which draws a whole deck) or `explicit` (chance nodes with all their outcomes, for exact
methods). `dealer` is a seat, or -1 for a random one; `seed` that of sampled deals, -1 for a new
one; `infostate` the way event tokens stand in the information-state tensor: `one_hot` or `ids`.
"""

DEALING = Choice("sampled", "explicit")


def _game_type(explicit: bool) -> Any:
    modes = pyspiel.GameType.ChanceMode
    return pyspiel.GameType(
        short_name=NAME,
        long_name="Mariáš",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=modes.EXPLICIT_STOCHASTIC if explicit else modes.SAMPLED_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=3,
        min_num_players=3,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification=dict(PARAMETERS),
    )


class _Origin:
    """What all states of a game share, its random stream among it; never copied with them.

    In another process a pickled state finds no such object, and makes one: the stream starts anew.
    """

    _numbers = itertools.count()
    _known: weakref.WeakValueDictionary[Any, _Origin] = weakref.WeakValueDictionary()

    def __init__(self, params: Mapping[str, Any], number: int | None = None) -> None:
        given = {**PARAMETERS, **params}
        self.rules = _rules(given)
        self.explicit = _parameter("dealing", given["dealing"], DEALING) == "explicit"
        self.dealer = _parameter("dealer", given["dealer"], Whole(-1, 2))
        self.ids = _parameter("infostate", given["infostate"], Choice("one_hot", "ids")) == "ids"
        seed = _parameter("seed", given["seed"], Whole(-1))
        self.rng = np.random.default_rng(None if seed < 0 else seed)
        self.packed_rules = pack_rules(self.rules)
        self.fresh = DealBatch(1, self.rules, seed=0, autoreset=False)
        self._name = (
            tuple(sorted(params.items())),
            next(self._numbers) if number is None else number,
        )
        self._known[self._name] = self

    def deal(self) -> DealBatch:
        """Returns a shuffled deal."""
        batch = self.fresh.copy()
        batch.reset(int(self.rng.integers(1 << 62)))
        if self.dealer < 0:
            return batch
        return self.dealt(batch.deals["deck"][0, : self.rules.num_cards], self.dealer)

    def dealt(self, deck: npt.NDArray[Any], dealer: int) -> DealBatch:
        """Returns the deal of a deck."""
        batch = self.fresh.copy()
        batch.set_decks(deck, dealer)
        return batch

    def __deepcopy__(self, memo: Any) -> _Origin:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _origin_named, self._name


def _origin_named(params: tuple[tuple[str, Any], ...], number: int) -> _Origin:
    return _Origin._known.get((params, number)) or _Origin(dict(params), number)


def _rules(given: Mapping[str, Any]) -> Rules:
    options: dict[str, Any] = {"suits": given["suits"], "ranks": given["ranks"]}
    # OpenSpiel 1.6 and before cannot read an empty parameter, hence the word for no options.
    text = str(given["options"]).removeprefix("none")
    for item in filter(None, text.split(";")):
        name, _, value = item.partition(":")
        try:
            options[name.strip()] = json.loads(
                value.lower() if value in ("True", "False") else value
            )
        except ValueError:
            options[name.strip()] = value.strip()
    return rules_with_options(given["rules"], options)


def _parameter(name: str, value: Any, bound: Bound) -> Any:
    return check(f"game parameter {name}", value, bound, RulesError)


class MariasGame(pyspiel.Game):
    """The game; made by `pyspiel.load_game("python_marias", parameters)`.

    Args:
        params: see `PARAMETERS`.

    Raises:
        RulesError: unknown rules or options, or another parameter with a bad value.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        self.origin = origin = _Origin(params or {})
        outcomes = [draw.outcomes for draw in draws(origin.rules)] if origin.explicit else [1]
        outcomes.append(3 if origin.explicit and origin.dealer < 0 else 1)
        units = float(max_units(origin.rules))
        info = pyspiel.GameInfo(
            num_distinct_actions=NUM_ACTIONS,
            max_chance_outcomes=max(outcomes),
            num_players=3,
            min_utility=-units,
            max_utility=units,
            utility_sum=0.0,
            max_game_length=max_actions(origin.rules),
        )
        super().__init__(_game_type(origin.explicit), info, dict(params or {}))

    def new_initial_state(self) -> MariasState:
        """Returns the state before the deal."""
        return MariasState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Returns how many chance nodes a deal can have at most."""
        origin = self.origin
        return len(draws(origin.rules)) + 2 if origin.explicit else 1

    def __reduce__(self) -> tuple[Any, ...]:
        # OpenSpiel's own pickles are refused for sampled chance in Python games.
        return _game_again, (dict(self.get_parameters()),)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> MariasObserver:
        """Returns an observer: see `MariasObserver`."""
        kind = observer_arguments(iig_obs_type, params)
        return MariasObserver(self.origin.rules, kind, self.origin.ids)


class MariasState(pyspiel.State):
    """A state: one row of a `DealBatch`, or a deal on its way.

    Attributes:
        batch: the deal, a batch of one; None before all cards are dealt.
        turns_blind_up: a blind trump has been chosen and chance is to say which card it is.
    """

    def __init__(self, game: MariasGame) -> None:
        super().__init__(game)
        self.batch: DealBatch | None = None
        self.turns_blind_up = False
        self._origin = game.origin
        self._dealer = game.origin.dealer
        self._packets: tuple[tuple[int, ...], ...] = ()
        self._draw = 0

    # ------------------------------------------------------------------ whose turn

    def current_player(self) -> int:
        """Returns the seat on turn, or OpenSpiel's ids for chance and the end."""
        if self.batch is None or self.turns_blind_up:
            return int(pyspiel.PlayerId.CHANCE)
        turn = int(self.batch.deals["turn"][0])
        return turn if turn >= 0 else int(pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        """Returns whether the deal is over."""
        return self.batch is not None and int(self.batch.deals["turn"][0]) < 0

    def returns(self) -> list[float]:
        """Returns the units each seat has won, zeros before the end."""
        if self.batch is None:
            return [0.0, 0.0, 0.0]
        return [float(units) for units in self.batch.deals["payments"][0]]

    def _legal_actions(self, player: int) -> list[int]:
        assert self.batch is not None
        legal = int(self.batch.deals["legal"][0])
        return [action for action in range(NUM_ACTIONS) if legal >> action & 1]

    # ------------------------------------------------------------------ chance

    def _next_draw(self) -> Draw | None:
        # None while the dealer is to be drawn.
        return None if self._dealer < 0 else draws(self._origin.rules)[self._draw]

    def _left(self) -> list[int]:
        gone = {card for packet in self._packets for card in packet}
        return [card for card in cards_of(self._origin.rules.deck_mask) if card not in gone]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the outcomes at a chance node, all equally likely."""
        if not self._origin.explicit:
            return [(0, 1.0)]
        if self.turns_blind_up:
            assert self.batch is not None
            number = len(blind_cards(self.batch.deals[0]))
        else:
            draw = self._next_draw()
            number = 3 if draw is None else draw.outcomes
        return [(outcome, 1.0 / number) for outcome in range(number)]

    def _apply_chance(self, outcome: int) -> None:
        origin = self._origin
        if self.turns_blind_up:
            assert self.batch is not None
            card = blind_cards(self.batch.deals[0])[outcome]
            put_first(self.batch.deals[0], origin.rules, card)
            self.turns_blind_up = False
            self.batch.step(np.array([BLIND]))
        elif not origin.explicit:
            self.batch = origin.deal()
        elif self._dealer < 0:
            self._dealer = outcome
        else:
            self._apply_draw(outcome)

    def _apply_draw(self, outcome: int) -> None:
        rules = self._origin.rules
        plan = draws(rules)
        draw = plan[self._draw]
        cards = drawn(self._left(), draw, outcome)
        if draw.packet < len(self._packets):
            *others, last = self._packets
            self._packets = (*others, (*last, *cards))
        else:
            self._packets = (*self._packets, cards)
        self._draw += 1
        if self._draw == len(plan):
            self.batch = self._origin.dealt(deck_of(rules, self._packets), self._dealer)
            self._packets = ()  # the batch has it all: copies are faster without

    # ------------------------------------------------------------------ actions

    def _apply_action(self, action: int) -> None:
        if self.batch is None or self.turns_blind_up:
            self._apply_chance(action)
        elif self._turns_up(action):
            self.turns_blind_up = True
        else:
            self.batch.step(np.array([action]))

    def _turns_up(self, action: int) -> bool:
        # In an explicit game, which card a blind choice takes is a chance node (if not certain).
        if action != BLIND or not self._origin.explicit:
            return False
        assert self.batch is not None
        deal = self.batch.deals[0]
        return int(deal["phase"]) == TRUMP and len(blind_cards(deal)) > 1

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return ACTIONS[action]
        if not self._origin.explicit:
            return "deal"
        if self.turns_blind_up:
            assert self.batch is not None
            return f"turns up {CARDS[blind_cards(self.batch.deals[0])[action]]}"
        draw = self._next_draw()
        if draw is None:
            return f"dealer {action}"
        cards = "".join(CARDS[card] for card in drawn(self._left(), draw, action))
        return f"packet {draw.packet}: {cards}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _state_again, (dict(self.get_game().get_parameters()), self.serialize())

    def __str__(self) -> str:
        if self.batch is not None:
            return position_text(self.batch) + ("?" if self.turns_blind_up else "")
        packets = ("".join(CARDS[card] for card in packet) for packet in self._packets)
        return " ".join(["dealing", str(self._dealer), *packets])

    # ------------------------------------------------------------------ resampling

    def resample_from_infostate(
        self, player_id: int, probability_sampler: Callable[[], float]
    ) -> MariasState:
        """Returns a state that a player cannot tell from this one, its hidden cards drawn anew.

        All hands and talons that agree with what the player knows are equally likely
        (`marias_agents.worlds`). Its history is a course of play that leads there.

        Args:
            player_id: whose knowledge is kept.
            probability_sampler: returns random numbers in [0, 1); the only source of chance.
        """
        if self.batch is None:
            return self.clone()  # type: ignore[no-any-return]
        worlds = importlib.import_module("marias_agents.worlds")
        view = self.batch.views(seats=[player_id])
        seed = int(probability_sampler() * 2**53)
        deal = worlds.sample_worlds(view, 1, seed=seed).deals[0]
        state: MariasState = self.get_game().new_initial_state()
        state._replay(deal, self.turns_blind_up)
        return state

    def _replay(self, deal: Any, turns_blind_up: bool) -> None:
        # Leads an initial state to a given deal, through `apply_action`, for the history's sake.
        rules = self._origin.rules
        deck = deal["deck"][: rules.num_cards]
        if not self._origin.explicit:
            self.apply_action(0)
            self.batch = self._origin.dealt(deck, int(deal["dealer"]))
        else:
            self._replay_draws(packets_of(rules, deck), int(deal["dealer"]))
        for _, action in history_of(deal):
            self.apply_action(action)
            if self.turns_blind_up:
                assert self.batch is not None
                card = int(blind_card(deal, self._origin.packed_rules[0]))
                self.apply_action(blind_cards(self.batch.deals[0]).index(card))
        if turns_blind_up:
            self.apply_action(BLIND)

    def _replay_draws(self, packets: list[list[int]], dealer: int) -> None:
        if self._dealer < 0:
            self.apply_action(dealer)
        waiting = [list(packet) for packet in packets]
        for draw in draws(self._origin.rules):
            cards = [waiting[draw.packet].pop(0) for _ in range(draw.size)]
            self.apply_action(outcome_of(self._left(), draw, cards))


def _game_again(parameters: dict[str, Any]) -> Any:
    return pyspiel.load_game(register(), parameters)


def _state_again(parameters: dict[str, Any], text: str) -> Any:
    return _game_again(parameters).deserialize_state(text)


def register() -> str:
    """Registers the game with OpenSpiel (again has no effect); returns its name."""
    if NAME not in pyspiel.registered_names():
        pyspiel.register_game(_game_type(explicit=False), MariasGame)
    return NAME
