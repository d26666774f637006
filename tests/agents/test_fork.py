"""Agents that were used before a fork work after it (Gymnasium's AsyncVectorEnv forks on Linux)."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest

import marias_env  # noqa: F401  registers the environments
from marias_agents import make
from marias_agents.solver import solve_batch
from marias_env import DealBatch
from marias_env.threads import Threads
from tests.agents.solver_cases import endings
from tests.processes import PATIENCE

if not hasattr(os, "fork"):
    pytest.skip("no fork on this system", allow_module_level=True)


SPEC = "pimc:1,threads=2,plays=1,bids=play,bid_worlds=2"


def in_child(work: Callable[[], Any]) -> Any:
    """Returns what `work` returns in a forked process; fails if it hangs."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sender.send(work()))
    child.start()
    try:
        assert receiver.poll(PATIENCE), "the forked process hangs"
        return receiver.recv()
    finally:
        child.kill()
        child.join()


def test_threads_are_started_anew_in_a_child() -> None:
    threads = Threads(2)
    assert threads.map(pow, [2, 3], [3, 2]) == [8, 9]
    assert in_child(lambda: threads.map(pow, [2, 3], [3, 2])) == [8, 9]
    assert threads.map(len, ["ab"]) == [2]


def choose(agent: Any) -> list[int]:
    views = DealBatch(4, seed=1).views()
    return list(map(int, agent.act(views, views.legal_mask())))


def test_a_search_with_threads_survives_a_fork() -> None:
    agent = make(SPEC)
    assert in_child(partial(choose, agent)) == choose(agent) == in_child(partial(choose, agent))


def test_the_solver_survives_a_fork_while_other_threads_solve() -> None:
    batch = endings("traditional", 40, 3, seed=3)
    expected = solve_batch(batch, threads=2)
    stop = threading.Event()

    def keep_solving() -> None:
        while not stop.is_set():
            solve_batch(batch, threads=2)

    others = [threading.Thread(target=keep_solving) for _ in range(2)]
    for other in others:
        other.start()
    try:
        for _ in range(5):
            np.testing.assert_array_equal(in_child(lambda: solve_batch(batch, threads=2)), expected)
    finally:
        stop.set()
        for other in others:
            other.join()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_opponents_with_threads_play_in_forked_environments() -> None:
    agent = make(SPEC)
    choose(agent)
    envs = gymnasium.vector.AsyncVectorEnv(
        [lambda: gymnasium.make("marias_env:Marias-v0", opponents=agent)] * 2, context="fork"
    )
    try:
        observations, _ = envs.reset(seed=1)
        masks = observations["action_mask"]
        envs.step_async(masks.argmax(axis=1))
        envs.step_wait(timeout=PATIENCE)
    finally:
        envs.close(terminate=True)
