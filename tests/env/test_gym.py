"""The Gymnasium face: checkers, opponents, illegal actions, rewards, saved games, hidden cards."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.utils.env_checker import check_env

import marias_env
from marias_env import RULES, MariasEnv, Match
from marias_env.errors import (
    ActionError,
    AgentError,
    DeckError,
    IllegalActionError,
    RecordError,
    RulesError,
    StateError,
)
from tests.hidden import permuted, put


class First:
    """Takes the lowest legal action."""

    name = "first"

    def act(self, views: Any, masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        return masks.argmax(axis=1)


class Wrong:
    """Answers with something else than one legal action per view."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, views: Any, masks: npt.NDArray[np.int8]) -> Any:
        masks[:] = 1
        return self.answer


def choose(mask: npt.NDArray[np.int8], rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


CONFIGURATIONS: list[dict[str, Any]] = [
    {},
    {"rules": "online", "opponents": "good", "seat": "rotate"},
    {"observation": "vector", "dtype": np.float32, "illegal": "penalty", "episode": "match"},
    {"opponents": ["random", First()], "seat": "random", "illegal_penalty": 3.0},
]


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_checkers(configuration: dict[str, Any]) -> None:
    env = gymnasium.make("Marias-v0", **configuration)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # not even a warning
        check_env(env.unwrapped)
    # Through the wrappers of `make`, too.
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=1)
    terminated = False
    while not terminated:
        _, _, terminated, _, info = env.step(choose(info["action_mask"], rng))


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_the_checker_of_stable_baselines3(configuration: dict[str, Any]) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checker.check_env(gymnasium.make("Marias-v0", **configuration).unwrapped)


def test_spaces_and_info() -> None:
    env = gymnasium.make("Marias-v0").unwrapped
    assert isinstance(env, MariasEnv)
    observation, info = env.reset(seed=1)
    assert env.action_space == gymnasium.spaces.Discrete(48)
    assert set(observation) == {"observation", "action_mask"}
    assert observation in env.observation_space
    assert (env.action_masks() == info["action_mask"]).all()
    assert (observation["action_mask"] == info["action_mask"]).all()
    assert info["seat"] == 0
    assert info["illegal_action"] is False
    assert info["payments"].tolist() == [0, 0, 0]
    _, reward, terminated, truncated, _ = env.step(np.array([choose(info["action_mask"], RNG)]))
    assert (type(reward), type(terminated), truncated) == (float, bool, False)


RNG = np.random.default_rng(11)


@pytest.mark.parametrize(
    ("deals", "configuration"),
    [
        (600, {}),
        (200, {"rules": "online", "seat": "random"}),
        (100, {"rules": "additive", "opponents": First(), "seat": "rotate"}),
        (100, {"opponents": ["good", "random"], "seat": 2}),
    ],
)
def test_a_thousand_deals_agree_with_the_core(deals: int, configuration: dict[str, Any]) -> None:
    env = gymnasium.make("Marias-v0", **configuration).unwrapped
    assert isinstance(env, MariasEnv)
    rng = np.random.default_rng(2)
    seats = set()
    for deal in range(deals):
        _, info = env.reset(seed=3 if deal == 0 else None)
        seats.add(info["seat"])
        total, paid, terminated = 0.0, np.zeros(3, np.int64), False
        while not terminated:
            if deal % 10 == 0:
                core = marias_env.replay(env.record())
                assert np.array_equal(core.legal_mask()[0], info["action_mask"])
                assert core.turn[0] == info["seat"]
            _, reward, terminated, _, info = env.step(choose(info["action_mask"], rng))
            total += reward
            paid += info["payments"]
            assert not info["illegal_action"]
        record = env.record()
        assert paid.tolist() == record["payments"]
        assert paid.sum() == 0
        assert total == paid[info["seat"]]
        if deal % 5 == 0:
            marias_env.replay(record)  # every action legal, payments as recorded
    expected = {0: {0}, 2: {2}, "rotate": {0, 1, 2}, "random": {0, 1, 2}}
    assert seats == expected[configuration.get("seat", 0)]


