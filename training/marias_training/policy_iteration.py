"""Policy iteration from tried-out actions: a net that does what turned out better.

`python -m marias_training.policy_iteration --start net:base --out runs/better`

A round plays deals among the net and other players, tries every action of some decisions on the
deal as it lies (`marias_training.tryouts`), and takes one step of learning over these lessons,
which are used once and not kept. The loss of a decision is −Σ π(a) A(a) over all its actions, A
what an action brings more than the mean, with the divergence from the policy it started from as a
brake (`--anchor`, in units): the less an action gains, the closer it stays.

Every lesson is judged before it is learned from, so the log is always of lessons not yet seen. A
round is a function of the seed, its number and what was learned before: a run that was stopped
goes on with `--resume` as if it had not been. Ctrl-C saves at the end of the round.
"""

from __future__ import annotations

import argparse
import io
import json
import time
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from marias_agents import make
from marias_agents.net.agent import NetAgent
from marias_agents.net.shape import TABLE_OF, NetParams
from marias_agents.net.weights import save_weights
from marias_agents.rules.agent import RulesAgent
from marias_env import DealBatch
from marias_env.core.rng import stream
from marias_env.errors import AgentError
from marias_env.files import write_bytes_atomic, write_text_atomic
from marias_env.threads import Threads
from marias_training.bucket_net import BucketNet
from marias_training.config import PPOConfig, use_bfloat16
from marias_training.plots import draw_gains
from marias_training.policy import load_policy, make_policy, masked_log_probs
from marias_training.run_log import read_log
from marias_training.runs import Stop, stop_on_interrupt
from marias_training.self_play import mixed_seed
from marias_training.tryouts import PLAYER, Lessons, try_out

CLIP = 4.0
"""Units, by stake, beyond which an action in play is no better or worse."""
EXPLORE = 0.03
CAP = 16.0
LOG_EVERY = 20
LOG, CURVE = "log.jsonl", "gains.png"
"""In a run's folder, beside `state.pt` and `weights.net`."""
Floats = npt.NDArray[np.float64]


def with_bidding_of(play: NetParams, bids: NetParams) -> NetParams:
    """Returns a network that plays cards as the one does and bids as the other, of equal size."""
    parts = {}
    for name, part in play._asdict().items():
        before = np.arange(len(part)) == 0 if name.startswith("first") else TABLE_OF == 0
        shape = (-1,) + (1,) * (part.ndim - 1)
        parts[name] = np.where(before.reshape(shape), getattr(bids, name), part)
    return NetParams(**parts)


