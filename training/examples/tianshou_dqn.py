"""DQN with Tianshou through its PettingZoo wrapper: one learner against two random players.

pip install 'marias-env[tianshou]'
python training/examples/tianshou_dqn.py
"""

import argparse

import numpy as np
import torch
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step

from marias_env import marias_v0


class Squashed(PettingZooEnv):
    """Rewards made smaller for a value function: payments double with every flek."""

    def step(self, action):  # noqa: D102
        obs, units, *rest = super().step(action)
        return obs, np.sign(units) * np.log2(1 + np.abs(units)), *rest


def mean_units(algorithm, deals):
    """Mean units per deal of player_0, and its standard error."""
    envs = DummyVectorEnv([lambda: PettingZooEnv(marias_v0.env(dtype="float32"))] * 16)
    envs.seed(12345)
    units = Collector(algorithm, envs).collect(n_episode=deals, reset_before_collect=True).returns
    return f"{units[:, 0].mean():+.1f} (standard error {units[:, 0].std() / deals**0.5:.1f})"


parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=10)
parser.add_argument("--deals", type=int, default=300)
_ = torch.manual_seed(1), np.random.seed(1)  # noqa: NPY002 (Tianshou draws from it)
args, env = parser.parse_args(), Squashed(marias_v0.env(dtype="float32"))
space, size = env.action_space, env.observation_space["observation"].shape
net = Net(state_shape=size, action_shape=48, hidden_sizes=[128, 128])
policy = DiscreteQLearningPolicy(model=net, action_space=space, eps_training=0.2)
# The next transitions in the buffer are other seats': look past them to the end of the deal.
dqn = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, n_step_return_horizon=99)
random = MARLRandomDiscreteMaskedOffPolicyAlgorithm(space)
algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[dqn, random, random], env=env)
print("before:", mean_units(algorithm, args.deals))
envs = DummyVectorEnv([lambda: Squashed(marias_v0.env(dtype="float32"))] * 16)
envs.seed(1)
collector = Collector(algorithm, envs, VectorReplayBuffer(40_000, 16), exploration_noise=True)
for _ in range(args.rounds):
    with policy_within_training_step(algorithm.policy):
        collector.collect(n_episode=64, reset_before_collect=True)
        for _ in range(20):
            algorithm.update(collector.buffer, 512)
print("after: ", mean_units(algorithm, args.deals))
