"""Self-play PPO with TorchRL: one network plays all three seats, in about a minute.

pip install 'marias-env[torchrl]'
python training/examples/torchrl_ppo.py
"""

import argparse

import numpy as np
import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.envs.utils import step_mdp
from torchrl.modules import MaskedCategorical, ProbabilisticActor
from torchrl.objectives import ClipPPOLoss

from marias_env.integrations.torchrl import MariasTorchEnv, seat_advantages


def squash(units):
    """Payments double with every flek; a value function wants them smaller."""
    return np.sign(units) * np.log2(1 + np.abs(units))


def mean_units(actor, deals):
    """Mean units per deal of a player against two random ones, and its standard error."""
    env = MariasTorchEnv(deals, opponents="random", seat="rotate", seed=12345)
    with torch.no_grad():
        data = env.rollout(40, actor, break_when_any_done=False)["next"]
    units = data["reward"][data["done"] & (data["done"].cumsum(1) == 1)]  # each row's first deal
    return f"{units.mean():+.1f} units per deal (standard error {units.std() / deals**0.5:.1f})"


parser = argparse.ArgumentParser()
parser.add_argument("--updates", type=int, default=25)
parser.add_argument("--envs", type=int, default=128)
args, _ = parser.parse_args(), torch.manual_seed(1)
env = MariasTorchEnv(args.envs, all_seats=True, reward_transform=squash, seed=1)
size = env.observation_spec["observation"].shape[-1]
network = nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
logits = TensorDictModule(nn.Sequential(network, nn.Linear(128, 48)), ["observation"], ["logits"])
keys = {"logits": "logits", "mask": "action_mask"}
actor = ProbabilisticActor(logits, keys, distribution_class=MaskedCategorical, return_log_prob=True)
value = nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, 1))
critic = TensorDictModule(value, ["observation"], ["state_value"])
loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, normalize_advantage=True)
optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
print("before:", mean_units(actor, 12 * args.envs))
data = env.reset()
for _ in range(args.updates):
    with torch.no_grad():
        data = env.rollout(48, actor, break_when_any_done=False, tensordict=data, auto_reset=False)
        batch = seat_advantages(critic(data))
    batch, data = batch[batch["valid"]], env.maybe_reset(step_mdp(data[:, -1]))
    for rows in torch.randperm(len(batch)).split(2048):
        losses = loss(batch[rows])
        optimizer.zero_grad()
        sum(losses[name] for name in ("loss_objective", "loss_critic", "loss_entropy")).backward()
        optimizer.step()
print("after: ", mean_units(actor, 12 * args.envs))
