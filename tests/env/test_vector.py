"""The batched Gymnasium face: three autoreset modes, one learner or all seats per row."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.vector import AutoresetMode

import marias_env
from marias_env import DealBatch, MariasEnv, MariasVectorEnv, Match
from marias_env.actions import OVER
from marias_env.errors import ActionError, AgentError, DeckError, IllegalActionError, StateError
from marias_env.records import record_of
from tests.env.test_gym import First
from tests.hidden import permuted, put

MODES = list(AutoresetMode)


def sample(masks: npt.NDArray[np.int8], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Random legal actions, -1 in rows without any."""
    keys = rng.random(masks.shape) * masks
    return np.where(masks.any(axis=1), keys.argmax(axis=1), -1)


def test_make_vec() -> None:
    envs = gymnasium.make_vec("Marias-v0", num_envs=5)
    assert isinstance(envs.unwrapped, MariasVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observation, info = envs.reset(seed=1)
    assert observation in envs.observation_space
    assert envs.single_action_space == gymnasium.spaces.Discrete(48)
    assert envs.action_space.shape == (5,)
    assert info["action_mask"].shape == (5, 48)
    assert (info["action_mask"] == observation["action_mask"]).all()
    assert (info["action_mask"] == envs.unwrapped.action_masks()).all()
    assert info["seat"].tolist() == [0] * 5
    other = gymnasium.make_vec("Marias-v0", num_envs=2, autoreset_mode="SameStep", rules="online")
    assert other.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert len(repr(envs)) > 0
    envs.close()
    # The generic vectorization works as well.
    sync = gymnasium.make_vec("Marias-v0", num_envs=2, vectorization_mode="sync")
    _, info = sync.reset(seed=1)
    sync.step(sample(info["action_mask"], np.random.default_rng(0)))


@pytest.mark.skipif(
    tuple(map(int, gymnasium.__version__.split(".")[:3])) < (1, 2, 3),
    reason="DictInfoToList wanted a mask beside every info, also where every row has it",
)
def test_wrappers_of_gymnasium() -> None:
    envs = gymnasium.make_vec("Marias-v0", num_envs=8, autoreset_mode="SameStep")
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    envs = gymnasium.wrappers.vector.DictInfoToList(envs)
    rng = np.random.default_rng(1)
    observation, infos = envs.reset(seed=1)
    seen = 0
    for _ in range(60):
        observation, rewards, ended, _, infos = envs.step(sample(observation["action_mask"], rng))
        assert len(infos) == 8
        for row in np.flatnonzero(ended):
            assert infos[row]["episode"]["r"] == rewards[row]
            assert "final_obs" in infos[row]
            seen += 1
    assert seen > 8


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "configuration",
    [{}, {"rules": "online", "seat": "random"}, {"opponents": [First(), "good"], "seat": "rotate"}],
)
def test_a_thousand_deals_agree_with_the_core(
    mode: AutoresetMode, configuration: dict[str, Any]
) -> None:
    env = MariasVectorEnv(64, autoreset_mode=mode, **configuration)
    rng = np.random.default_rng(3)
    batch = env.batch
    observation, info = env.reset(seed=3)
    deals = decisions = 0
    over = np.zeros(64, dtype=bool)
    while deals < 340:
        masks = info["action_mask"]
        running = ~over
        assert (masks[running] == batch.legal_mask()[running]).all()
        assert masks[running].any(axis=1).all()
        assert (info["seat"][running] == batch.turn[running]).all()
        row = decisions % 64
        if running[row]:
            core = marias_env.replay(record_of(batch, row))
            assert (core.legal_mask()[0] == masks[row]).all()
            seat = int(info["seat"][row])
            vector = core.observe(seat)[0][:-9]
            assert (observation["observation"][row][:-9] == vector).all()
        seats = info["seat"].astype(int)
        observation, rewards, ended, truncated, info = env.step(sample(masks, rng))
        decisions += 1
        assert observation in env.observation_space
        assert not truncated.any()
        assert not info["illegal_action"].any()
        assert (info["payments"].sum(axis=1) == 0).all()
        assert not info["payments"][~ended].any()
        assert (rewards == info["payments"][np.arange(64), seats])[running].all()
        assert not rewards[over].any()
        deals += int(ended.sum())
        if mode is AutoresetMode.SAME_STEP:
            assert not (batch.phase == OVER).any()
            if ended.any():
                assert (info["_final_obs"] == ended).all()
                assert (info["final_info"]["payments"][ended] == info["payments"][ended]).all()
                assert (info["final_info"]["seat"][ended] == seats[ended]).all()
                first = int(np.flatnonzero(ended)[0])
                last = info["final_obs"][first]
                assert last in env.single_observation_space
                assert last["observation"][8 + 16 * 32] == 1  # phase OVER
                assert not last["action_mask"].any()
        else:
            assert ((batch.phase == OVER) == ended).all()
            assert not info["action_mask"][ended].any()
            for row in np.flatnonzero(ended):
                record = record_of(batch, int(row))
                assert record["payments"] == info["payments"][row].tolist()
                marias_env.replay(record)
        if mode is AutoresetMode.DISABLED and ended.any():
            observation, info = env.reset(options={"reset_mask": ended})
        over = ended if mode is AutoresetMode.NEXT_STEP else np.zeros(64, dtype=bool)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("configuration", [{}, {"rules": "online", "episode": "match"}])
