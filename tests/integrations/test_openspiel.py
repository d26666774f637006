"""The OpenSpiel face: OpenSpiel's own checks, agreement with the core, copies, no leaks."""

from __future__ import annotations

import copy
import itertools
import pickle
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import generate_playthrough

from marias_env import DealBatch
from marias_env.errors import RulesError
from marias_env.integrations import openspiel
from tests.hidden import permuted
from tests.integrations.agreement import check_mask, paid
from tests.integrations.openspiel_cases import (
    FOURTEEN,
    GAMES,
    MINI,
    everything_seen,
    load,
    random_states,
)

pytestmark = pytest.mark.integration

# ---------------------------------------------------------------------- OpenSpiel's own checks


@pytest.mark.parametrize("parameters", GAMES, ids=str)
def test_random_simulations(parameters: dict[str, Any]) -> None:
    # Sampled chance asks for a generator's state there, which no Python game can give.
    explicit = parameters.get("dealing") == "explicit"
    pyspiel.random_sim_test(load(parameters), num_sims=5, serialize=explicit, verbose=False)


@pytest.mark.parametrize("parameters", [GAMES[1], MINI, FOURTEEN], ids=str)
def test_playthrough(parameters: dict[str, Any]) -> None:
    game = str(load(parameters))

    def lines() -> list[str]:
        found = generate_playthrough.playthrough_lines(game, seed=7)
        # A serialised sampled state names its game's random stream, each game its own.
        return [line for line in found if not line.startswith("SerializeState")]

    text = "\n".join(lines())
    assert text == "\n".join(lines())
    assert "Returns() = " in text
    assert "PublicObservationString() = " in text


def test_game() -> None:
    game = load({})
    assert openspiel.register() == "python_marias"
    assert game.num_players() == 3
    assert game.num_distinct_actions() == 48
    assert game.utility_sum() == 0.0
    assert game.min_utility() == -game.max_utility() < -1000
    assert game.max_game_length() >= 50
    for parameters in (GAMES[0], FOURTEEN):
        again = pickle.loads(pickle.dumps(load(parameters)))
        assert str(again) == str(load(parameters))
    assert again.max_chance_outcomes() == 1001
    options = load({"options": "max_doublings:1; open_contracts:false"})
    assert options.origin.rules.max_doublings == 1
    assert not options.origin.rules.open_contracts


@pytest.mark.parametrize(
    "parameters",
    [{"rules": "whist"}, {"suits": "xy"}, {"ranks": "TJQK"}, {"dealing": "card"}, {"dealer": 3}]
    + [{"infostate": "x"}, {"options": "max_doublings:99"}, {"options": "unknown:1"}],
)
def test_bad_parameters_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(RulesError):
        load(parameters)


# ---------------------------------------------------------------------- agreement with the core


@pytest.mark.parametrize("rules", ["traditional", "online"])
def test_deals_agree_with_the_core(rules: str) -> None:
    # 500 deals for each of two rule sets.
    rng = np.random.default_rng(5)
    game = load({"rules": rules, "seed": 5})
    dealers = set()
    for number in range(500):
        state = game.new_initial_state()
        assert state.chance_outcomes() == [(0, 1.0)]
        state.apply_action(0)
        deal = state.batch.deals[0]
        dealers.add(int(deal["dealer"]))
        core = DealBatch(1, rules, seed=0, autoreset=False)
        core.set_decks(deal["deck"].astype(np.int64), int(deal["dealer"]))
        while not state.is_terminal():
            assert state.current_player() == core.turn[0]
            legal = np.flatnonzero(core.legal_mask()[0]).tolist()
            assert state.legal_actions() == legal
            assert state.legal_actions(int(core.turn[0] + 1) % 3) == []
            if rng.random() < 0.02:
                check_mask(state.batch, 0, state.legal_actions_mask())
            action = int(rng.choice(legal))
            core.step([action])
            state.apply_action(action)
        assert core.turn[0] == -1
        assert state.returns() == core.payments[0].tolist()
        assert sum(state.returns()) == 0
        assert max(state.returns()) <= game.max_utility()
        if number % 10 == 0:
            assert state.returns() == paid(state.batch, 0)
    assert dealers == {0, 1, 2}


def test_illegal_actions_change_nothing() -> None:
    for state in random_states(MINI, 3):
        if state.is_terminal() or state.is_chance_node():
            continue
        before = str(state)
        illegal = next(a for a in range(48) if a not in state.legal_actions())
        with pytest.raises(Exception, match="not legal"):
            state.apply_action(illegal)
        assert str(state) == before


# ---------------------------------------------------------------------- chance


