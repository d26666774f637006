"""Workloads of this package: uniformly random legal play through each of its faces."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.measure import NotAvailableError, Workload

CHUNK_DECISIONS = 400_000
"""About how many decisions of the core one chunk makes: some 20 ms."""
BLOCK = 4096
"""Rows that are stepped together: larger batches are stepped in parts that fit into the cache."""


def _stepper(batch: Any, steps: int, observe: bool, packed: bool = False) -> Callable[[], None]:
    """Returns a loop of `steps` steps with masks and legal sampling over one batch.

    The mask, and the observation where it is wanted, of every decision is written by the step
    before it; a packed observation by a call of its own after it.
    """
    parts = batch.parts(BLOCK)
    # A policy takes a block at a time, so the blocks may share their buffers.
    buffers = {}
    for part in parts:
        size = len(part)
        if size not in buffers:
            observation = part.observe() if observe and not packed else None
            bits = part.observe_packed() if packed else None
            buffers[size] = part.legal_mask(), observation, part.sample_legal(), bits

    def loop() -> None:
        for _ in range(steps):
            for part in parts:
                mask, observation, actions, bits = buffers[len(part)]
                part.sample_legal(out=actions)
                part.step(actions, mask=mask, observation=observation)
                if bits is not None:
                    part.observe_packed(out=bits)

    return loop


def core(
    batch: int = 4096,
    observe: bool = False,
    threads: int = 1,
    rules: str = "traditional",
    most_steps: int = 20_000,
    packed: bool = False,
) -> Workload:
    """DealBatch with `legal_mask`, `sample_legal` and `step`, and `observe` if wanted.

    Args:
        batch: rows.
        observe: write the observation of the seat on turn before every step.
        threads: Python threads, each with its own part of the rows.
        rules: preset.
        most_steps: upper limit of the steps of one chunk.
        packed: write packed observations instead.
    """
    from marias_env.batch import DealBatch

    if observe and not hasattr(DealBatch, "observe"):
        raise NotAvailableError("DealBatch.observe does not exist")
    if batch < threads:
        raise NotAvailableError(f"{batch} rows cannot be shared by {threads} threads")
    whole = DealBatch(batch, rules, seed=0, autoreset=True)
    # More than one step, or counting the episodes of a large batch would be part of the figure.
    steps = max(8, min(most_steps, CHUNK_DECISIONS * threads // batch))
    loops = [_stepper(part, steps, observe, packed) for part in whole.parts(-(-batch // threads))]
    episodes = int(whole.deals["episode"].sum())
    pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def chunk() -> tuple[int, int]:
        nonlocal episodes
        if pool is None:
            loops[0]()
        else:
            for waiting in [pool.submit(loop) for loop in loops]:
                waiting.result()
        before, episodes = episodes, int(whole.deals["episode"].sum())
        return steps * batch, episodes - before

    row = whole.deals.itemsize
    extra: dict[str, float] = {"record_bytes": row}
    note = "mask, legal sampling, step"
    if packed:
        bits = whole[:1].observe_packed()
        extra["observation_bytes"] = bits.nbytes
        note = f"mask, packed observation of {bits.nbytes} bytes, legal sampling, step"
    elif observe:
        seen = whole[:1].observe()
        extra["observation_bytes"] = seen.nbytes
        extra["features"] = seen.shape[1]
        note = f"mask, {seen.shape[1]} features ({seen.dtype}), legal sampling, step"
    return Workload(chunk, note, extra)


def one_deal(rules: str = "traditional", games: int = 100) -> Workload:
    """`OneDeal`: one deal at a time, with observation and mask of every decision."""
    from marias_env.one_deal import OneDeal

    one = OneDeal(rules, seed=0)
    draw, step = one.sample_legal, one.step

    def chunk() -> tuple[int, int]:
        decisions = 0
        for _ in range(games):
            turn = one.reset()
            while turn >= 0:
                turn = step(draw())
                decisions += 1
        return decisions, games

    return Workload(chunk, f"mask, {len(one.observation)} features (int8), legal sampling, step")


def aec(make: Callable[[], Any], games: int = 4, note: str = "") -> Workload:
    """The documented loop over any PettingZoo AEC environment, with masks.

    Args:
        make: makes the environment.
        games: episodes of one chunk.
        note: remark for the report.
    """
    env = make()
    draw = random.Random(0).random
    env.reset(seed=0)

    def chunk() -> tuple[int, int]:
        decisions = 0
        for _ in range(games):
            env.reset()
            for _agent in env.agent_iter():
                observation, _reward, termination, truncation, _info = env.last()
                if termination or truncation:
                    env.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                env.step(legal.item(int(draw() * legal.size)))
                decisions += 1
        return decisions, games

    return Workload(chunk, note)


def _face(name: str) -> Any:
    """Imports a module of this package that a version may not have, or lack the libraries for."""
    try:
        return importlib.import_module(f"marias_env.{name}")
    except ModuleNotFoundError as error:
        missing = error.name or ""
        what = "does not exist" if missing.startswith("marias_env") else "is not installed"
        raise NotAvailableError(f"{missing} {what}") from error


def marias_aec(maker: str = "env", wrapped: bool = False, rules: str = "traditional") -> Workload:
    """Our AEC environment.

    Args:
        maker: `env` or `raw_env`.
        wrapped: with the three wrappers that the classic games of PettingZoo come in. Ours checks
            the same itself, so its `env()` is bare.
        rules: preset.
    """
    env = getattr(_face("marias_v0"), maker)(rules=rules)
    note = "agent_iter, last, mask, step; dead steps not counted"
    if wrapped:
        wrappers = importlib.import_module("pettingzoo.utils.wrappers")
        env = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
        env = wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))
        note += "; with PettingZoo's three stock wrappers, which it does not need"
    return aec(lambda: env, games=20, note=note)


def gym(opponents: str = "random", games: int = 20) -> Workload:
    """Our Gymnasium environment: one decision is the learner's, the opponents play inside."""
    env = _face("faces.gym_env").MariasEnv(opponents=opponents)
    draw = random.Random(0).random
    env.reset(seed=0)

    def chunk() -> tuple[int, int]:
        decisions = 0
        for _ in range(games):
            _observation, info = env.reset()
            over = False
            while not over:
                legal = info["action_mask"].nonzero()[0]
                action = legal.item(int(draw() * legal.size))
                _observation, _reward, over, _truncated, info = env.step(action)
                decisions += 1
        return decisions, games

    return Workload(chunk, f"opponents {opponents!r}; only the learner's decisions count")


