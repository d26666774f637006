"""Self-play PPO for Mariáš, the whole algorithm in one file.

One policy network plays all three seats. An update is: play some thousands of deals to the end with
the current policy, estimate for every decision how much better it turned out than expected, and
move the policy a little towards the better ones. What is particular to this game is commented where
it happens; the rest is PPO as in its paper (Schulman et al., 2017). Checkpoints, evaluation and the
command line are in other files.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional

from marias_env import DealBatch
from marias_env.actions import NUM_ACTIONS, PLAY
from marias_env.rules import Rules
from marias_training.features import NUM_CRITIC_INPUTS, NUM_INPUTS, canonical, to_actions

FloatArray = npt.NDArray[np.float32]
ILLEGAL_LOGIT = -1e9
"""Far below any real logit, so that softmax gives exactly 0, yet finite: no NaN in gradients."""


@dataclass(frozen=True)
class PPOConfig:
    """Everything that defines a run; every field is an option of `marias train`.

    Attributes:
        rules: preset to learn.
        seed: seeds network, deals and sampling.
        steps: decisions that the schedules span (0: they follow `minutes` instead).
        minutes: length of the run where `steps` is 0.
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
        reward_cap: for `cap`.
        hidden: width of the layers.
        layers: hidden layers of each network.
        privileged_critic: the critic (used in training only) sees all cards.
        past_fraction: share of deals in which one or two seats are played by a past snapshot.
        past_every: updates between snapshots.
        past_size: snapshots kept.
        bfloat16: compute in bfloat16 (faster where the CPU supports it); weights stay float32.
        threads: torch threads (0: torch's own choice). Results depend on it in the last digits.
    """

    rules: str = "traditional"
    seed: int = 1
    steps: int = 0
    minutes: float = 5.0
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
    layers: int = 2
    privileged_critic: bool = True
    past_fraction: float = 0.0
    past_every: int = 20
    past_size: int = 8
    bfloat16: bool = False
    threads: int = 2


def squash(units: npt.NDArray[Any], config: PPOConfig) -> FloatArray:
    """Turns units into rewards.

    Payments double with every raise and every ten points of a hundred: up to thousands of units,
    and one such deal would outweigh a thousand plain ones in a gradient.
    """
    size = np.abs(units).astype(np.float32)
    if config.reward == "log":
        squashed = np.log1p(size) / 2
    elif config.reward == "sqrt":
        squashed = np.sqrt(size) / 3
    elif config.reward == "cap":
        squashed = np.minimum(size, config.reward_cap) / 4
    else:
        raise ValueError(f"reward: {config.reward!r}; expected log, sqrt or cap")
    return (np.sign(units) * squashed).astype(np.float32)


class Net(nn.Module):
    """A plain multi-layer perceptron."""

    def __init__(self, inputs: int, hidden: int, layers: int, outputs: int, gain: float) -> None:
        super().__init__()
        sizes = [inputs] + [hidden] * layers
        parts: list[nn.Module] = []
        for before, after in zip(sizes, sizes[1:]):
            parts += [nn.Linear(before, after), nn.ReLU()]
        self.body = nn.Sequential(*parts)
        self.head = nn.Linear(sizes[-1], outputs)
        for part in self.modules():
            if isinstance(part, nn.Linear):
                nn.init.orthogonal_(part.weight, math.sqrt(2))
                nn.init.zeros_(part.bias)
        # Nearly equal logits at first: exploration starts from the uniform policy.
        nn.init.orthogonal_(self.head.weight, gain)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Returns (N, outputs) float32 for (N, inputs) int8."""
        out: torch.Tensor = self.head(self.body(features.to(self.head.weight.dtype)))
        return out.float()


def make_policy(config: PPOConfig) -> Net:
    """Returns a fresh policy network: canonical features to 48 canonical action logits."""
    return Net(NUM_INPUTS, config.hidden, config.layers, NUM_ACTIONS, 0.01)


def masked_log_probs(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Returns log-probabilities; illegal actions are out before the softmax, not after it."""
    return functional.log_softmax(logits.masked_fill(masks == 0, ILLEGAL_LOGIT), dim=1)


@dataclass
class Rollout:
    """The decisions of one update's deals: N in the order they were taken, sweep by sweep.

    Attributes:
        features: (N, F) int8 canonical inputs, the policy's first, the critic's all.
        masks: (N, 48) int8 canonical legal actions.
        actions: (N,) canonical actions taken.
        log_probs: (N,) their log-probabilities when they were taken.
        values: (N,) the critic's estimates.
        advantages: (N,) how much better than the estimate it went.
        rows: (N,) deal.
        seats: (N,) seat.
        groups: (N,) 0…3, see `Trainer.rollout`.
        learn: (N,) bool: in the loss. Forced decisions and a past snapshot's are not.
        sweeps: start of every sweep in the N, and N.
        payments: (deals, 3) units.
    """

    features: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    actions: npt.NDArray[np.int64]
    log_probs: FloatArray
    values: FloatArray
    advantages: FloatArray
    rows: npt.NDArray[np.int64]
    seats: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]
    learn: npt.NDArray[np.bool_]
    sweeps: list[int]
    payments: npt.NDArray[np.int64]
    stats: dict[str, float] = field(default_factory=dict)


def seat_advantages(
    rewards: FloatArray,
    values: FloatArray,
    rows: npt.NDArray[np.int64],
    seats: npt.NDArray[np.int64],
    sweeps: list[int],
    lam: float,
) -> FloatArray:
    """Generalised advantage estimation along each seat's own decisions in each deal, with γ = 1.

    What follows a decision is the same seat's next decision, never another player's; after its last
    one comes the end of the deal with this seat's reward, even if others still play on. A row is one
    deal, so nothing leaks from one deal into the next.

    Args:
        rewards: (deals, 3) at the end of the deal, by seat.
        values: (N,) estimates for the seat that decides.
        rows: (N,) deal of each decision.
        seats: (N,) seat of each decision.
        sweeps: boundaries of the sweeps; within one, each deal occurs at most once.
        lam: GAE's λ.
    """
    advantages = np.zeros_like(values)
    next_value = rewards.astype(np.float32).copy()
    next_advantage = np.zeros_like(next_value)
    for start, stop in zip(reversed(sweeps[:-1]), reversed(sweeps[1:])):
        here = slice(start, stop)
        at = (rows[here], seats[here])
        advantages[here] = next_value[at] - values[here] + lam * next_advantage[at]
        next_value[at] = values[here]
        next_advantage[at] = advantages[here]
    return advantages


class Trainer:
    """Networks, optimizer, deals and random streams of a run, and what one update does to them."""

    def __init__(self, config: PPOConfig, rules: str | Rules | None = None) -> None:
        self.config = config
        if config.threads:
            torch.set_num_threads(config.threads)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.policy = make_policy(config)
            self.critic = Net(
                NUM_CRITIC_INPUTS if config.privileged_critic else NUM_INPUTS,
                config.hidden,
                config.layers,
                1,
                1.0,
            )
        self.parameters = [*self.policy.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(
            self.parameters, lr=config.learning_rate, eps=1e-5, fused=True
        )
        self.rng = torch.Generator().manual_seed(config.seed)
        self.batch = DealBatch(config.deals, config.rules, seed=config.seed, autoreset=False)
        self.past: list[dict[str, torch.Tensor]] = []
        self.updates = 0
        self.decisions = 0
        self.seconds = 0.0

    # ------------------------------------------------------------------ schedules

    @property
    def progress(self) -> float:
        """Share of the schedule that is done: by decisions, or by time where no steps are given."""
        if self.config.steps:
            return min(1.0, self.decisions / self.config.steps)
        return min(1.0, self.seconds / (60 * self.config.minutes))

    def _now(self, start: float, end: float) -> float:
        return start + (end - start) * self.progress

    def _autocast(self) -> torch.autocast:
        return torch.autocast("cpu", torch.bfloat16, enabled=self.config.bfloat16)

    # ------------------------------------------------------------------ playing

    def _choose(
        self, net: Net, features: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Samples actions; returns them and their log-probabilities."""
        with self._autocast():
            logits = net(features)
        log_probs = masked_log_probs(logits, masks)
        # The largest of log p + Gumbel noise is a sample from p.
        noise = torch.empty_like(log_probs).exponential_(generator=self.rng).log_()
        actions = (log_probs - noise).argmax(1)
        return actions, log_probs.gather(1, actions[:, None])[:, 0]

    def _past_seats(self) -> tuple[Net | None, npt.NDArray[np.bool_]]:
        """Draws a snapshot and the (deals, 3) seats it plays in this update."""
        seats = np.zeros((self.config.deals, 3), dtype=np.bool_)
        if not self.past or not self.config.past_fraction:
            return None, seats
        pick = int(torch.randint(len(self.past), (1,), generator=self.rng))
        net = make_policy(self.config)
        net.load_state_dict(self.past[pick])
        deals = int(self.config.past_fraction * self.config.deals)
        first = torch.randint(3, (deals,), generator=self.rng).numpy()
        seats[np.arange(deals), first] = True
        seats[np.arange(0, deals, 2), (first[::2] + 1) % 3] = True
        return net, seats

    @torch.no_grad()
    def rollout(self) -> Rollout:
        """Plays every deal of the batch to its end: one forward pass per sweep over all deals."""
        batch, config = self.batch, self.config
        past, past_seats = self._past_seats()
        parts: dict[str, list[npt.NDArray[Any]]] = {}
        sweeps = [0]
        actions = np.full(len(batch), -1, dtype=np.int64)
        while True:
            turn = batch.turn.astype(np.int64)
            rows = np.flatnonzero(turn >= 0)
            if not rows.size:
                break
            seats = turn[rows]
            vectors = batch.state(None) if config.privileged_critic else batch.observe()
            features, masks, order = canonical(vectors[rows], batch.legal_mask()[rows])
            # A forced decision needs no network. (About half of them all: rules of following.)
            chosen = masks.argmax(1).astype(np.int64)
            log_probs = np.zeros(len(rows), dtype=np.float32)
            by_past = past_seats[rows, seats]
            free = masks.sum(1) > 1
            learn = free & ~by_past
            for net, mine in ((self.policy, learn), (past, free & by_past)):
                if net is not None and mine.any():
                    picked, logs = self._choose(
                        net,
                        torch.from_numpy(features[mine, :NUM_INPUTS]),
                        torch.from_numpy(masks[mine]),
                    )
                    chosen[mine], log_probs[mine] = picked.numpy(), logs.numpy()
            # Roles for the normalisation of advantages: a declarer is paid double, and what hangs
            # on a bid has another spread than what hangs on a card.
            declares = batch.deals["declarer"][rows] == seats
            plays = batch.deals["phase"][rows] == PLAY
            step = {
                "features": features,
                "masks": masks,
                "actions": chosen,
                "log_probs": log_probs,
                "rows": rows,
                "seats": seats,
                "groups": 2 * plays + declares,
                "learn": learn,
            }
            for name, values in step.items():
                parts.setdefault(name, []).append(values)
            sweeps.append(sweeps[-1] + len(rows))
            actions[:] = -1
            actions[rows] = to_actions(chosen, order)
            batch.step(actions)
        whole = {name: np.concatenate(values) for name, values in parts.items()}
        payments = batch.deals["payments"].copy()
        values = self._values(whole["features"])
        advantages = seat_advantages(
            squash(payments, config), values, whole["rows"], whole["seats"], sweeps,
            config.gae_lambda,
        )  # fmt: skip
        whole["groups"] = whole["groups"].astype(np.int64)
        result = Rollout(
            **whole, values=values, advantages=advantages, sweeps=sweeps, payments=payments
        )
        result.stats = deal_stats(batch)
        batch.reset(indices=np.arange(len(batch)))
        return result

    def _values(self, features: npt.NDArray[np.int8]) -> FloatArray:
        out = [
            self._critic(torch.from_numpy(features[i : i + 16384]))
            for i in range(0, len(features), 16384)
        ]
        return torch.cat(out).numpy()

    def _critic(self, features: torch.Tensor) -> torch.Tensor:
        with self._autocast():
            values: torch.Tensor = self.critic(features)
        return values[:, 0]

    # ------------------------------------------------------------------ learning

    def update(self, rollout: Rollout) -> dict[str, float]:
        """Learns from one rollout; returns losses and diagnostics."""
        config = self.config
        used = np.flatnonzero(rollout.learn)
        advantages = rollout.advantages[used]
        groups = rollout.groups[used]
        for group in np.unique(groups):
            of = groups == group
            part = advantages[of]
            advantages[of] = (part - part.mean()) / (part.std() + 1e-6)
        features = torch.from_numpy(rollout.features[used])
        masks = torch.from_numpy(rollout.masks[used])
        actions = torch.from_numpy(rollout.actions[used])
        old_log_probs = torch.from_numpy(rollout.log_probs[used])
        better = torch.from_numpy(advantages)
        returns = torch.from_numpy(rollout.values[used] + rollout.advantages[used])
        for group in self.optimizer.param_groups:
            group["lr"] = self._now(config.learning_rate, config.learning_rate_end)
        entropy_coef = self._now(config.entropy, config.entropy_end)
        sums = torch.zeros(5)
        batches = 0
        for _ in range(config.epochs):
            for pick in torch.randperm(len(used), generator=self.rng).split(config.minibatch):
                x = features[pick]
                with self._autocast():
                    logits = self.policy(x[:, :NUM_INPUTS])
                legal = masks[pick]
                log_probs = masked_log_probs(logits, legal)
                taken = log_probs.gather(1, actions[pick][:, None])[:, 0]
                log_ratio = taken - old_log_probs[pick]
                ratio = log_ratio.exp()
                advantage = better[pick]
                policy_loss = -torch.min(
                    ratio * advantage, ratio.clamp(1 - config.clip, 1 + config.clip) * advantage
                ).mean()
                # Of two legal cards or of ten: 1 is the most a decision's entropy can be.
                entropy = -(log_probs.exp() * log_probs).sum(1) / legal.sum(1).float().log()
                value_loss = functional.huber_loss(self._critic(x), returns[pick])
                loss = (
                    policy_loss
                    - entropy_coef * entropy.mean()
                    + config.value_coef * value_loss
                )
                self.optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(self.parameters, config.max_grad_norm)
                self.optimizer.step()
                with torch.no_grad():
                    kl = (ratio - 1 - log_ratio).mean()
                    clipped = ((ratio - 1).abs() > config.clip).float().mean()
                    sums += torch.stack([policy_loss, value_loss, entropy.mean(), kl, clipped])
                batches += 1
        names = ("policy_loss", "value_loss", "entropy", "kl", "clipped")
        stats = dict(zip(names, (sums / batches).tolist()))
        spread = float(returns.var())
        stats["explained"] = 1 - float((returns - torch.from_numpy(
            rollout.values[used])).var()) / max(spread, 1e-9)  # fmt: skip
        return stats

    def train_update(self) -> dict[str, float]:
        """One rollout and one update; returns what happened, for logs."""
        began = time.perf_counter()
        rollout = self.rollout()
        played = time.perf_counter()
        stats = {**rollout.stats, **self.update(rollout)}
        self.updates += 1
        self.decisions += len(rollout.actions)
        if self.config.past_fraction and self.updates % self.config.past_every == 0:
            now = {name: value.clone() for name, value in self.policy.state_dict().items()}
            self.past = [*self.past, now][-self.config.past_size :]
        seconds = time.perf_counter() - began
        self.seconds += seconds
        stats["learned_share"] = float(rollout.learn.mean())
        stats["steps_per_second"] = len(rollout.actions) / seconds
        stats["rollout_share"] = (played - began) / seconds
        return stats


def deal_stats(batch: DealBatch) -> dict[str, float]:
    """Describes finished deals: contract frequencies, raises, size of payments."""
    deals = batch.deals
    contract = deals["contract"]
    stats = {
        f"contract/{name}": float((contract == number).mean())
        for number, name in enumerate(("suit", "betl", "durch", "open_betl", "open_durch"))
    }
    stats["raises"] = float(deals["levels"].max(1).mean())
    stats["declarer_units"] = float(deals["value"].mean())
    stats["units_size"] = float(np.abs(deals["value"]).mean())
    return stats