def test_all_seats_get_their_rewards(mode: AutoresetMode, configuration: dict[str, Any]) -> None:
    size = 32
    env = MariasVectorEnv(size, all_seats=True, autoreset_mode=mode, **configuration)
    rng = np.random.default_rng(4)
    rows = np.arange(size)
    _, info = env.reset(seed=4)
    assert info["first"].all()
    told = np.zeros((size, 3))
    paid = np.zeros((size, 3))
    assert not info["rewards"].any()
    for _ in range(700):
        masks = info["action_mask"]
        running = masks.any(axis=1)
        assert (info["seat"][running] == env.batch.turn[running]).all()
        _, rewards, ended, _, info = env.step(sample(masks, rng))
        paid += info["payments"]
        assert (info["payments"].sum(axis=1) == 0).all()
        told[rows, info["seat"]] += rewards
        # Nobody is told anything but what is his, and nothing is late by more than his next row.
        assert (told[rows, info["seat"]] == paid[rows, info["seat"]]).all()
        if mode is AutoresetMode.DISABLED and ended.any():
            _, info = env.reset(options={"reset_mask": ended})
            told[rows, info["seat"]] += info["rewards"]
    assert np.abs(paid).sum() > 0
    open_rows = np.abs(told - paid) > 0
    assert open_rows.sum() <= 2 * size  # told with the seats' next rows
    assert (told.sum(axis=1) == 0)[~open_rows.any(axis=1)].all()


def test_all_seats_chains_of_each_seat() -> None:
    # What a self-play learner does with it: each seat's own sequence of rows, cut at `first`.
    env = MariasVectorEnv(16, all_seats=True, autoreset_mode="SameStep")
    rng = np.random.default_rng(9)
    _, info = env.reset(seed=9)
    # One number per deal and seat; the first is of before the first row, and stays 0.
    returns: list[list[list[float]]] = [[[0.0] for _ in range(3)] for _ in range(16)]
    for row in range(16):
        returns[row][info["seat"][row]].append(0.0)
    payments: list[list[list[int]]] = [[] for _ in range(16)]
    for _ in range(400):
        _, rewards, ended, _, info = env.step(sample(info["action_mask"], rng))
        for row in range(16):
            chain = returns[row][info["seat"][row]]
            chain[-1] += rewards[row]
            assert info["first"][row] or rewards[row] == 0
            if info["first"][row]:
                chain.append(0.0)
            if ended[row]:
                payments[row].append(info["payments"][row].tolist())
    for row in range(16):
        for number, paid in enumerate(payments[row][:-1]):
            assert [returns[row][seat][number + 1] for seat in range(3)] == paid


@pytest.mark.parametrize("rules", ["traditional", "online"])
def test_all_seats_is_the_core(rules: str) -> None:
    env = MariasVectorEnv(16, rules=rules, all_seats=True, autoreset_mode="SameStep")
    core = DealBatch(16, rules, seed=7, autoreset=True)
    observation, info = env.reset(seed=7)
    rng = np.random.default_rng(7)
    for _ in range(300):
        assert (observation["observation"] == core.observe()).all()
        assert (observation["action_mask"] == core.legal_mask()).all()
        assert (info["seat"] == core.turn).all()
        actions = sample(observation["action_mask"], rng)
        observation, _, ended, _, info = env.step(actions)
        assert (core.step(actions) == ended).all()
        assert (core.payments[ended] == info["payments"][ended]).all()


