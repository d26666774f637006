"""Learns from labels: better actions where they are known to be better, the old policy elsewhere.

`python -m marias_training.improve --start runs/a/checkpoint.pt --labels runs/labels --out b.net`

The loss of a decision is −Σ π(a) A(a) over all its actions, A what an action brings more than the
mean, with the divergence from the policy it starts from as a brake (`--anchor`, in units): the less
an action gains, the closer it stays. Labels are memory-mapped; the last shards are held out, and
what the policy would gain in them by their labels is printed after every pass. The pass that gains
most there is kept.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from marias_agents.net.shape import TABLE_OF
from marias_agents.net.weights import save_weights
from marias_training.config import PPOConfig, use_bfloat16
from marias_training.policy import load_policy, masked_log_probs
from marias_training.ppo import Trainer

BATCH = 4096
CLIP = 4.0
"""Units, by stake, beyond which an action is no better or worse."""


def batch_of(shards: list[npt.NDArray[Any]], picks: npt.NDArray[np.int64]) -> Any:
    """Returns labels by (number of the shard, row), as (n, 2); buckets ascending."""
    parts = [shards[i][picks[picks[:, 0] == i, 1]] for i in np.unique(picks[:, 0])]
    rows = np.concatenate(parts)
    return rows[np.argsort(rows["bucket"], kind="stable")]


def main() -> None:
    """Runs passes over the labels."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--start", required=True, help="checkpoint or weight file")
    parser.add_argument("--labels", type=Path, nargs="+", required=True, help="folders of shards")
    parser.add_argument("--rules", default="traditional")
    parser.add_argument("--passes", type=int, default=4)
    parser.add_argument("--held-out", type=float, default=0.05, help="share of the shards")
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--anchor", type=float, default=0.05)
    parser.add_argument("--hidden", type=int, default=PPOConfig.hidden)
    parser.add_argument("--narrow", type=int, default=PPOConfig.narrow)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="weight file")
    given = parser.parse_args()
    config = PPOConfig(
        rules=given.rules, hidden=given.hidden, narrow=given.narrow, start=given.start, deals=2
    )
    net = Trainer(config).policy
    old = load_policy(config, net.state_dict())
    dtype = torch.bfloat16 if use_bfloat16("auto") else torch.float32
    files = sorted(path for folder in given.labels for path in folder.glob("*.npy"))
    shards = [np.load(path, mmap_mode="r") for path in files]
    rows = np.concatenate(
        [np.stack([np.full(len(s), i), np.arange(len(s))], axis=1) for i, s in enumerate(shards)]
    )
    held = rows[:, 0] >= len(shards) - max(1, round(given.held_out * len(shards)))
    learn, test = rows[~held], rows[held]
    steps = given.passes * (len(learn) // BATCH + 1)
    optimizer = torch.optim.Adam(net.parameters(), given.rate, eps=1e-5, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: max(0.02, 1 - n / steps))

    def logs_of(one: Any, batch: Any) -> torch.Tensor:
        features = torch.from_numpy(np.ascontiguousarray(batch["features"]))
        buckets = torch.from_numpy(batch["bucket"].astype(np.int64))
        masks = torch.from_numpy(np.ascontiguousarray(batch["mask"]))
        return masked_log_probs(one(features, buckets, dtype), masks)

    @torch.no_grad()
    def gain(one: Any) -> npt.NDArray[np.float64]:
        totals = np.zeros((2, 2))
        for at in range(0, len(test), BATCH):
            batch = batch_of(shards, test[at : at + BATCH])
            best = logs_of(one, batch).argmax(1).numpy()
            worth = batch["worth"][np.arange(len(batch)), best].astype(np.float64)
            for stage in range(2):
                mine = (TABLE_OF[batch["bucket"]] > 0) == bool(stage)
                totals[stage] += worth[mine].clip(-CLIP, CLIP).sum(), mine.sum()
        found: npt.NDArray[np.float64] = totals[:, 0] / np.maximum(totals[:, 1], 1)
        return found

    before = best = gain(old)
    say = partial(print, flush=True)
    say(f"{len(learn)} decisions, {len(test)} held out; before and in play {before}")
    for number in range(given.passes):
        order = np.random.default_rng([given.seed, number]).permutation(len(learn))
        for at in range(0, len(order), BATCH):
            batch = batch_of(shards, learn[order[at : at + BATCH]])
            worth = torch.from_numpy(batch["worth"].astype(np.float32)).clamp(-CLIP, CLIP)
            with torch.no_grad():
                anchor = logs_of(old, batch)
            logs = logs_of(net, batch)
            shares = logs.exp()
            gained = (shares * worth).sum(1)
            away = (shares * (logs - anchor)).sum(1)
            loss = (given.anchor * away - gained).mean()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        now = gain(net)
        say(f"pass {number + 1}: held out {now - before} units a decision, before and in play")
        if now.sum() > best.sum() or number == 0:
            best = now
            about = {"made_by": "labels", "start": given.start, "labels": len(learn)}
            save_weights(given.out, net.to_params(), given.rules, about)


if __name__ == "__main__":
    main()