class Run:
    """What a run is made of, and what a round does to it."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        start = make(given.start)
        if not isinstance(start, NetAgent):
            raise AgentError(f"--start {given.start!r}; expected net:NAME or net:FILE")
        first = DealBatch(1, given.rules)
        params = start.params_for(first.rules)
        if given.bidding:
            other = make(given.bidding)
            if not isinstance(other, NetAgent):
                raise AgentError(f"--bidding {given.bidding!r}; expected net:NAME or net:FILE")
            params = with_bidding_of(params, other.params_for(first.rules))
        width, narrow = params.second.shape[1:]
        config = PPOConfig(rules=given.rules, hidden=width, narrow=narrow, deals=2)
        torch.set_num_threads(1)
        self.net = make_policy(config)
        self.net.load_params(params)
        # A policy that is sure of everything learns from nothing.
        with torch.no_grad():
            for name, value in self.net.named_parameters():
                if name.startswith("head"):
                    value.mul_(given.soften)
        self.anchor = load_policy(config, self.net.state_dict())
        # What is judged, played and written is the mean of late weights: less noise, same lessons.
        self.mean = load_policy(config, self.net.state_dict())
        self.points = []
        for name in given.players.split(","):
            agent = make(name)
            if not isinstance(agent, RulesAgent):
                raise AgentError(f"--players {name!r}; expected players of the rules player's kind")
            self.points.append(agent.points)
        self.threads = Threads(given.threads)
        ends = [given.deals * i // given.threads for i in range(given.threads + 1)]
        self.sizes = [stop - start for start, stop in pairwise(ends)]
        self.optimizer = torch.optim.Adam(self.net.parameters(), given.rate, eps=1e-5, fused=True)
        self.dtype = torch.bfloat16 if use_bfloat16("auto") else torch.float32
        self.round = 0
        self.lessons = 0

    def play(self) -> Lessons:
        """Plays a round's deals and tries actions out."""
        given = self.given
        params = self.mean.to_params()
        points = np.stack(self.points)

        def part(thread: int) -> Lessons:
            numbers = [given.seed, self.round, thread]
            rng = np.random.default_rng(numbers)
            shape = (self.sizes[thread], 3)
            # Half of the other seats by the first kind, half by all others.
            kinds = rng.integers(len(points), size=shape) * (rng.random(shape) < given.others)
            players = np.where(rng.random(shape) < given.net_share, PLAYER, -1 - kinds)
            # Who goes on: every seat as it was, the net's by the net in some deals only.
            itself = rng.random(shape) < given.itself
            go_on = np.where((players == PLAYER) & ~itself, -1, players)
            batch = DealBatch(shape[0], given.rules, mixed_seed(numbers), autoreset=False)
            root = np.uint64(stream(np.uint64(mixed_seed([*numbers, 1])), 0))
            return try_out(batch, players, go_on, params, points, root, given.tried, EXPLORE, CAP)

        parts = self.threads.map(part, range(given.threads))
        return Lessons._make(np.concatenate(columns) for columns in zip(*parts))

    def learn(self, lessons: Lessons) -> Floats:
        """Learns from lessons once.

        Returns:
            (2, 3): before and in play, sums of what the net and what the anchor chooses, by the
            lessons, and their number.
        """
        given = self.given
        for group in self.optimizer.param_groups:
            group["lr"] = given.rate * max(0.02, min(1.0, 1.1 * (1 - self.round / given.rounds)))
        order = np.random.default_rng([given.seed, self.round]).permutation(len(lessons.buckets))
        totals = np.zeros((2, 3))
        for pick in np.array_split(order, max(1, len(order) // given.batch)):
            results = self.threads.map(
                partial(self._gradients, lessons, len(pick)), np.array_split(pick, given.threads)
            )
            for number, parameter in enumerate(self.net.parameters()):
                parts = [gradients[number] for gradients, _ in results]
                parameter.grad = sum(parts[1:], start=parts[0])
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
            self.optimizer.step()
            with torch.no_grad():
                for slow, fast in zip(self.mean.parameters(), self.net.parameters()):
                    slow.lerp_(fast, 1 - given.memory)
            totals += sum(sums for _, sums in results)
        self.round += 1
        self.lessons += len(order)
        return totals

    def _gradients(
        self, lessons: Lessons, size: int, pick: npt.NDArray[np.int64]
    ) -> tuple[tuple[torch.Tensor, ...], Floats]:
        pick = pick[np.argsort(lessons.buckets[pick], kind="stable")]
        features, masks, gains, buckets = (torch.from_numpy(column[pick]) for column in lessons)
        playing = torch.from_numpy(TABLE_OF[lessons.buckets[pick]] > 0)
        gains = torch.where(playing[:, None], gains.clamp(-CLIP, CLIP), gains)
        with torch.no_grad():
            old = self._logs(self.anchor, features, buckets, masks)
        logs = self._logs(self.net, features, buckets, masks)
        shares = logs.exp()
        gained = (shares * gains).sum(1)
        away = (shares * (logs - old)).sum(1)
        loss = (self.given.anchor * away - gained).sum() / size
        gradients = torch.autograd.grad(loss, list(self.net.parameters()))
        sums = np.zeros((2, 3))
        with torch.no_grad():
            mean = self._logs(self.mean, features, buckets, masks)
        for i, one in enumerate((mean, old)):
            best = gains.gather(1, one.argmax(1, keepdim=True))[:, 0]
            sums[:, i] = float(best[~playing].sum()), float(best[playing].sum())
        sums[:, 2] = int((~playing).sum()), int(playing.sum())
        return gradients, sums

    def _logs(self, net: BucketNet, features: Any, buckets: Any, masks: Any) -> torch.Tensor:
        return masked_log_probs(net(features, buckets, self.dtype), masks)

    def save(self, folder: Path) -> None:
        """Writes what the next round depends on, and the weights as the net is now."""
        buffer = io.BytesIO()
        torch.save(
            {
                "net": self.net.state_dict(),
                "mean": self.mean.state_dict(),
                "anchor": self.anchor.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "counts": (self.round, self.lessons),
            },
            buffer,
        )
        write_bytes_atomic(folder / "state.pt", buffer.getvalue())
        about = {"made_by": "policy iteration", "rounds": self.round, "lessons": self.lessons}
        save_weights(folder / "weights.net", self.mean.to_params(), self.given.rules, about)

    def load(self, folder: Path) -> None:
        """Goes on from what `save` wrote."""
        saved = torch.load(folder / "state.pt", weights_only=True)
        self.net.load_state_dict(saved["net"])
        self.mean.load_state_dict(saved["mean"])
        self.anchor.load_state_dict(saved["anchor"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.round, self.lessons = saved["counts"]


def arguments() -> argparse.ArgumentParser:
    """Returns the parser of the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--start", default="net:base", help="net:NAME or net:FILE")
    parser.add_argument("--bidding", default="", help="another net whose bidding is started from")
    parser.add_argument("--rules", default="traditional", help="preset")
    parser.add_argument("--out", type=Path, required=True, help="folder")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--rounds", type=int, default=800)
    parser.add_argument("--deals", type=int, default=4096, help="of a round")
    parser.add_argument(
        "--tried", type=float, default=0.4, help="share of decisions tried out, more of leads"
    )
    parser.add_argument("--batch", type=int, default=4096, help="lessons of a step")
    parser.add_argument("--rate", type=float, default=1e-3, help="of learning, at first")
    parser.add_argument("--anchor", type=float, default=0.03, help="brake, in units")
    parser.add_argument("--memory", type=float, default=0.997, help="of the mean weights, a step")
    parser.add_argument("--soften", type=float, default=0.2, help="factor on the first logits")
    parser.add_argument(
        "--players", default="rules,tuning:root,tuning:quiet,tuning:grasping",
        help="the others, the first in most seats",
    )  # fmt: skip
    parser.add_argument("--others", type=float, default=0.5, help="share not of the first alone")
    parser.add_argument("--net-share", type=float, default=0.4, help="of seats that the net plays")
    parser.add_argument(
        "--itself", type=float, default=0.0,
        help="share of the net's seats that go on by the net after an action tried, not by rules",
    )  # fmt: skip
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save-every", type=int, default=100, help="rounds")
    return parser


def main() -> None:
    """Runs rounds and logs them."""
    given = arguments().parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    run = Run(given)
    if given.resume:
        run.load(given.out)
    log = given.out / LOG
    # Lines of rounds that were lost are written again.
    lines = read_log(log)[0] if given.resume and log.exists() else []
    lines = [line for line in lines if line["round"] <= run.round]
    with stop_on_interrupt() as stop:
        _rounds(run, lines, stop)


def _rounds(run: Run, lines: list[dict[str, Any]], stop: Stop) -> None:
    # Plays and learns to the last round, or to the round in which it is stopped.
    given = run.given
    totals, began, played = np.zeros((2, 3)), time.perf_counter(), 0.0
    while run.round < given.rounds:
        at = time.perf_counter()
        lessons = run.play()
        played += time.perf_counter() - at
        totals += run.learn(lessons)
        if run.round % LOG_EVERY == 0:
            seconds = time.perf_counter() - began
            gain = (totals[:, 0] - totals[:, 1]) / np.maximum(totals[:, 2], 1)
            line = {
                "round": run.round,
                "lessons": run.lessons,
                "gain_before_play": round(gain[0], 5),
                "gain_in_play": round(gain[1], 5),
                "lessons_per_second": round(totals[:, 2].sum() / seconds),
                "playing": round(played / seconds, 2),
            }
            print(json.dumps(line), flush=True)  # noqa: T201
            lines.append(line)
            text = "".join(json.dumps(each) + "\n" for each in lines)
            write_text_atomic(given.out / LOG, text)
            totals, began, played = np.zeros((2, 3)), time.perf_counter(), 0.0
        last = run.round == given.rounds
        if run.round % given.save_every == 0 or last or stop.is_set():
            run.save(given.out)
            if lines:
                draw_gains(given.out / LOG, given.out / CURVE)
        if not last:
            stop.raise_if_set()


if __name__ == "__main__":
    main()
