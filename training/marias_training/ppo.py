"""Self-play PPO for Mariáš, the whole algorithm in one file.

One policy network plays all three seats. An update is: play some thousands of deals to the end with
the current policy, estimate for every decision how much better it turned out than expected, and
move the policy a little towards the better ones. What is particular to this game is commented where
it happens; the rest is PPO as in its paper (Schulman et al., 2017). Checkpoints, evaluation and the
command line are in other files.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from copy import deepcopy
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional

from marias_agents import make
from marias_agents.net.agent import NetAgent
from marias_agents.net.shape import NetParams
from marias_agents.net.weights import load_weights
from marias_agents.rules.agent import RulesAgent
from marias_agents.rules.tables import load_points
from marias_env import DealBatch, rewards
from marias_env.canonical import NUM_CRITIC_INPUTS, NUM_INPUTS
from marias_env.core.rng import stream
from marias_env.errors import AgentError, DivergedError
from marias_env.seeds import random_root
from marias_env.threads import Threads
from marias_training.bucket_net import BucketNet
from marias_training.checkpoint_file import read_checkpoint
from marias_training.config import NO_START, PPOConfig, use_bfloat16
from marias_training.policy import load_policy, make_policy, masked_log_probs
from marias_training.rollout import FloatArray, Rollout, deal_stats, join, seat_advantages
from marias_training.self_play import LEARNER, play, stack_nets

LOSSES = ("policy_loss", "value_loss", "entropy", "kl", "clipped", "anchor")
OPPONENTS_AT_ONCE = 2
"""So many of the possible opponents play in one update: more change places in the CPU's cache."""


def squash(payments: npt.NDArray[Any], config: PPOConfig) -> FloatArray:
    """Turns payments, (deals, 3) units by seat, into rewards.

    Payments double with every raise and every ten points of a hundred: up to thousands of units,
    and one such deal would outweigh a thousand plain ones in a gradient.
    """
    if config.reward != "cap":
        return rewards.squash(payments, config.reward)
    size = np.abs(payments).astype(np.float32)
    # The declarer is paid by two.
    most = size.max(axis=1, keepdims=True) / 2
    squashed = size * np.minimum(1, config.reward_cap / np.maximum(most, 1)) / 4
    return np.asarray(np.sign(payments) * squashed, dtype=np.float32)


def device_of(name: str) -> torch.device:
    """Returns the device that networks learn on.

    Args:
        name: `cpu`, `cuda`, `cuda:1`, `mps` …, or `auto`: a GPU where there is one.

    Raises:
        ValueError: not a device, or one that this machine or this build of torch does not have.
    """
    if name == "auto":
        cuda, mps = torch.cuda.is_available(), torch.backends.mps.is_available()
        name = "cuda" if cuda else "mps" if mps else "cpu"
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).split("\n")[0]
        raise ValueError(f"device: {name!r} cannot be used here: {reason}") from error
    return device


class _Ahead:
    """A rollout that is being played beside the learning, and what it is made from."""

    def __init__(self, made_from: dict[str, Any]) -> None:
        self.made_from = made_from
        self.rollout: Future[Rollout] = Future()


