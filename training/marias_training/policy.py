"""The policy network in training: made, loaded, and read as probabilities of legal actions."""

from __future__ import annotations

import torch
from torch.nn import functional

from marias_env.actions import NUM_ACTIONS
from marias_env.canonical import NUM_INPUTS
from marias_training.bucket_net import BucketNet
from marias_training.config import PPOConfig

ILLEGAL_LOGIT = -1e9
"""Far below any real logit, so that softmax gives exactly 0, yet finite: no NaN in gradients."""


def make_policy(config: PPOConfig) -> BucketNet:
    """Returns a fresh policy network: canonical inputs to 48 canonical action logits.

    Its logits are nearly equal at first: exploration starts from the uniform policy.
    """
    return BucketNet(NUM_INPUTS, config.hidden, config.narrow, NUM_ACTIONS, 0.01)


def load_policy(config: PPOConfig, weights: dict[str, torch.Tensor]) -> BucketNet:
    """Returns a policy network with given weights."""
    with torch.random.fork_rng(devices=[]):  # making one draws weights, from torch's own stream
        net = make_policy(config)
    net.load_state_dict(weights)
    return net


def masked_log_probs(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Returns log-probabilities; illegal actions are out before the softmax, not after it."""
    return functional.log_softmax(logits.masked_fill(masks == 0, ILLEGAL_LOGIT), dim=1)
