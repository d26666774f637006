"""Teaches a network what another player does: minutes instead of hours, and a start for more.

`python -m marias_training.imitation --teacher rules --out runs/imitation.net`

The teacher plays against itself, now and then a random action is taken so that it meets unusual
positions, and the network learns to give its choice the highest probability. Deals are not kept:
each round plays new ones. A run that is stopped goes on from the last round (`--resume`).
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from marias_agents import make
from marias_agents.net.kernel import bucket_rows
from marias_agents.net.shape import TABLE_OF
from marias_agents.net.weights import load_weights, save_weights
from marias_env import DealBatch
from marias_env.canonical import ACTION_OF, NUM_INPUTS, canonical
from marias_training.config import PPOConfig, use_bfloat16
from marias_training.policy import make_policy, masked_log_probs
from marias_training.self_play import mixed_seed

EXPLORE: Final = 0.05
"""Share of decisions in which a random action is taken."""
BATCH: Final = 2048
RATE: Final = 2e-3
RATE_END: Final = 1e-4


@dataclasses.dataclass(frozen=True)
class Lessons:
    """Decisions of the teacher with a choice.

    Attributes:
        features: (N, NUM_INPUTS) int8 canonical.
        masks: (N, 48) int8 canonical.
        buckets: (N,) int64.
        actions: (N,) int64 canonical: what the teacher does.
    """

    features: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    buckets: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int64]


def collect(teacher: Any, rules: str, deals: int, seed: list[int]) -> Lessons:
    """Lets the teacher play deals against itself and keeps its decisions."""
    batch = DealBatch(deals, rules, mixed_seed(seed), autoreset=False)
    rng = np.random.default_rng(seed)
    parts = []
    place_of = np.argsort(ACTION_OF, axis=1)
    while True:
        rows = np.flatnonzero(batch.turn >= 0)
        if not rows.size:
            break
        views, masks = batch.views(rows), batch.legal_mask()[rows]
        chosen = teacher.act(views, masks)
        free = masks.sum(1) > 1
        inputs = canonical(views.observe()[free], np.ascontiguousarray(masks[free]))
        buckets = np.empty(int(free.sum()), dtype=np.int64)
        bucket_rows(views.deals[free], batch.turn[rows][free].astype(np.int64), buckets)
        actions = place_of[inputs.order, chosen[free]]
        parts.append((inputs.features, inputs.masks, buckets, actions))
        taken = np.full(deals, -1)
        taken[rows] = np.where(rng.random(len(rows)) < EXPLORE, batch.sample_legal()[rows], chosen)
        batch.step(taken)
    return Lessons(*(np.concatenate(column) for column in zip(*parts)))


def main() -> None:
    """Runs rounds of playing and learning, and writes the network after each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--teacher", default="rules", help="an agent")
    parser.add_argument("--rules", default="traditional", help="preset")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--deals", type=int, default=4096, help="deals of a round")
    parser.add_argument("--hidden", type=int, default=PPOConfig.hidden)
    parser.add_argument("--narrow", type=int, default=PPOConfig.narrow)
    parser.add_argument("--start", type=Path, help="weight file to go on from")
    parser.add_argument(
        "--before-play", action="store_true",
        help="learn bidding and calls only, and leave card play as it is",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--out", type=Path, required=True, help="weight file")
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(given.seed)
    config = PPOConfig(rules=given.rules, hidden=given.hidden, narrow=given.narrow)
    net = make_policy(config)
    first = 0
    if given.start is not None:
        net.load_params(load_weights(given.start).params)
    if given.resume and given.out.exists():
        saved = load_weights(given.out)
        net.load_params(saved.params)
        first = int(saved.about["rounds"])
    teacher = make(given.teacher)
    optimizer = torch.optim.Adam(net.parameters(), RATE, eps=1e-5, fused=True)
    dtype = torch.bfloat16 if use_bfloat16("auto") else torch.float32
    for number in range(first, given.rounds):
        began = time.perf_counter()
        lessons = collect(teacher, given.rules, given.deals, [given.seed, number])
        for group in optimizer.param_groups:
            group["lr"] = RATE * (RATE_END / RATE) ** (number / given.rounds)
        order = np.random.default_rng([given.seed, number, 1]).permutation(len(lessons.actions))
        if given.before_play:
            order = order[TABLE_OF[lessons.buckets[order]] == 0]
        right = 0
        for at in range(0, len(order), BATCH):
            pick = order[at : at + BATCH]
            pick = pick[np.argsort(lessons.buckets[pick], kind="stable")]
            features, masks, buckets, actions = (
                torch.from_numpy(getattr(lessons, field.name)[pick])
                for field in dataclasses.fields(Lessons)
            )
            logs = masked_log_probs(net(features[:, :NUM_INPUTS], buckets, dtype), masks)
            right += int((logs.argmax(1) == actions).sum())
            loss = functional.nll_loss(logs, actions)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        about = {"made_by": "imitation", "teacher": given.teacher, "rounds": number + 1}
        save_weights(given.out, net.to_params(), given.rules, about)
        print(  # noqa: T201
            f"round {number + 1}: {len(order)} decisions, {right / len(order):.1%} as the teacher, "
            f"{time.perf_counter() - began:.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