def sample_masks(masks: npt.NDArray[Any], generator: np.random.Generator) -> npt.NDArray[np.int64]:
    """Draws a uniformly random legal action for every row of a (B, A) mask."""
    rows, columns = masks.nonzero()
    counts = np.bincount(rows, minlength=len(masks))
    starts = np.cumsum(counts) - counts
    chosen: npt.NDArray[np.int64] = columns[
        starts + (generator.random(len(masks)) * counts).astype(np.int64)
    ]
    return chosen


def vector(num_envs: int = 1024, all_seats: bool = False, steps: int = 20) -> Workload:
    """Our Gymnasium VectorEnv, ended rows dealt anew in the same step."""
    face = _face("faces.vector_env")
    env = face.MariasVectorEnv(num_envs, all_seats=all_seats, autoreset_mode="SameStep")
    info = env.reset(seed=0)[1]
    generator = np.random.default_rng(0)

    def chunk() -> tuple[int, int]:
        nonlocal info
        games = 0
        for _ in range(steps):
            actions = sample_masks(info["action_mask"], generator)
            _observation, _reward, over, _truncated, info = env.step(actions)
            games += int(over.sum())
        return steps * num_envs, games

    counted = "every seat's decisions" if all_seats else "only the learner's decisions count"
    return Workload(chunk, f"{num_envs} environments, masks drawn with NumPy; {counted}")


def sb3(num_envs: int = 1024, opponents: str = "random", steps: int = 20) -> Workload:
    """Our Stable-Baselines3 VecEnv: one decision is the learner's, the opponents play inside."""
    env = _face("integrations.sb3").MariasVecEnv(num_envs=num_envs, opponents=opponents)
    env.reset()
    generator = np.random.default_rng(0)

    def chunk() -> tuple[int, int]:
        games = 0
        for _ in range(steps):
            env.step_async(sample_masks(env.action_masks(), generator))
            games += int(env.step_wait()[2].sum())
        return steps * num_envs, games

    note = f"{num_envs} environments, opponents {opponents!r}, masks drawn with NumPy"
    return Workload(chunk, f"{note}; only the learner's decisions count")


# ---------------------------------------------------------------------- whole processes


def first_use() -> None:
    """Everything a newcomer meets: import, a batch, observations, PettingZoo, Gymnasium."""
    from marias_env.batch import DealBatch

    batch = DealBatch(8, seed=0)
    observe: Callable[[], Any] | None = getattr(batch, "observe", None)
    for _ in range(100):
        batch.legal_mask()
        if observe is not None:
            observe()
        batch.step(batch.sample_legal())
    faces: list[Callable[[], Workload]] = [
        lambda: aec(_face("marias_v0").env, games=2),
        gym,
        lambda: vector(8),
    ]
    for make in faces:
        try:
            make().chunk()
        except NotAvailableError:
            continue


def warm_start() -> None:
    """Import and the first reset, compiled code in the cache."""
    env = _face("marias_v0").env()
    env.reset(seed=0)
    env.last()


def import_only() -> None:
    """`import marias_env` and nothing else."""
    importlib.import_module("marias_env")
