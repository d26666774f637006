"""The options of a training run. Without torch, so that listing them costs no time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from marias_env.options import Bound, Choice, Flag, Real, Text, Whole, check_fields
from marias_env.rewards import SQUASHES
from marias_env.rules import get_rules

REWARDS: Final = SQUASHES
NO_START: Final = "none"
PRECISIONS: Final = ("auto", "float32", "bfloat16")
BOUNDS: Final[Mapping[str, Bound]] = MappingProxyType(
    {
        "rules": Text(),
        "seed": Whole(0, 2**63 - 1024),  # threads add theirs, and torch takes 64 bits
        "steps": Whole(0),
        "minutes": Real(0),
        "limit_minutes": Real(0),
        "deals": Whole(1),
        "epochs": Whole(1),
        "minibatch": Whole(1),
        "learning_rate": Real(0),
        "learning_rate_end": Real(0),
        "clip": Real(0, above=True),
        "gae_lambda": Real(0, 1),
        "entropy": Real(0),
        "entropy_end": Real(0),
        "value_coef": Real(0),
        "max_grad_norm": Real(0, above=True),
        "reward": Choice(*REWARDS),
        "reward_cap": Real(0, above=True),
        "hidden": Whole(1),
        "narrow": Whole(1),
        "privileged_critic": Flag(),
        "random_bids": Real(0, 1),
        "opponent": Text(),
        "opponent_fraction": Real(0, 1),
        "past_every": Whole(1),
        "past_size": Whole(1),
        "start": Text(),
        "anchor": Real(0),
        "anchor_end": Real(0),
        "warmup": Whole(0),
        "precision": Choice(*PRECISIONS),
        "threads": Whole(1, 1024),
        "device": Text(),
        "overlap": Flag(),
    }
)


@dataclass(frozen=True)
class PPOConfig:
    """Everything that defines a run; every field is an option of `marias train`.

    Attributes:
        rules: preset to learn.
        seed: seeds network, deals and sampling.
        steps: decisions that the schedules span (0: they follow `minutes` instead).
        minutes: length of the run where `steps` is 0.
        limit_minutes: where `steps` are given, the schedules span so many minutes instead if they
            are over first (0: no limit).
        deals: deals played for one update.
        epochs: passes over an update's decisions.
        minibatch: decisions per gradient step.
        learning_rate: at the start; falls linearly to `learning_rate_end`.
        learning_rate_end: at the end of the schedule.
        clip: PPO's limit on the change of an action's probability ratio.
        gae_lambda: 1: only the deal's result counts; lower: trust the critic more.
        entropy: bonus at the start, per decision and normalised by log(number of legal actions).
        entropy_end: bonus at the end of the schedule (falls linearly).
        value_coef: weight of the critic's loss.
        max_grad_norm: gradient clipping.
        reward: how units become rewards: `log` sign(x)·log(1+|x|), `sqrt` sign(x)·√|x|, or `cap`
            x cut at ±`reward_cap`, all scaled to about ±1. Reports are always in raw units.
        reward_cap: for `cap`, units per opponent.
        hidden: width of the first layer of each network, a sum of few rows: wide for little.
        narrow: width of the layers after it.
        privileged_critic: the critic (used in training only) sees all cards.
        random_bids: share of contracts and replies that are drawn uniformly, so that the games the
            policy no longer names stay known.
        opponent: who plays one or two seats in `opponent_fraction` of the deals, one or several
            with commas between: `past` for snapshots of the policy, `rules`, `points:FILE` for the
            rules player with other points, or `net:NAME`.
        opponent_fraction: 0: pure self-play.
        past_every: updates between snapshots.
        past_size: snapshots kept.
        start: weight file or checkpoint whose policy (and critic, if it has one) is trained on;
            `none`: from nothing.
        anchor: weight of the divergence from the policy of `start`, at the start of the schedule.
        anchor_end: at its end.
        warmup: updates in which only the critic learns, after a start without one.
        precision: `float32`, `bfloat16` (weights stay float32), or `auto`: bfloat16 where the CPU
            has instructions for it, which about doubles the speed.
        threads: threads that play and learn side by side. A run is repeated exactly by the same
            seed, precision and number of threads.
        device: where networks learn: `cpu`, `cuda`, `cuda:1`, `mps`, or `auto` for a GPU where
            there is one. Deals are played on the CPU in any case.
        overlap: play the next update's deals while learning from this one's, by the networks as
            they were before it. It pays where a GPU learns and the CPU would wait.
    """

    rules: str = "traditional"
    seed: int = 1
    steps: int = 0
    minutes: float = 5.0
    limit_minutes: float = 0.0
    deals: int = 2048
    epochs: int = 2
    minibatch: int = 4096
    learning_rate: float = 1e-3
    learning_rate_end: float = 1e-4
    clip: float = 0.2
    gae_lambda: float = 0.95
    entropy: float = 0.03
    entropy_end: float = 0.003
    value_coef: float = 0.5
    max_grad_norm: float = 1.0
    reward: str = "log"
    reward_cap: float = 16.0
    hidden: int = 256
    narrow: int = 64
    privileged_critic: bool = True
    random_bids: float = 0.05
    opponent: str = "past"
    opponent_fraction: float = 0.0
    past_every: int = 20
    past_size: int = 8
    start: str = "none"
    anchor: float = 0.0
    anchor_end: float = 0.0
    warmup: int = 0
    precision: str = "auto"
    threads: int = 2
    device: str = "cpu"
    overlap: bool = False

    def __post_init__(self) -> None:
        check_fields(self, BOUNDS)
        get_rules(self.rules)
        if self.deals < self.threads:
            raise ValueError(f"deals: {self.deals!r}; expected at least one for each thread")
        if (self.anchor or self.anchor_end) and self.start == NO_START:
            raise ValueError("anchor: expected 0 without `start`, whose policy it holds on to")
        if not (self.steps or self.minutes):
            raise ValueError("steps, minutes: expected one of them above 0, to end the run")
        if self.opponent != "past" and not self.opponent_fraction:
            raise ValueError(
                f"opponent: {self.opponent!r} would play in no deal; expected an opponent_fraction "
                "above 0, such as 0.2"
            )


def use_bfloat16(precision: str, device: str = "cpu") -> bool:
    """Resolves `PPOConfig.precision`: whether networks compute in bfloat16."""
    if precision == "auto":
        if device != "cpu":
            return False
        info = Path("/proc/cpuinfo")
        flags = info.read_text(errors="replace") if info.exists() else ""
        return "avx512_bf16" in flags or "amx_bf16" in flags
    return precision == "bfloat16"