class Trainer:
    """Networks, optimizer and deals of a run, and what one update does to them.

    All that is random is a function of (seed, number of the update), so that a run that goes on
    from a checkpoint is the run that never stopped.
    """

    def __init__(self, config: PPOConfig) -> None:
        self.config = config
        self.device = device_of(config.device)
        self.bfloat16 = use_bfloat16(config.precision, self.device.type)
        # Torch's own threads wait for each other within every operation, and networks this small
        # lose by it. Ours split the deals and the minibatches instead.
        torch.set_num_threads(1)
        self.threads = Threads(config.threads)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.policy = make_policy(config)
            self.critic_inputs = NUM_CRITIC_INPUTS if config.privileged_critic else NUM_INPUTS
            self.critic = BucketNet(self.critic_inputs, config.hidden, config.narrow, 1, 1.0)
        self.policy.to(self.device)
        self.critic.to(self.device)
        self.anchor: BucketNet | None = None
        if config.start != NO_START:
            self._start_from(config.start)
        self.parameters = [*self.policy.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(
            self.parameters, config.learning_rate, eps=1e-5, fused=self.device.type != "mps"
        )
        ends = [config.deals * i // config.threads for i in range(config.threads + 1)]
        self.batches = [
            DealBatch(stop - start, config.rules, config.seed, autoreset=False, first_index=start)
            for start, stop in pairwise(ends)
        ]
        self.others = [] if not config.opponent_fraction else self._named_opponents()
        self.past: list[dict[str, torch.Tensor]] = []
        self._ahead: _Ahead | None = None
        self.updates = 0
        self.decisions = 0
        self.seconds = 0.0

    def _start_from(self, path: str) -> None:
        # A weight file has a policy; a checkpoint also has a critic.
        if path.endswith(".pt"):
            saved = read_checkpoint(path)
            self.policy.load_state_dict(saved["policy"])
            self.critic.load_state_dict(saved["critic"])
        else:
            self.policy.load_params(load_weights(path).params)
        if self.config.anchor or self.config.anchor_end:
            self.anchor = load_policy(self.config, self.policy.state_dict()).to(self.device)

    def _named_opponents(self) -> list[NetParams | npt.NDArray[np.int64]]:
        found: list[NetParams | npt.NDArray[np.int64]] = []
        for name in self.config.opponent.split(","):
            kind, _, argument = name.strip().partition(":")
            if kind == "past":
                continue
            if kind == "points":
                found.append(load_points(Path(argument)))
                continue
            agent = make(name.strip())
            if isinstance(agent, RulesAgent):
                found.append(agent.points)
            elif isinstance(agent, NetAgent):
                found.append(agent.params_for(self.batches[0].rules))
            else:
                raise AgentError(
                    f"opponent {name!r}; expected past, rules, points:FILE or net:NAME, "
                    "which compiled self-play can let play"
                )
        return found

    @property
    def progress(self) -> float:
        """Share of the schedule that is done: by decisions, or by time where no steps are given.

        With a limit of time too, the greater of both: so a slow machine's schedule also ends.
        """
        config = self.config
        minutes = config.limit_minutes if config.steps else config.minutes
        by_time = self.seconds / (60 * minutes) if minutes else 0.0
        by_decisions = self.decisions / config.steps if config.steps else 0.0
        return min(1.0, max(by_time, by_decisions))

    def _now(self, start: float, end: float) -> float:
        return start + (end - start) * self.progress

    def _rng(self, *numbers: int) -> np.random.Generator:
        return np.random.default_rng([self.config.seed, self.updates, *numbers])

    def agent(self, name: str = "net", seed: int | None = None) -> NetAgent:
        """Returns the policy as it is now as an agent."""
        return NetAgent(self.policy.to_params(), name, seed)

    def train_update(self) -> dict[str, float]:
        """One rollout and one update; returns what happened, for logs."""
        config = self.config
        began = time.perf_counter()
        if config.overlap:
            ahead = self._ahead or self._play_ahead(self.updates)
            rollout = ahead.rollout.result()
            self._ahead = self._play_ahead(self.updates + 1)
        else:
            rollout = self.rollout()
        played = time.perf_counter()
        stats = self.update(rollout)
        self.updates += 1
        deals = rollout.deals
        taken = int(deals["num_actions"].sum())
        self.decisions += taken
        past = "past" in config.opponent.split(",") and config.opponent_fraction > 0
        if past and self.updates % config.past_every == 0:
            now = {name: value.cpu().clone() for name, value in self.policy.state_dict().items()}
            self.past = [*self.past, now][-config.past_size :]
        seconds = time.perf_counter() - began
        self.seconds += seconds
        stats["learned_share"] = len(rollout.values) / taken
        stats["steps_per_second"] = taken / seconds
        stats["rollout_share"] = (played - began) / seconds
        declarers = deals["declarer"][:, None] == np.arange(3)
        stats["declarer_reward"] = float(squash(deals["payments"], config)[declarers].mean())
        return {**stats, **deal_stats(deals)}

    def state_dict(self) -> dict[str, Any]:
        """Returns all that the next update depends on, as tensors and plain values."""
        ahead = None if self._ahead is None else self._ahead.made_from
        return {
            "policy": self.policy.state_dict(),
            "critic": self.critic.state_dict(),
            "anchor": None if self.anchor is None else self.anchor.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "past": self.past,
            "batches": self._saved_batches() if ahead is None else ahead["batches"],
            "ahead": ahead,
            "bfloat16": self.bfloat16,
            "counts": (self.updates, self.decisions, self.seconds),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restores what `state_dict` returned.

        Raises:
            ValueError: it is of a run with other deals or threads, or something is missing.
        """
        self._load_batches(state["batches"])
        self.policy.load_state_dict(state["policy"])
        self.critic.load_state_dict(state["critic"])
        if state["anchor"] is not None:
            self.anchor = load_policy(self.config, state["anchor"]).to(self.device)
        self.optimizer.load_state_dict(state["optimizer"])
        self.past = list(state["past"])
        self._ahead = None
        if self.config.precision == "auto":
            self.bfloat16 = bool(state["bfloat16"])
        self.updates, self.decisions, self.seconds = state["counts"]
        if state["ahead"] is not None and self.config.overlap:
            self._ahead = self._play_from(state["ahead"])

    def _saved_batches(self) -> list[torch.Tensor]:
        deals = [bytearray(batch.to_bytes()) for batch in self.batches]
        return [torch.frombuffer(data, dtype=torch.uint8) for data in deals]

    def _load_batches(self, saved: list[torch.Tensor]) -> None:
        sizes = [len(batch) for batch in self.batches]
        for batch, data in zip(self.batches, saved):
            batch.from_bytes(data.numpy().tobytes())
        if len(saved) != len(sizes) or [len(batch) for batch in self.batches] != sizes:
            raise ValueError("deals and threads of a run cannot be changed when it goes on")

    # ------------------------------------------------------------------ playing

    def rollout(self) -> Rollout:
        """Plays all deals to their end and judges the policy's decisions that had a choice."""
        return self._rollout(self.updates, self.policy.to_params(), self.critic, self.past)

    def _play_ahead(self, number: int) -> _Ahead:
        # The rollout of an update, by the networks as they are now, beside the learning that
        # changes them: it is one update behind, which PPO's probability ratios put right.
        return self._play_from(
            {
                "number": number,
                "policy": {k: v.cpu().clone() for k, v in self.policy.state_dict().items()},
                "critic": {k: v.cpu().clone() for k, v in self.critic.state_dict().items()},
                "past": list(self.past),
                "batches": self._saved_batches(),
            }
        )

    def _play_from(self, made_from: dict[str, Any]) -> _Ahead:
        self._load_batches(made_from["batches"])
        critic = deepcopy(self.critic)
        critic.load_state_dict(made_from["critic"])
        params = load_policy(self.config, made_from["policy"]).to_params()
        ahead = _Ahead(made_from)

        def work() -> None:
            try:
                found = self._rollout(made_from["number"], params, critic, made_from["past"])
                ahead.rollout.set_result(found)
            except BaseException as error:
                ahead.rollout.set_exception(error)

        threading.Thread(target=work, daemon=True).start()
        return ahead

    def _rollout(
        self, number: int, params: NetParams, critic: BucketNet, past: list[dict[str, torch.Tensor]]
    ) -> Rollout:
        nets, points, players = self._players(number, params, past)
        ends = np.cumsum([0] + [len(batch) for batch in self.batches])
        parts = self.threads.map(
            lambda i: self._rollout_part(
                number, i, nets, points, players[ends[i] : ends[i + 1]], critic
            ),
            range(self.config.threads),
        )
        return join(parts)

    def _players(
        self, number: int, params: NetParams, past: list[dict[str, torch.Tensor]]
    ) -> tuple[NetParams, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        # Who plays each seat: nearly always the policy, in some deals one or two others.
        config, rng = self.config, np.random.default_rng([self.config.seed, number, 0])
        pool: list[NetParams | npt.NDArray[np.int64]] = [*self.others]
        if past:
            # As often as any other opponent, but at least half the time.
            pick = past[int(rng.integers(len(past)))]
            snapshot = load_policy(config, pick).to_params()
            pool += [snapshot] * max(1, len(pool))
        nets, points = [params], []
        numbers = []
        if pool:
            for i in rng.integers(len(pool), size=OPPONENTS_AT_ONCE):
                other = pool[int(i)]
                if isinstance(other, NetParams):
                    nets.append(other)
                    numbers.append(len(nets) - 1)
                else:
                    points.append(other)
                    numbers.append(-len(points))
        players = np.full((config.deals, 3), LEARNER, dtype=np.int64)
        if numbers:
            some = np.flatnonzero(rng.random(config.deals) < config.opponent_fraction)
            who = np.array(numbers)[rng.integers(len(numbers), size=len(some))]
            seats = rng.integers(3, size=len(some))
            players[some, seats] = who
            two = rng.random(len(some)) < 0.5
            players[some[two], (seats[two] + 1) % 3] = who[two]
        empty = np.zeros((1, 0), dtype=np.int64)
        return stack_nets(nets), np.stack(points) if points else empty, players

    @torch.no_grad()
    def _rollout_part(
        self,
        number: int,
        thread: int,
        nets: NetParams,
        points: Any,
        players: npt.NDArray[np.int64],
        critic: BucketNet,
    ) -> Rollout:
        config, batch = self.config, self.batches[thread]
        root = np.uint64(stream(random_root([config.seed, number, 1, thread]), 0))
        explore = (config.random_bids, 0.0)
        record = play(batch, players, nets, points, root, explore, 28 * len(batch))
        values = np.empty(len(record.rows), dtype=np.float32)
        order = np.argsort(record.buckets, kind="stable")
        for first in range(0, len(order), 8192):
            part = order[first : first + 8192]
            found = self._run(
                critic,
                torch.from_numpy(record.features[part, : self.critic_inputs]).to(self.device),
                torch.from_numpy(record.buckets[part]).to(self.device),
            )
            values[part] = found[:, 0].cpu().numpy()
        deals = batch.deals.copy()
        advantages = np.empty_like(values)
        rewards = squash(deals["payments"], config)
        seat_advantages(
            rewards, values, record.rows, record.seats, np.float32(config.gae_lambda), advantages
        )
        return Rollout(record, values, advantages, deals)

    def _run(self, net: BucketNet, features: torch.Tensor, buckets: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = net(
            features, buckets, torch.bfloat16 if self.bfloat16 else torch.float32
        )
        return out

    # ------------------------------------------------------------------ learning

    def update(self, rollout: Rollout) -> dict[str, float]:
        """Learns from one rollout; returns losses and diagnostics."""
        config, record = self.config, rollout.record
        # The same lesson at four times the stake is no four times greater lesson: what a card is
        # worth goes by the stake, which no card can change. A declarer is paid double, and what
        # hangs on a bid spreads wider than what hangs on a card: four groups for normalising.
        advantages = rollout.advantages / np.minimum(record.stakes, config.reward_cap)
        for group in np.unique(record.groups):
            part = advantages[record.groups == group]
            advantages[record.groups == group] = (part - part.mean()) / (part.std() + 1e-6)
        returns = rollout.values + rollout.advantages
        data = [
            torch.from_numpy(column).to(self.device)
            for column in (
                record.features, record.buckets, record.masks, record.actions, record.log_probs,
                advantages, returns,
            )
        ]  # fmt: skip
        anchor_coef = self._now(config.anchor, config.anchor_end) if self.anchor else 0.0
        if anchor_coef:
            data.append(self._anchor_log_probs(data[0], data[1], data[2]))
        for settings in self.optimizer.param_groups:
            settings["lr"] = self._now(config.learning_rate, config.learning_rate_end)
        coefs = (
            float(self.updates >= config.warmup),
            self._now(config.entropy, config.entropy_end),
            anchor_coef,
        )
        totals = torch.zeros(len(LOSSES), device=self.device)
        batches = 0
        shuffled = torch.Generator().manual_seed(int(self._rng(2).integers(2**62)))
        for _ in range(config.epochs):
            order = torch.randperm(len(returns), generator=shuffled, device="cpu").to(self.device)
            for pick in torch.split(order, config.minibatch):
                # Each thread takes a part of the minibatch.
                shares = pick.tensor_split(config.threads)
                gradients_of = partial(self._gradients, data, coefs, len(pick))
                results = self.threads.map(gradients_of, shares)
                for number, parameter in enumerate(self.parameters):
                    parts = [gradients[number] for gradients, _ in results]
                    parameter.grad = sum(parts[1:], start=parts[0])
                norm = nn.utils.clip_grad_norm_(self.parameters, config.max_grad_norm)
                if not norm.isfinite():
                    raise DivergedError(
                        f"update {self.updates + 1}: gradients are not finite; the last checkpoint "
                        "is from before it. A lower learning_rate or max_grad_norm may help"
                    )
                self.optimizer.step()
                totals += torch.stack([losses for _, losses in results]).sum(0)
                batches += 1
        stats = dict(zip(LOSSES, (totals / batches).tolist()))
        stats["explained"] = 1 - float(rollout.advantages.var() / (returns.var() + 1e-9))
        return stats

    def _gradients(
        self,
        data: list[torch.Tensor],
        coefs: tuple[float, float, float],
        size: int,
        pick: torch.Tensor,
    ) -> tuple[tuple[torch.Tensor, ...], torch.Tensor]:
        """Returns gradients and losses of some decisions, as their part of `size` decisions."""
        config = self.config
        policy_coef, entropy_coef, anchor_coef = coefs
        pick = pick[data[1][pick].argsort(stable=True)]
        features, buckets, masks, actions, old_log_probs, advantages, returns, *anchor = (
            column[pick] for column in data
        )
        log_probs = masked_log_probs(
            self._run(self.policy, features[:, :NUM_INPUTS], buckets), masks
        )
        log_ratio = log_probs.gather(1, actions[:, None])[:, 0] - old_log_probs
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
        policy_loss = -torch.min(ratio * advantages, clipped * advantages).sum() / size
        # Whether two cards are legal or ten: 1 is the most a decision's entropy can be.
        entropy = -(log_probs.exp() * log_probs).sum(1) / masks.sum(1).float().log()
        entropy_mean = entropy.sum() / size
        values = self._run(self.critic, features[:, : self.critic_inputs], buckets)[:, 0]
        value_loss = functional.huber_loss(values, returns, reduction="sum") / size
        away = torch.zeros((), device=self.device)
        if anchor:
            away = (log_probs.exp() * (log_probs - anchor[0].float())).sum() / size
        loss = policy_coef * (policy_loss - entropy_coef * entropy_mean + anchor_coef * away) + (
            config.value_coef * value_loss
        )
        gradients = torch.autograd.grad(loss, self.parameters)
        with torch.no_grad():
            kl = (ratio - 1 - log_ratio).sum() / size
            share = (ratio != clipped).sum() / size
            losses = torch.stack([policy_loss, value_loss, entropy_mean, kl, share, away])
        return gradients, losses

    @torch.no_grad()
    def _anchor_log_probs(
        self, features: torch.Tensor, buckets: torch.Tensor, masks: torch.Tensor
    ) -> torch.Tensor:
        anchor = self.anchor
        assert anchor is not None
        out = torch.empty(masks.shape, dtype=torch.float32, device=self.device)

        def part(pick: torch.Tensor) -> None:
            logits = self._run(anchor, features[pick, :NUM_INPUTS], buckets[pick])
            out[pick] = masked_log_probs(logits, masks[pick])

        self.threads.map(part, torch.split(buckets.argsort(stable=True), 8192))
        return out