def test_row_zero_is_the_single_environment() -> None:
    env = MariasVectorEnv(4, seat="random")
    single = MariasEnv(seat="random")
    many, infos = env.reset(seed=5)
    one, info = single.reset(seed=5)
    rng = np.random.default_rng(5)
    terminated = False
    while not terminated:
        assert (many["observation"][0] == one["observation"]).all()
        assert infos["seat"][0] == info["seat"]
        actions = sample(infos["action_mask"], rng)
        many, rewards, ended, _, infos = env.step(actions)
        one, reward, terminated, _, info = single.step(int(actions[0]))
        assert (rewards[0], ended[0]) == (reward, terminated)


def test_rows_depend_on_seed_and_index_only() -> None:
    whole, part = MariasVectorEnv(6), MariasVectorEnv(2, first_index=3)
    first, _ = whole.reset(seed=5)
    second, _ = part.reset(seed=5)
    assert (first["observation"][3:5] == second["observation"]).all()
    third, _ = MariasVectorEnv(6).reset(seed=[1, 2, 3, 3, 2, 1])
    assert (third["observation"] == third["observation"][::-1]).all()
    again, _ = whole.reset(seed=5)
    assert (first["observation"] == again["observation"]).all()
    following, _ = whole.reset()
    assert not (first["observation"] == following["observation"]).all()


def test_masked_reset() -> None:
    env = MariasVectorEnv(4, autoreset_mode=AutoresetMode.DISABLED)
    first, _ = env.reset(seed=1)
    mask = np.array([True, False, False, True])
    second, _ = env.reset(options={"reset_mask": mask})
    same = (first["observation"] == second["observation"]).all(axis=1)
    assert same[1:3].all()
    third, _ = env.reset(seed=1, options={"reset_mask": mask})
    assert (third["observation"] == first["observation"]).all()
    with pytest.raises(TypeError):
        env.reset(options={"reset_mask": [True] * 4})
    with pytest.raises(ValueError, match="shape"):
        env.reset(options={"reset_mask": np.ones(3, bool)})
    with pytest.raises(ValueError, match="at least one"):
        env.reset(options={"reset_mask": np.zeros(4, bool)})
    with pytest.raises(ValueError, match="seeds"):
        env.reset(seed=[1, 2])
    before = env.batch.to_bytes()
    with pytest.raises(ValueError, match="seed of row 3: -4"):
        env.reset(seed=[1, 2, 3, -4])
    assert env.batch.to_bytes() == before


def test_disabled_rows_wait() -> None:
    env = MariasVectorEnv(16, autoreset_mode="Disabled")
    rng = np.random.default_rng(2)
    _, info = env.reset(seed=2)
    ended = np.zeros(16, bool)
    while not ended.all():
        _, rewards, now, _, info = env.step(sample(info["action_mask"], rng))
        assert (now >= ended).all()
        assert not rewards[ended].any()
        ended = now
    with pytest.raises(StateError, match="reset"):
        env.step(np.zeros(16, np.int64))


def test_decks() -> None:
    env = MariasVectorEnv(3, all_seats=True)
    deck = marias_env.ACTIONS[:32]
    _, info = env.reset(seed=1, options={"deck": deck, "dealer": [0, 1, 2]})
    assert info["seat"].tolist() == [1, 2, 0]
    ids = np.stack([np.random.default_rng(i).permutation(32) for i in range(3)])
    env.reset(options={"deck": ids, "dealer": 0})
    assert (env.batch.deals["deck"] == ids).all()
    with pytest.raises(DeckError):
        env.reset(options={"deck": [1, 2], "dealer": 0})
    with pytest.raises(ValueError, match="or neither"):
        env.reset(options={"dealer": 0})
    with pytest.raises(ValueError, match="all rows"):
        env.reset(options={"deck": deck, "dealer": 0, "reset_mask": np.ones(3, bool)})


