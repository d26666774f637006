"""Deep Monte Carlo for Mariáš, the whole algorithm in one file: a second baseline beside PPO.

`python -m marias_training.dmc --minutes 10 --out runs/dmc.net`, then `marias evaluate
net:runs/dmc.net rules`.

The network tells for every action what the deal will bring the seat that takes it. Players take
what is worth most, now and then (`--explore`) anything; the deal's end is what the network should
have told of every action taken. Nothing is bootstrapped, there is no policy and no critic (Zha et
al., DouZero, 2021). One difference: a network with an output for each of the 48 actions instead of
one that takes the action as an input, so that a decision is one evaluation.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from marias_agents.net.shape import NetParams
from marias_agents.net.weights import load_weights, save_weights
from marias_env import DealBatch
from marias_env.canonical import NUM_INPUTS
from marias_training.bucket_net import BucketNet
from marias_training.config import PPOConfig, use_bfloat16
from marias_training.policy import make_policy
from marias_training.ppo import squash
from marias_training.self_play import mixed_seed, play, stack_nets

SHARPER = 1000.0
"""Compiled self-play draws from a softmax; of values times this it draws the greatest."""


def greedy(net: BucketNet) -> NetParams:
    """Returns the network for self-play, where its values decide and chance does not."""
    params = net.to_params()
    return params._replace(head=SHARPER * params.head, head_bias=SHARPER * params.head_bias)


def main() -> None:
    """Plays and learns, and writes the network once a minute and at the end."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rules", default="traditional", help="preset")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--deals", type=int, default=2048, help="deals of an update")
    parser.add_argument("--minibatch", type=int, default=2048)
    parser.add_argument("--rate", type=float, default=5e-4, help="learning rate")
    parser.add_argument("--explore", type=float, default=0.05)
    parser.add_argument("--hidden", type=int, default=PPOConfig.hidden)
    parser.add_argument("--narrow", type=int, default=PPOConfig.narrow)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true", help="go on from the network in --out")
    parser.add_argument("--out", type=Path, required=True, help="weight file")
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(given.seed)
    config = PPOConfig(
        rules=given.rules, hidden=given.hidden, narrow=given.narrow, reward="cap", deals=given.deals
    )
    net = make_policy(config)
    updates = 0
    if given.resume and given.out.exists():
        saved = load_weights(given.out)
        net.load_params(saved.params)
        updates = int(saved.about["updates"])
    optimizer = torch.optim.Adam(net.parameters(), given.rate, eps=1e-5, fused=True)
    dtype = torch.bfloat16 if use_bfloat16("auto") else torch.float32
    batch = DealBatch(given.deals, given.rules, mixed_seed([given.seed, updates]), autoreset=False)
    players = np.zeros((given.deals, 3), dtype=np.int64)
    nobody = np.zeros((1, 0), dtype=np.int64)
    say = partial(print, flush=True)
    began = said = time.monotonic()
    decisions = 0
    while True:
        root = np.uint64(mixed_seed([given.seed, updates, 1]))
        explore = (given.explore, given.explore)
        nets = stack_nets([greedy(net)])
        record = play(batch, players, nets, nobody, root, explore, 28 * given.deals)
        returns = squash(batch.deals["payments"], config)[record.rows, record.seats]
        order = np.random.default_rng([given.seed, updates]).permutation(len(returns))
        total = 0.0
        for at in range(0, len(order), given.minibatch):
            pick = order[at : at + given.minibatch]
            pick = pick[np.argsort(record.buckets[pick], kind="stable")]
            features = torch.from_numpy(record.features[pick, :NUM_INPUTS])
            values = net(features, torch.from_numpy(record.buckets[pick]), dtype)
            taken = values.gather(1, torch.from_numpy(record.actions[pick])[:, None])[:, 0]
            loss = functional.mse_loss(taken, torch.from_numpy(returns[pick]))
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            total += float(loss.detach()) * len(pick)
        updates += 1
        decisions += int(batch.deals["num_actions"].sum())
        ended = time.monotonic() - began >= 60 * given.minutes
        if ended or time.monotonic() - said >= 60:
            said = time.monotonic()
            mean = total / len(order)
            say(f"update {updates}, {decisions / 1e6:.2f} M decisions, loss {mean:.3f}")
            save_weights(
                given.out, net.to_params(), given.rules, {"made_by": "dmc", "updates": updates}
            )
        if ended:
            return


if __name__ == "__main__":
    main()
