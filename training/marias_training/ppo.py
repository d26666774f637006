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
from dataclasses import dataclass, fields
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional

from marias_agents import Agent, make
from marias_env import DealBatch
from marias_env.actions import CONTRACT, CONTRACTS, NUM_ACTIONS, PLAY, REPLY
from marias_env.canonical import NUM_CRITIC_INPUTS, NUM_INPUTS, canonical, to_actions
from marias_env.errors import DivergedError
from marias_env.threads import Threads
from marias_training.config import PPOConfig, use_bfloat16
from marias_training.net_agent import NetAgent

FloatArray = npt.NDArray[np.float32]
ILLEGAL_LOGIT = -1e9
"""Far below any real logit, so that softmax gives exactly 0, yet finite: no NaN in gradients."""
LOSSES = ("policy_loss", "value_loss", "entropy", "kl", "clipped")


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
    else:
        squashed = np.minimum(size, config.reward_cap) / 4
    return np.asarray(np.sign(units) * squashed, dtype=np.float32)


class Net(nn.Module):
    """A plain multi-layer perceptron."""

    def __init__(self, inputs: int, hidden: int, layers: int, outputs: int, gain: float) -> None:
        super().__init__()
        sizes = [inputs] + [hidden] * layers
        parts: list[nn.Module] = []
        for before, after in pairwise(sizes):
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
        out: torch.Tensor = self.head(self.body(features.float()))
        return out


def make_policy(config: PPOConfig) -> Net:
    """Returns a fresh policy network: canonical features to 48 canonical action logits."""
    return Net(NUM_INPUTS, config.hidden, config.layers, NUM_ACTIONS, 0.01)


def load_policy(config: PPOConfig, weights: dict[str, torch.Tensor]) -> Net:
    """Returns a policy network with given weights."""
    with torch.random.fork_rng(devices=[]):  # making one draws weights, from torch's own stream
        net = make_policy(config)
    net.load_state_dict(weights)
    return net


def with_random_bids(
    log_probs: torch.Tensor, masks: torch.Tensor, share: torch.Tensor
) -> torch.Tensor:
    """Returns the log-probabilities of a policy that acts uniformly at random with (N,) `share`."""
    legal = (masks != 0).float()
    uniform = legal / legal.sum(1, keepdim=True)
    mixed = log_probs.exp() * (1 - share[:, None]) + uniform * share[:, None]
    return mixed.clamp(min=1e-30).log().masked_fill(masks == 0, ILLEGAL_LOGIT)


def masked_log_probs(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Returns log-probabilities; illegal actions are out before the softmax, not after it."""
    return functional.log_softmax(logits.masked_fill(masks == 0, ILLEGAL_LOGIT), dim=1)


@dataclass
class Rollout:
    """The decisions of some deals, N in the order they were taken.

    Attributes:
        features: (N, F) int8 canonical inputs: the policy's first, the critic's all.
        masks: (N, 48) int8 canonical legal actions.
        actions: (N,) canonical actions taken.
        log_probs: (N,) their log-probabilities when they were taken.
        values: (N,) the critic's estimates.
        advantages: (N,) how much better than the estimate it went.
        rows: (N,) deal.
        seats: (N,) seat.
        groups: (N,) 0…3: role and stage, within which advantages are normalised.
        learn: (N,) bool: in the loss. Forced decisions and an opponent's are not.
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
    payments: npt.NDArray[np.int64]


def join(parts: list[Rollout]) -> Rollout:
    """Returns several threads' decisions as one rollout; deals are numbered through."""
    first = 0
    for part in parts:
        part.rows += first
        first += len(part.payments)
    return Rollout(
        **{f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Rollout)}
    )


