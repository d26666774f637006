"""Speed of the compiled network: `python benchmarks/net.py [--net base] [--batch 4096]`.

Microseconds of one core for a decision with a choice, in batches of views from the middle of deals,
encoding included; beside it the `rules` player on the same views, and torch on the same network.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from marias_agents import make
from marias_agents.net.agent import NetAgent
from marias_agents.net.shape import NetParams, param_shapes
from marias_env import DealBatch
from marias_env.canonical import canonical
from marias_env.views import Views


def some_views(size: int) -> Views:
    """Returns views of decisions with a choice, from all phases as they come."""
    rules = make("rules")
    batch = DealBatch(3 * size, seed=1)
    for sweep in range(36):
        # Rows start one after another, so that in the end all phases are there.
        late = np.arange(len(batch)) % 36 > sweep
        actions = rules.act(batch.views(), batch.legal_mask())
        saved = batch.deals[late].copy()
        batch.step(actions)
        batch.deals[late] = saved
    views = batch.views()
    free = np.flatnonzero(views.legal_mask().sum(1) > 1)[:size]
    return views[free]


def microseconds(function: Callable[[], object], decisions: int, repeats: int = 15) -> float:
    """Returns the least CPU time a decision took."""
    function()
    best = np.inf
    for _ in range(repeats):
        began = time.thread_time()
        function()
        best = min(best, time.thread_time() - began)
    return 1e6 * best / decisions


def random_net(width: int, narrow: int) -> NetAgent:
    rng = np.random.default_rng(0)
    params = {
        name: (0.1 * rng.normal(size=shape)).astype(np.float32)
        for name, shape in param_shapes(width, narrow).items()
    }
    return NetAgent(NetParams(**params), f"random {width}x{narrow}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--net", default="base")
    parser.add_argument("--batch", type=int, default=4096)
    given = parser.parse_args()
    views = some_views(given.batch)
    masks = views.legal_mask()
    entries = int((canonical(views.observe(), masks).features != 0).sum())
    print(f"{len(views)} decisions with a choice, {entries / len(views):.0f} inputs that are not 0")
    agent = make(f"net:{given.net}")
    agents = [make("rules"), agent]
    agents += [random_net(width, narrow) for width, narrow in ((256, 32), (256, 64), (512, 32))]
    for one in agents:
        taken = microseconds(lambda one=one: one.act(views, masks), len(views))  # type: ignore[misc]
        print(f"{one.name:>16}: {taken:6.2f} us a decision")
    try:
        import torch

        from marias_agents.net.kernel import bucket_rows
        from marias_training.bucket_net import BucketNet
    except ImportError:
        return
    assert isinstance(agent, NetAgent)
    params = agent.params_for(views.rules)
    torch.set_num_threads(1)
    net = BucketNet(params.first.shape[1], *params.second.shape[1:], params.head.shape[2], 1.0)
    net.load_params(params)

    def with_torch() -> None:
        inputs = canonical(views.observe(), masks)
        buckets = np.empty(len(views), dtype=np.int64)
        bucket_rows(views.deals, views.seats.astype(np.int64), buckets)
        order = np.argsort(buckets, kind="stable")
        with torch.no_grad():
            net(torch.from_numpy(inputs.features[order]), torch.from_numpy(buckets[order]))

    print(f"{'torch float32':>16}: {microseconds(with_torch, len(views)):6.2f} us a decision")


if __name__ == "__main__":
    main()
