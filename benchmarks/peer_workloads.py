"""Workloads of the peers: uniformly random legal play by each peer's own fastest documented way.

A decision is one player's action; chance nodes (dealing) are played but do not count.
"""

from __future__ import annotations

import importlib
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measure import NotAvailableError, Workload
from benchmarks.workloads import aec

OPEN_SPIEL_GAMES = {
    "skat": "skat",
    "bridge": "bridge(use_double_dummy_result=false)",
    "hearts": "hearts",
    "tarok": "tarok",
    "spades": "spades",
}
"""Bridge with its play phase: by default it ends after the auction with a double-dummy result."""


# ---------------------------------------------------------------------- OpenSpiel


def _play(game: Any, draw: Callable[[], float], see: Callable[[Any, int], Any] | None) -> int:
    """Plays one random game over the C++ state; returns its decisions.

    Dealing is uniform in every game used here (`_check_chance`), so the cheaper `legal_actions`
    stands for `chance_outcomes`.
    """
    state = game.new_initial_state()
    decisions = 0
    while True:
        player = state.current_player()
        if player >= 0:
            if see is not None:
                see(state, player)
            decisions += 1
        elif state.is_terminal():
            return decisions
        legal = state.legal_actions()
        state.apply_action(legal[int(draw() * len(legal))])


def _check_chance(game: Any, draw: Callable[[], float]) -> None:
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            chances = [chance for _, chance in state.chance_outcomes()]
            if max(chances) - min(chances) > 1e-9:
                raise NotAvailableError("its chance nodes are not uniform; this loop assumes it")
        legal = state.legal_actions()
        state.apply_action(legal[int(draw() * len(legal))])


def _observer(pyspiel: Any, game: Any) -> tuple[Callable[[Any, int], Any], str]:
    """Returns what writes the tensor of a state with the least work, and its name."""
    observation = importlib.import_module("open_spiel.python.observation")
    for recall, kind in ((False, "observation"), (True, "information state")):
        try:
            found = observation.make_observation(
                game, pyspiel.IIGObservationType(perfect_recall=recall)
            )
            if found is not None and found.tensor is not None:
                return found.set_from, f"{kind} of {found.tensor.size} floats by set_from"
        except Exception:  # not offered by this game: the next way
            continue
    kinds = game.get_type()
    if kinds.provides_observation_tensor:
        return lambda state, player: state.observation_tensor(player), "observation_tensor"
    if kinds.provides_information_state_tensor:
        return (
            lambda state, player: state.information_state_tensor(player),
            "information_state_tensor",
        )
    raise NotAvailableError("this game has no observation or information state tensor")


def openspiel_python(game: str, tensor: bool, games: int = 50) -> Workload:
    """A Python loop over OpenSpiel's C++ state, with or without its fastest tensor path."""
    pyspiel = importlib.import_module("pyspiel")
    loaded = pyspiel.load_game(OPEN_SPIEL_GAMES[game])
    draw = random.Random(0).random
    _check_chance(loaded, draw)
    see, note = _observer(pyspiel, loaded) if tensor else (None, "no observation")

    def chunk() -> tuple[int, int]:
        return sum(_play(loaded, draw, see) for _ in range(games)), games

    return Workload(chunk, f"Python loop over the C++ state, {note}")


def openspiel_cpp(game: str, games: int = 500, counted: int = 4000) -> Workload:
    """Whole random games inside C++, by `pyspiel.evaluate_bots` with uniform random bots.

    The bots do not say how many decisions they took: the mean of `counted` random games does.
    """
    pyspiel = importlib.import_module("pyspiel")
    loaded = pyspiel.load_game(OPEN_SPIEL_GAMES[game])
    draw = random.Random(0).random
    length = sum(_play(loaded, draw, None) for _ in range(counted)) / counted
    bots = [pyspiel.make_uniform_random_bot(p, p + 1) for p in range(loaded.num_players())]
    first = 0

    def chunk() -> tuple[int, int]:
        nonlocal first
        for seed in range(first, first + games):
            pyspiel.evaluate_bots(loaded.new_initial_state(), bots, seed)
        first += games
        return round(games * length), games

    note = f"whole games in C++ (evaluate_bots), no observation; {length:.1f} decisions a game"
    return Workload(chunk, note, {"decisions_per_game": length})


# ---------------------------------------------------------------------- RLCard


def rlcard(game: str, games: int = 3) -> Workload:
    """RLCard's own API: `step` and the state with its observation and legal actions."""
    env = importlib.import_module("rlcard").make(game, config={"seed": 0})
    draw = random.Random(0).random

    def chunk() -> tuple[int, int]:
        decisions = 0
        for _ in range(games):
            state, _player = env.reset()
            while not env.is_over():
                legal = list(state["legal_actions"])
                state, _player = env.step(legal[int(draw() * len(legal))])
                decisions += 1
        return decisions, games

    return Workload(chunk, "own API, with its observation")


# ---------------------------------------------------------------------- PettingZoo


def pettingzoo_classic(module: str, wrapped: bool, games: int = 20) -> Workload:
    """A classic game of PettingZoo: `env()` with the stock wrappers, or `raw_env()`."""
    game = importlib.import_module(f"pettingzoo.classic.{module}")
    make = game.env if wrapped else game.raw_env
    return aec(make, games, "agent_iter, last, mask, step; dead steps not counted")


