"""Self-play PPO with RLlib: one network plays all three seats, sampled by two workers.

    pip install 'marias-env[rllib]'
    python training/examples/rllib_ppo.py --folder runs/rllib

Kill it at any time; the same command goes on from the last complete checkpoint.
"""

import argparse
from pathlib import Path

import gymnasium
import numpy as np
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from marias_env.integrations.rllib import MariasMultiAgentEnv, MaskedRLModule


def mean_units(module, deals=2000):
    """Mean units per deal of a player against two random ones, and its standard error."""
    env = gymnasium.make_vec(
        "marias_env:Marias-v0", deals, seat="rotate", autoreset_mode="Disabled"
    )
    (seen, _), units, over = env.reset(seed=12345), np.zeros(deals), np.zeros(deals, bool)
    while not over.all():
        seen["observations"] = seen.pop("observation")
        batch = {"obs": {name: torch.as_tensor(value) for name, value in seen.items()}}
        logits = module.forward_inference(batch)["action_dist_inputs"]
        actions = torch.distributions.Categorical(logits=logits).sample().numpy()
        seen, rewards, ends, _, _ = env.step(np.where(over, -1, actions))
        units, over = units + rewards, over | ends
    return f"{units.mean():+.1f} units per deal (standard error {units.std() / deals**0.5:.1f})"


parser = argparse.ArgumentParser()
parser.add_argument("--iterations", type=int, default=8)
parser.add_argument("--batch", type=int, default=4000)
parser.add_argument("--folder", type=Path, default=Path("runs/rllib"))
args = parser.parse_args()
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
squash = {"reward_transform": lambda units: np.sign(units) * np.log2(1 + np.abs(units))}
config = PPOConfig().environment(MariasMultiAgentEnv, env_config={"dtype": "int8", **squash})
config.env_runners(num_env_runners=2, num_envs_per_env_runner=16).debugging(seed=1)
config.multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, *_, **__: "shared")
config.rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedRLModule))
config.training(train_batch_size_per_learner=args.batch, minibatch_size=500, num_epochs=2)
config.training(lr=1e-3, gamma=1.0, entropy_coeff=0.01)
algorithm, folder = config.build_algo(), args.folder.absolute()
saved = sorted(folder.glob("[0-9]*"))
if saved:
    algorithm.restore_from_path(saved[-1])
print(f"iteration {algorithm.iteration}:", mean_units(algorithm.get_module("shared")), flush=True)
while algorithm.iteration < args.iterations:
    algorithm.train()
    algorithm.save_to_path(folder / "unfinished")  # a kill before the next line does no harm
    (folder / "unfinished").rename(folder / f"{algorithm.iteration:06d}")
    print(f"iteration {algorithm.iteration}: saved", flush=True)
print(f"iteration {algorithm.iteration}:", mean_units(algorithm.get_module("shared")), flush=True)