def seat_advantages(
    rewards: FloatArray,
    values: FloatArray,
    rows: npt.NDArray[np.int64],
    seats: npt.NDArray[np.int64],
    sweeps: list[int],
    lam: float,
) -> FloatArray:
    """Generalised advantage estimation along each seat's own decisions in each deal, with γ = 1.

    What follows a decision is the same seat's next decision, never another player's; after its
    last one comes the end of the deal with this seat's reward, even if others still play on. A row
    is one deal, so nothing leaks from one deal into the next.

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

    def __init__(self, config: PPOConfig) -> None:
        self.config = config
        self.bfloat16 = use_bfloat16(config.precision)
        # Torch's own threads wait for each other within every operation, and networks this small
        # lose by it. Ours split the deals and the minibatches instead.
        torch.set_num_threads(1)
        self.threads = Threads(config.threads)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.policy = make_policy(config)
            inputs = NUM_CRITIC_INPUTS if config.privileged_critic else NUM_INPUTS
            self.critic = Net(inputs, config.hidden, config.layers, 1, 1.0)
        self.parameters = [*self.policy.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(self.parameters, config.learning_rate, eps=1e-5)
        ends = [config.deals * i // config.threads for i in range(config.threads + 1)]
        self.batches = [
            DealBatch(stop - start, config.rules, config.seed, autoreset=False, first_index=start)
            for start, stop in pairwise(ends)
        ]
        # One stream for each thread, and one for what is drawn for all of them.
        self.rngs = [
            torch.Generator().manual_seed(config.seed + i) for i in range(config.threads + 1)
        ]
        self.past: list[dict[str, torch.Tensor]] = []
        self.updates = 0
        self.decisions = 0
        self.seconds = 0.0

    @property
    def progress(self) -> float:
        """Share of the schedule that is done: by decisions, or by time where no steps are given."""
        if self.config.steps:
            return min(1.0, self.decisions / self.config.steps)
        return min(1.0, self.seconds / (60 * self.config.minutes))

    def _now(self, start: float, end: float) -> float:
        return start + (end - start) * self.progress

    def train_update(self) -> dict[str, float]:
        """One rollout and one update; returns what happened, for logs."""
        config = self.config
        began = time.perf_counter()
        other = self._opponent()
        rollout = join(self.threads.map(lambda i: self.rollout(i, other), range(config.threads)))
        played = time.perf_counter()
        stats = self.update(rollout)
        self.updates += 1
        self.decisions += len(rollout.actions)
        past = config.opponent == "past" and config.opponent_fraction > 0
        if past and self.updates % config.past_every == 0:
            now = {name: value.clone() for name, value in self.policy.state_dict().items()}
            self.past = [*self.past, now][-config.past_size :]
        seconds = time.perf_counter() - began
        self.seconds += seconds
        stats["learned_share"] = float(rollout.learn.mean())
        stats["steps_per_second"] = len(rollout.actions) / seconds
        stats["rollout_share"] = (played - began) / seconds
        deals = np.concatenate([batch.deals for batch in self.batches])
        stats["declarer_reward"] = float(squash(2 * deals["value"], config).mean())
        return {**stats, **deal_stats(deals)}

    def state_dict(self) -> dict[str, Any]:
        """Returns all that the next update depends on, as tensors and plain values."""
        deals = [bytearray(batch.to_bytes()) for batch in self.batches]
        return {
            "policy": self.policy.state_dict(),
            "critic": self.critic.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "past": self.past,
            "rngs": [rng.get_state() for rng in self.rngs],
            "batches": [torch.frombuffer(data, dtype=torch.uint8) for data in deals],
            "bfloat16": self.bfloat16,
            "counts": (self.updates, self.decisions, self.seconds),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restores what `state_dict` returned.

        Raises:
            ValueError: it is of a run with other deals or threads, or something is missing.
        """
        sizes = [len(batch) for batch in self.batches]
        for batch, saved in zip(self.batches, state["batches"]):
            batch.from_bytes(saved.numpy().tobytes())
        found = [len(batch) for batch in self.batches]
        if len(state["batches"]) != len(sizes) or found != sizes:
            raise ValueError("deals and threads of a run cannot be changed when it goes on")
        self.policy.load_state_dict(state["policy"])
        self.critic.load_state_dict(state["critic"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.past = list(state["past"])
        if not isinstance(state["rngs"], list) or len(state["rngs"]) != len(self.rngs):
            raise ValueError(f"random streams of other threads; expected {len(self.rngs)}")
        for rng, saved in zip(self.rngs, state["rngs"]):
            rng.set_state(saved)
        if self.config.precision == "auto":
            self.bfloat16 = bool(state["bfloat16"])
        self.updates, self.decisions, self.seconds = state["counts"]

    # ------------------------------------------------------------------ playing

    @torch.no_grad()
    def rollout(self, thread: int, opponent: Agent | None = None) -> Rollout:
        """Plays a thread's deals to their end, with one forward pass per sweep over all of them.

        Args:
            thread: whose batch and random stream.
            opponent: plays one or two seats in `opponent_fraction` of the deals.
        """
        batch, rng, config = self.batches[thread], self.rngs[thread], self.config
        batch.reset(indices=np.arange(len(batch)))
        others = np.zeros((len(batch), 3), dtype=np.bool_)  # seats of the opponent
        if opponent is not None:
            some = np.arange(int(config.opponent_fraction * len(batch)))
            first = torch.randint(3, (len(some),), generator=rng).numpy()
            others[some, first] = True
            others[some[::2], (first[::2] + 1) % 3] = True
        steps: list[tuple[npt.NDArray[Any], ...]] = []
        actions = np.empty(len(batch), dtype=np.int64)
        while True:
            turn = batch.turn.astype(np.int64)
            rows = np.flatnonzero(turn >= 0)
            if not rows.size:
                break
            seats = turn[rows]
            vectors = batch.state(None) if config.privileged_critic else batch.observe()
            features, masks, order = canonical(vectors[rows], batch.legal_mask()[rows])
            # A third of all decisions are forced and need no network.
            chosen = masks.argmax(1).astype(np.int64)
            log_probs = np.zeros(len(rows), dtype=np.float32)
            phase = batch.deals["phase"][rows]
            foreign = others[rows, seats]
            learn = (masks.sum(1) > 1) & ~foreign
            if learn.any():
                legal = torch.from_numpy(masks[learn])
                inputs = torch.from_numpy(features[learn, :NUM_INPUTS])
                logs = masked_log_probs(self._run(self.policy, inputs), legal)
                # A contract that is never named teaches nobody to play it, or to defend against
                # it. The ratio in the update is to these probabilities, so nothing is distorted.
                bids = np.isin(phase[learn], (CONTRACT, REPLY)) * np.float32(config.random_bids)
                logs = with_random_bids(logs, legal, torch.from_numpy(bids))
                # The largest of log p + Gumbel noise is a sample of p.
                noise = torch.empty_like(logs).exponential_(generator=rng)
                noise = noise.clamp_(min=1e-30).log_()  # an exact 0 would beat the mask
                picked = (logs - noise).argmax(1)
                chosen[learn] = picked.numpy()
                log_probs[learn] = logs.gather(1, picked[:, None])[:, 0].numpy()
            actions[:] = -1
            actions[rows] = to_actions(chosen, order)
            if opponent is not None and foreign.any():
                views = batch.views(rows[foreign])
                actions[rows[foreign]] = opponent.act(views, views.legal_mask())
            # A declarer is paid double, and what hangs on a bid spreads wider than what hangs on a
            # card: four groups for normalising.
            declares = batch.deals["declarer"][rows] == seats
            groups = 2 * (phase == PLAY) + declares.astype(np.int64)
            steps.append((features, masks, chosen, log_probs, rows, seats, groups, learn))
            batch.step(actions)
        sweeps = np.cumsum([0] + [len(step[0]) for step in steps]).tolist()
        features, masks, chosen, log_probs, rows, seats, groups, learn = (
            np.concatenate(column) for column in zip(*steps)
        )
        values = np.concatenate(
            [
                self._run(self.critic, torch.from_numpy(features[i : i + 8192]))[:, 0].numpy()
                for i in range(0, len(features), 8192)
            ]
        )
        payments = batch.deals["payments"].copy()
        advantages = seat_advantages(
            squash(payments, config), values, rows, seats, sweeps, config.gae_lambda
        )
        return Rollout(
            features, masks, chosen, log_probs, values, advantages, rows, seats, groups, learn,
            payments,
        )  # fmt: skip

    def _run(self, net: Net, features: torch.Tensor) -> torch.Tensor:
        # No cache of converted weights: it would be shared by the threads.
        with torch.autocast("cpu", torch.bfloat16, self.bfloat16, cache_enabled=False):
            out: torch.Tensor = net(features)
        return out.float()

    def _opponent(self) -> Agent | None:
        if not self.config.opponent_fraction:
            return None
        if self.config.opponent != "past":
            return make(self.config.opponent)
        if not self.past:
            return None
        pick = int(torch.randint(len(self.past), (1,), generator=self.rngs[-1]))
        return NetAgent(load_policy(self.config, self.past[pick]), "past", seed=self.updates)

    # ------------------------------------------------------------------ learning

    def update(self, rollout: Rollout) -> dict[str, float]:
        """Learns from one rollout; returns losses and diagnostics."""
        config = self.config
        used = np.flatnonzero(rollout.learn)
        advantages, groups = rollout.advantages[used], rollout.groups[used]
        for group in np.unique(groups):
            part = advantages[groups == group]
            advantages[groups == group] = (part - part.mean()) / (part.std() + 1e-6)
        returns = rollout.values[used] + rollout.advantages[used]
        data = tuple(
            torch.from_numpy(column)
            for column in (
                rollout.features[used], rollout.masks[used], rollout.actions[used],
                rollout.log_probs[used], advantages, returns,
            )
        )  # fmt: skip
        for settings in self.optimizer.param_groups:
            settings["lr"] = self._now(config.learning_rate, config.learning_rate_end)
        entropy_coef = self._now(config.entropy, config.entropy_end)
        totals = torch.zeros(len(LOSSES))
        batches = 0
        for _ in range(config.epochs):
            order = torch.randperm(len(used), generator=self.rngs[-1])
            for pick in torch.split(order, config.minibatch):
                # Each thread takes a part of the minibatch.
                shares = pick.tensor_split(config.threads)
                gradients_of = partial(self._gradients, data, entropy_coef, len(pick))
                results = self.threads.map(gradients_of, shares)
                for number, parameter in enumerate(self.parameters):
                    parts = [gradients[number] for gradients, _ in results]
                    parameter.grad = torch.stack(parts).sum(0)
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
        stats["explained"] = 1 - float(rollout.advantages[used].var() / (returns.var() + 1e-9))
        return stats

    def _gradients(
        self, data: tuple[torch.Tensor, ...], entropy_coef: float, size: int, pick: torch.Tensor
    ) -> tuple[tuple[torch.Tensor, ...], torch.Tensor]:
        """Returns gradients and losses of some decisions, as their part of `size` decisions."""
        features, masks, actions, old_log_probs, advantages, returns = (c[pick] for c in data)
        config = self.config
        log_probs = masked_log_probs(self._run(self.policy, features[:, :NUM_INPUTS]), masks)
        log_ratio = log_probs.gather(1, actions[:, None])[:, 0] - old_log_probs
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
        policy_loss = -torch.min(ratio * advantages, clipped * advantages).sum() / size
        # Whether two cards are legal or ten: 1 is the most a decision's entropy can be.
        entropy = -(log_probs.exp() * log_probs).sum(1) / masks.sum(1).float().log()
        entropy_mean = entropy.sum() / size
        values = self._run(self.critic, features)[:, 0]
        value_loss = functional.huber_loss(values, returns, reduction="sum") / size
        loss = policy_loss - entropy_coef * entropy_mean + config.value_coef * value_loss
        gradients = torch.autograd.grad(loss, self.parameters)
        with torch.no_grad():
            kl = (ratio - 1 - log_ratio).sum() / size
            share = (ratio != clipped).sum() / size
            losses = torch.stack([policy_loss, value_loss, entropy_mean, kl, share])
        return gradients, losses


def deal_stats(deals: npt.NDArray[Any]) -> dict[str, float]:
    """Describes finished deals: contract frequencies, raises, size of payments."""
    stats = {
        f"contract/{name}": float((deals["contract"] == number).mean())
        for number, name in enumerate(CONTRACTS)
    }
    stats["raises"] = float(deals["levels"].max(axis=1).mean())
    stats["declarer_units"] = float(deals["value"].mean())
    stats["units_size"] = float(np.abs(deals["value"]).mean())
    return stats