def test_illegal_actions() -> None:
    for illegal in ("random", "penalty", "error"):
        env = MariasVectorEnv(4, illegal=illegal, illegal_penalty=2.0)
        _, info = env.reset(seed=1)
        rng = np.random.default_rng(1)
        actions = sample(info["action_mask"], rng)
        actions[2] = np.flatnonzero(info["action_mask"][2] == 0)[0]
        before = env.batch.deals.copy()
        if illegal == "error":
            with pytest.raises(IllegalActionError, match="row 2"):
                env.step(actions)
            assert env.batch.deals.tobytes() == before.tobytes()
            continue
        _, rewards, _, _, info = env.step(actions)
        assert info["illegal_action"].tolist() == [False, False, True, False]
        if illegal == "penalty":
            assert rewards[2] == -2.0
            assert env.batch.deals[2].tobytes() == before[2].tobytes()
        else:
            assert rewards[2] == info["payments"][2, 0]
            marias_env.replay(record_of(env.batch, 2))


@pytest.mark.parametrize(
    "actions",
    [
        np.zeros(3),
        np.zeros(4, np.int64),
        [[0, 0, 0]],
        [[0], [1, 2], 3],
        [True] * 3,
        ["a"] * 3,
        None,
    ],
)
def test_bad_actions(actions: Any) -> None:
    env = MariasVectorEnv(3)
    with pytest.raises(StateError, match="reset"):
        env.step(np.zeros(3, np.int64))
    env.reset(seed=1)
    with pytest.raises(ActionError):
        env.step(actions)


@pytest.mark.parametrize(
    "arguments",
    [
        {"num_envs": 0},
        {"autoreset_mode": "sometimes"},
        {"all_seats": True, "seat": 1},
        {"all_seats": True, "opponents": "good"},
        {"observation": "pixels"},
    ],
)
def test_bad_arguments(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        MariasVectorEnv(**arguments)
    with pytest.raises(AgentError):
        MariasVectorEnv(2, opponents="nobody")


def test_returned_arrays_are_the_callers() -> None:
    env = MariasVectorEnv(4, all_seats=True)
    observation, info = env.reset(seed=1)
    kept = copy.deepcopy((observation, info))
    env.step(sample(info["action_mask"], np.random.default_rng(1)))
    for name in observation:
        assert (observation[name] == kept[0][name]).all()
    for name in info:
        assert (info[name] == kept[1][name]).all()
    info["action_mask"][:] = 0
    info["payments"][:] = 5
    assert env.action_masks().any()


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("configuration", [{"all_seats": True}, {"opponents": "good"}])
def test_copies_go_on_alike(way: Any, configuration: dict[str, Any]) -> None:
    env = MariasVectorEnv(8, episode="match", match=Match(deals=2), **configuration)
    rng = np.random.default_rng(6)
    _, info = env.reset(seed=6)
    for _ in range(60):
        other = way(env)
        actions = sample(info["action_mask"], rng)
        mine, theirs = env.step(actions), other.step(actions)
        assert (mine[0]["observation"] == theirs[0]["observation"]).all()
        for one, two in zip(mine[1:4], theirs[1:4]):
            assert (one == two).all()
        info = mine[4]
        assert all((info[name] == theirs[4][name]).all() for name in info)


@pytest.mark.parametrize("all_seats", [False, True])
def test_hidden_cards_change_nothing(all_seats: bool) -> None:
    env = MariasVectorEnv(16, all_seats=all_seats, autoreset_mode="SameStep")
    rng = np.random.default_rng(8)
    _, info = env.reset(seed=8)
    compared = 0
    for _ in range(60):
        other = copy.deepcopy(env)
        for row in range(16):
            deal = env.batch.deals[row]
            changed = permuted(deal, int(info["seat"][row]), env.rules, rng)
            if changed is not None:
                put(other.batch.deals, row, changed)
                compared += 1
        viewers = env._learners.viewers()
        assert (viewers == other._learners.viewers()).all()
        mine, theirs = env._info(viewers), other._info(viewers)
        assert all((mine[name] == theirs[name]).all() for name in mine)
        one, two = env._observation(viewers, mine), other._observation(viewers, theirs)
        assert all((one[name] == two[name]).all() for name in one)
        _, _, _, _, info = env.step(sample(info["action_mask"], rng))
    assert compared > 500