# ---------------------------------------------------------------------- pgx


def pgx(game: str, batches: tuple[int, ...] = (64, 256, 1024, 4096), steps: int = 64) -> Workload:
    """Pgx on JAX: masked random play with automatic reset in a compiled scan, at its best batch."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    jax = importlib.import_module("jax")
    jnp = importlib.import_module("jax.numpy")
    env: Any
    if game == "bridge_bidding":
        if not Path("dds_results").exists():
            raise NotAvailableError("it needs a table of double-dummy results that it downloads")
        env = importlib.import_module("pgx.bridge_bidding").BridgeBidding()
    else:
        env = importlib.import_module("pgx").make(game)
    auto_reset = importlib.import_module("pgx.experimental").auto_reset
    step = jax.vmap(auto_reset(env.step, env.init))

    def once(carry: Any, _: Any) -> Any:
        state, key = carry
        key, for_actions, for_step = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(for_actions, logits)
        state = step(state, actions, jax.random.split(for_step, actions.shape[0]))
        return (state, key), state.terminated.sum()

    run = jax.jit(lambda carry: jax.lax.scan(once, carry, None, length=steps))

    def start(batch: int) -> Any:
        keys = jax.random.split(jax.random.PRNGKey(0), batch)
        carry = (jax.jit(jax.vmap(env.init))(keys), jax.random.PRNGKey(1))
        return jax.block_until_ready(run(carry))[0]

    rates: dict[int, float] = {}
    for batch in batches:
        carry = start(batch)
        cpu = time.process_time()
        jax.block_until_ready(run(carry))
        rates[batch] = batch * steps / (time.process_time() - cpu)
    best = max(rates, key=lambda batch: rates[batch])
    carry = start(best)

    def chunk() -> tuple[int, int]:
        nonlocal carry
        carry, ended = jax.block_until_ready(run(carry))
        return best * steps, int(ended.sum())

    return Workload(
        chunk, f"compiled scan with observation and mask, best batch {best}", {"batch": best}
    )


# ---------------------------------------------------------------------- PufferLib


def _taken(before: Any, after: Any, actions: Any) -> int:
    """Counts what players really did in a step of triple triad, given the observations around it.

    Of the learner: choosing a card that is still in hand, or placing the chosen one on a free cell.
    Of the opponent inside: a choice and a placement for each card it put down.
    """
    import numpy as np

    rows = np.arange(len(actions))
    over = (before[:, :9] != 0).all(axis=1)  # this step only deals anew
    in_hand = before[rows, 104 + np.minimum(actions, 4)] == 0
    free = before[rows, np.clip(actions - 5, 0, 8)] == 0
    chosen = before[:, 24] >= 0
    own = np.where(actions < 5, in_hand, free & chosen) & ~over
    placed = (after[:, 109:114] != 0).sum(axis=1) - (before[:, 109:114] != 0).sum(axis=1)
    return int(own.sum() + 2 * np.clip(placed, 0, 1).sum())


def pufferlib_tripletriad(
    folder: str, every_step: bool, num_envs: int = 1024, steps: int = 100
) -> Workload:
    """PufferLib's compiled card game, with actions drawn beforehand as in its own speed test.

    Args:
        folder: where `build_pufferlib` has put the binding.
        every_step: PufferLib's own count, every step of every environment. Otherwise this report's:
            only what a player does, by the share found in 1000 steps before the measurement. There
            is no masked drawing, and random actions that are not possible change nothing.
        num_envs: environments.
        steps: steps of one chunk.
    """
    import sys

    import numpy as np

    if not Path(folder).is_dir():
        raise NotAvailableError("not built; see benchmarks/build_pufferlib.py")
    sys.path.insert(0, folder)
    binding = importlib.import_module("binding")
    observations = np.zeros((num_envs, 114), np.float32)
    actions = np.zeros(num_envs, np.int32)
    buffers = (
        observations,
        actions,
        np.zeros(num_envs, np.float32),  # rewards
        np.zeros(num_envs, np.bool_),  # terminations
        np.zeros(num_envs, np.bool_),  # truncations
    )
    sizes = {"width": 990, "height": 690, "card_width": 192, "card_height": 224}
    envs = binding.vec_init(*buffers, num_envs, 0, **sizes)
    binding.vec_reset(envs, 0)
    drawn = np.random.default_rng(0).integers(0, 14, (1024, num_envs), dtype=np.int32)
    tick = taken = 0
    for _ in range(1000):
        before = observations.copy()
        actions[:] = drawn[tick % 1024]
        binding.vec_step(envs)
        taken += _taken(before, observations, actions)
        tick += 1
    share = taken / (1000 * num_envs)

    def chunk() -> tuple[int, int]:
        nonlocal tick
        assert buffers  # the C side keeps only pointers: this closure keeps the arrays alive
        for _ in range(steps):
            actions[:] = drawn[tick % 1024]
            binding.vec_step(envs)
            tick += 1
        binding.vec_log(envs)
        return round(steps * num_envs * (1.0 if every_step else share)), 0

    counted = "every step counted" if every_step else "both players' possible actions counted"
    note = f"C, {num_envs} environments, with observation, unmasked actions drawn beforehand"
    return Workload(chunk, f"{note}; {counted}", {"decisions_per_step": share})