@pytest.mark.parametrize("parameters", [MINI, FOURTEEN, GAMES[4], {"dealing": "explicit"}], ids=str)
def test_chance_is_uniform(parameters: dict[str, Any]) -> None:
    game = load(parameters)
    nodes = 0
    for state in random_states(parameters, 15, blind=0.9):
        nodes = nodes + 1 if state.is_chance_node() else 0
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            assert [outcome for outcome, _ in outcomes] == list(range(len(outcomes)))
            assert len(outcomes) <= game.max_chance_outcomes()
            assert sum(p for _, p in outcomes) == pytest.approx(1.0)
            assert len({p for _, p in outcomes}) == 1
            names = {state.action_to_string(-1, outcome) for outcome, _ in outcomes[:300]}
            assert len(names) == len(outcomes[:300])
            assert nodes <= game.max_chance_nodes_in_history()


def test_every_deal_is_dealt_once() -> None:
    dealt: dict[bytes, float] = {}

    def deal(state: Any, probability: float) -> None:
        if not state.is_chance_node():
            hands = state.batch.deals[["hands", "pending", "talon"]].tobytes()
            assert hands not in dealt
            dealt[hands] = probability
            return
        for outcome, p in state.chance_outcomes():
            deal(state.child(outcome), probability * p)

    deal(load({**MINI, "dealer": 0}).new_initial_state(), 1.0)
    assert len(dealt) == 20
    assert np.allclose(list(dealt.values()), 1 / 20)


def test_a_blind_trump_is_chance() -> None:
    turned = set()
    for state in random_states(FOURTEEN, 12, blind=1.0):
        if state.turns_blind_up:
            assert state.is_chance_node()
            assert len(state.chance_outcomes()) == 2
            before = [state.information_state_string(player) for player in range(3)]
            for outcome, _ in state.chance_outcomes():
                child = state.child(outcome)
                turned.add(str(child))
                for player in range(3):
                    text = child.information_state_string(player)
                    assert text.startswith(before[player].removesuffix(" blind"))
                    assert player == 0 or "trump_card:" not in text
                assert "trump_card:" in child.information_state_string(0)
    assert len(turned) == 24


# ---------------------------------------------------------------------- what players see