def test_match_pays_at_the_end_of_each_deal() -> None:
    match = Match(deals=4, chips_per_point=0.5)
    env = MariasEnv(episode="match", match=match, reward="chips", opponents="good")
    rng = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    total, paid, deals, terminated = 0.0, np.zeros(3, np.int64), 0, False
    while not terminated:
        _, reward, terminated, _, info = env.step(choose(info["action_mask"], rng))
        assert reward == info["payments"][0] * 0.5
        total += reward
        paid += info["payments"]
        deals += bool(info["payments"].any())
    assert deals == 4
    assert total == paid[0] * 0.5
    assert (paid == env.batch.totals[0]).all()


def test_illegal_actions() -> None:
    rng = np.random.default_rng(5)
    for illegal in ("random", "penalty", "error"):
        env = MariasEnv(illegal=illegal, illegal_penalty=2.5)
        _, info = env.reset(seed=1)
        before = env.batch.to_bytes()
        action = int(np.flatnonzero(info["action_mask"] == 0)[0])
        if illegal == "error":
            with pytest.raises(IllegalActionError, match="not legal for seat 0"):
                env.step(action)
        else:
            _, reward, _, _, after = env.step(action)
            assert after["illegal_action"] is True
            assert reward == (-2.5 if illegal == "penalty" else 0.0)
        assert (env.batch.to_bytes() == before) == (illegal != "random")
        if illegal == "random":
            marias_env.replay(env.record())
            for _ in range(30):  # any action will do, legal ones are taken
                _, info = env.reset()
                terminated = False
                while not terminated:
                    _, _, terminated, _, info = env.step(int(rng.integers(48)))
                marias_env.replay(env.record())


@pytest.mark.parametrize("action", [None, "Qh", 1.0, [1, 2], [[1], [1, 2]], True])
def test_bad_actions(action: Any) -> None:
    env = MariasEnv()
    with pytest.raises(StateError, match="reset"):
        env.step(0)
    env.reset(seed=1)
    before = env.batch.to_bytes()
    with pytest.raises(ActionError):
        env.step(action)
    assert env.batch.to_bytes() == before


def test_step_after_the_end() -> None:
    env = MariasEnv()
    env.reset(seed=1)
    terminated = False
    while not terminated:
        _, _, terminated, _, info = env.step(0)
    assert not info["action_mask"].any()
    with pytest.raises(StateError, match="reset"):
        env.step(0)


@pytest.mark.parametrize(
    "answer",
    [[0.5], np.zeros(0, int), [[1]], np.array([48]), np.array([-1]), np.array([47]), "good", None],
)
def test_opponents_that_answer_wrongly(answer: Any) -> None:
    # `Wrong` sets all masks to 1, which must not make anything legal either.
    env = MariasEnv(seat=1)
    _, info = env.reset(seed=1)
    env._learners.opponents = (Wrong(answer), Wrong(answer))
    for _ in range(30):
        before = env.batch.to_bytes()
        try:
            _, _, terminated, _, info = env.step(choose(info["action_mask"], RNG))
        except AgentError as error:
            assert "Wrong" in str(error)  # noqa: PT017 (how many steps come before is chance)
            assert env.batch.to_bytes() == before
            return
        assert not terminated
    pytest.fail("no error")


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (AgentError, {"opponents": "nobody"}),
        (AgentError, {"opponents": []}),
        (AgentError, {"opponents": ["random"] * 3}),
        (AgentError, {"opponents": 5}),
        (AgentError, {"opponents": [5]}),
        (RulesError, {"rules": "whist"}),
        (RulesError, {"episode": "match", "match": 0}),
        (ValueError, {"episode": "hand"}),
        (ValueError, {"match": 1}),
        (ValueError, {"seat": 3}),
        (ValueError, {"seat": True}),
        (ValueError, {"reward": "euros"}),
        (ValueError, {"illegal": "ignore"}),
        (ValueError, {"observation": "pixels"}),
        (ValueError, {"render_mode": "depth_array"}),
        (ValueError, {"language": "de"}),
        (ValueError, {"dtype": np.int64}),
    ],
)
def test_bad_arguments(error: type[Exception], arguments: dict[str, Any]) -> None:
    with pytest.raises(error):
        MariasEnv(**arguments)