@pytest.mark.parametrize("parameters", [*GAMES[:3], FOURTEEN], ids=str)
def test_hidden_cards_change_nothing_seen(parameters: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    game = load(parameters)
    kinds = pyspiel.PrivateInfoType
    public = game.make_py_observer(
        pyspiel.IIGObservationType(perfect_recall=True, private_info=kinds.NONE)
    )
    alone = game.make_py_observer(
        pyspiel.IIGObservationType(perfect_recall=False, public_info=False)
    )
    changed = 0
    for state in random_states(parameters, 25):
        if state.is_chance_node() or state.is_terminal() or rng.random() > 0.15:
            continue
        everybody = {public.string_from(state, player) for player in range(3)}
        assert len(everybody) == 1
        for player in range(3):
            other = permuted(state.batch.deals[0], player, state.batch.rules, rng)
            if other is None:
                continue
            twin = state.clone()
            twin.batch.deals[0] = other
            changed += 1
            assert everything_seen(twin, player) == everything_seen(state, player)
            assert alone.string_from(twin, player) == alone.string_from(state, player)
            assert public.string_from(twin, 0) in everybody
            public.set_from(twin, player)
            tensor = public.tensor.copy()
            public.set_from(state, 0)
            assert (public.tensor == tensor).all()
    assert changed > 50


@pytest.mark.parametrize("parameters", [MINI, FOURTEEN, GAMES[4]], ids=str)
def test_information_states_are_views(parameters: dict[str, Any]) -> None:
    # Strings, tensors and views agree on what a player can tell apart, and the past stays known.
    of: list[dict[Any, Any]] = [{}, {}, {}]
    met = 0
    known = ["", "", ""]
    for state in random_states({**parameters, "dealer": 2}, 120):
        if state.batch is None:
            known = ["", "", ""]
        if state.is_chance_node() or state.is_terminal():
            continue
        for player in range(3):
            text = state.information_state_string(player)
            assert text.startswith(known[player].removesuffix(" blind"))
            known[player] = text
            # Explicit decks are ordered within packets, so equal knowledge is equal bytes, but for
            # the packet that a blind choice has reordered.
            deal = state.batch.views(seats=[player]).deals
            if deal["blind"][0]:
                deal["deck"] = 0
            deal["rng"] = 0
            view = deal.tobytes()
            tensor = np.array(state.information_state_tensor(player), np.float32).tobytes()
            met += text in of[0]
            for number, key, value in ((0, text, view), (1, view, text), (2, text, tensor)):
                assert of[number].setdefault(key, value) == value
    assert len(set(of[2].values())) == len(of[2])
    assert met > 20


def test_observations_are_the_cores() -> None:
    game = load(GAMES[0])
    state_of = game.make_py_observer(
        pyspiel.IIGObservationType(
            perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS
        )
    )
    strings: dict[str, bytes] = {}
    for state in itertools.islice(random_states(GAMES[0], 10), 1, None, 3):
        if state.batch is None:
            continue
        for player in range(3):
            vector = state.batch.observe(player)[0]
            assert (np.array(state.observation_tensor(player)) == vector).all()
            text = state.observation_string(player)
            assert strings.setdefault(text, vector.tobytes()) == vector.tobytes()
            state_of.set_from(state, player)
            assert (state_of.tensor == state.batch.state(player)[0]).all()
            ids = load({**GAMES[0], "infostate": "ids"}).make_py_observer(
                pyspiel.IIGObservationType(perfect_recall=True)
            )
            ids.set_from(state, player)
            tokens, lengths = state.batch.tokens(player)
            assert (ids.tensor[: lengths[0]] == tokens[0, : lengths[0]]).all()
            assert not ids.tensor[lengths[0] :].any()
            one_hot = np.reshape(
                state.information_state_tensor(player), game.information_state_tensor_shape()
            )
            assert one_hot.sum() == lengths[0]
    with pytest.raises(ValueError, match="expected none"):
        game.make_py_observer(None, {"x": 1})


# ---------------------------------------------------------------------- copies


@pytest.mark.parametrize("parameters", [*GAMES[:2], MINI, FOURTEEN], ids=str)
def test_copies_at_every_node(parameters: dict[str, Any]) -> None:
    game = load(parameters)
    rng = np.random.default_rng(2)
    for state in random_states(parameters, 3, blind=1.0):
        copies = [
            state.clone(),
            copy.deepcopy(state),
            pickle.loads(pickle.dumps(state)),
            game.deserialize_state(state.serialize()),
        ]
        if "seed" not in parameters:  # sampled chance: OpenSpiel refuses for any Python game
            text = pyspiel.serialize_game_and_state(state.get_game(), state)
            copies.append(pyspiel.deserialize_game_and_state(text)[1])
        for other in copies:
            assert str(other) == str(state)
            assert other.history() == state.history()
            assert other.current_player() == state.current_player()
            assert other.legal_actions() == state.legal_actions()
            assert other.returns() == state.returns()
            for player in range(3):
                assert everything_seen(other, player) == everything_seen(state, player)
        if state.is_terminal() or parameters.get("seed"):
            continue
        before = str(state)
        while not copies[0].is_terminal():  # they go on alike, and leave the state alone
            action = int(rng.choice(copies[0].legal_actions()))
            for other in copies:
                other.apply_action(action)
            assert len({str(other) for other in copies}) == 1
        assert str(state) == before


def test_sampled_deals_differ_and_repeat_with_the_seed() -> None:
    def decks(seed: int) -> list[str]:
        root = load({"seed": seed}).new_initial_state()
        return [str(root.child(0)) for _ in range(5)]

    assert len(set(decks(1))) == 5
    assert decks(1) == decks(1) != decks(2)


# ---------------------------------------------------------------------- resampling


@pytest.mark.parametrize("parameters", [*GAMES[:2], MINI, FOURTEEN, GAMES[4]], ids=str)
def test_resampling(parameters: dict[str, Any]) -> None:
    rng = np.random.default_rng(3)
    moved = 0
    for state in random_states(parameters, 12, blind=0.5):
        if state.is_terminal() or rng.random() > 0.3:
            continue
        for player in range(3):
            number = float(rng.random())
            drawn = state.resample_from_infostate(player, lambda number=number: number)
            assert everything_seen(drawn, player) == everything_seen(state, player)
            assert drawn.current_player() == state.current_player()
            again = state.resample_from_infostate(player, lambda number=number: number)
            assert str(again) == str(drawn)
            moved += str(drawn) != str(state)
            if state.current_player() in (player, pyspiel.PlayerId.CHANCE):
                assert drawn.legal_actions() == state.legal_actions()
            assert len(drawn.history()) == len(state.history())
            if parameters.get("dealing") == "explicit":  # its history leads there
                replayed = load(parameters).new_initial_state()
                for action in drawn.history():
                    assert action in replayed.legal_actions()
                    replayed.apply_action(action)
                assert str(replayed) == str(drawn)
    assert moved > 30


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("seed", (-2, 1.5, "x", True)),
        ("dealer", (-2, 3, 1.0, True)),
        ("dealing", ("drawn", 1)),
        ("infostate", ("words", None)),
        ("rules", ("no", 1)),
    ],
)
def test_parameters_that_a_game_cannot_have(name: str, values: tuple[Any, ...]) -> None:
    for value in values:
        with pytest.raises(RulesError, match=name):
            openspiel.MariasGame({name: value})


def test_actions_are_integers_of_any_kind_and_nothing_else() -> None:
    state = load({"seed": 1}).new_initial_state()
    state.apply_action(0)
    action = state.legal_actions()[0]
    other = state.clone()
    state.apply_action(action)
    other.apply_action(np.int64(action))
    assert str(state) == str(other)
    before = str(other)
    for bad in (1.5, "Qh", None, [1, 2]):
        with pytest.raises(TypeError):
            other.apply_action(bad)
    assert str(other) == before