def test_options() -> None:
    env = MariasEnv(opponents=First())
    deck = list(range(32))[::-1]
    _, info = env.reset(seed=1, options={"deck": deck, "dealer": 2, "seat": 1})
    assert info["seat"] == 1
    record = env.record()
    assert [marias_env.ACTIONS.index(card) for card in record["deck"]] == deck
    assert record["dealer"] == 2
    other = MariasEnv(opponents=First(), seat=1)
    _, again = other.reset(seed=4, options={"record": record})
    assert (again["action_mask"] == info["action_mask"]).all()
    assert other.record() == record
    _, info = env.reset()
    assert info["seat"] == 0
    for bad in ({"deck": [1]}, {"dealer": 7}, {"seat": 3}, {"record": {}}):
        before = env.batch.to_bytes()
        with pytest.raises((DeckError, RecordError)):
            env.reset(seed=9, options=bad)
        assert env.batch.to_bytes() == before


def test_a_finished_record_pays_with_the_next_step() -> None:
    env = MariasEnv()
    rng = np.random.default_rng(3)
    for seed in range(20):
        _, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            _, _, terminated, _, info = env.step(choose(info["action_mask"], rng))
        if info["payments"].any():
            break
    record = env.record()
    _, info = env.reset(options={"record": record, "seat": 2})
    assert not info["action_mask"].any()
    assert not info["payments"].any()
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated) == (float(record["payments"][2]), True)
    # In a match the next deal goes on, and the first step brings both.
    match = MariasEnv(episode="match", match=Match(deals=2))
    _, info = match.reset(seed=1, options={"record": record})
    assert info["action_mask"].any()
    total, terminated = np.zeros(3, np.int64), False
    while not terminated:
        _, _, terminated, _, info = match.step(choose(info["action_mask"], rng))
        total += info["payments"]
    assert total.tolist() == match.batch.totals[0].tolist()


def test_seeding_touches_only_the_streams() -> None:
    env = MariasEnv(rules="online", seat="rotate", illegal="error")
    _, first = env.reset(seed=5)
    deck = env.record()["deck"]
    env.reset()
    assert env.record()["deck"] != deck
    _, again = env.reset(seed=5)
    assert env.record()["deck"] == deck
    assert first["seat"] == again["seat"]
    assert env.rules == RULES["online"]


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_at_every_node_is_the_running_game(way: Any) -> None:
    env = MariasEnv(opponents=["random", "good"], episode="match")
    rng = np.random.default_rng(5)
    _, info = env.reset(seed=5)
    terminated = False
    while not terminated:
        other = way(env)
        action = choose(info["action_mask"], rng)
        mine = env.step(action)
        theirs = other.step(action)
        for key in mine[0]:
            assert np.array_equal(mine[0][key], theirs[0][key])
        assert mine[1:4] == theirs[1:4]
        assert env.batch.deals.tobytes() == other.batch.deals.tobytes()
        terminated, info = mine[2], mine[4]


@pytest.mark.parametrize("rules", ["traditional", "online"])
def test_hidden_cards_change_nothing_the_learner_receives(rules: str) -> None:
    env = MariasEnv(rules=rules, seat="random", render_mode="ansi")
    rng = np.random.default_rng(4)
    compared = 0
    for seed in range(40):
        _, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            deal = permuted(env.batch.deals[0], env.seat, env.rules, rng)
            if deal is not None:
                other = copy.deepcopy(env)
                put(other.batch.deals, 0, deal)
                mine, theirs = env._observation(), other._observation()
                assert all(np.array_equal(mine[key], theirs[key]) for key in mine)
                one, two = env._info(), other._info()
                assert one.keys() == two.keys()
                assert all(np.array_equal(one[key], two[key]) for key in one)
                assert env.render() == other.render()
                compared += 1
            _, _, terminated, _, info = env.step(choose(info["action_mask"], rng))
    assert compared > 100
