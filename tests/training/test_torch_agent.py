from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from marias_env import DealBatch  # noqa: E402
from marias_env.errors import AgentError, OptionError  # noqa: E402
from marias_env.observation import OBSERVATION_SIZE  # noqa: E402
from marias_training.arena import compare  # noqa: E402
from marias_training.torch_agent import TorchAgent  # noqa: E402


def module() -> Any:
    with torch.random.fork_rng():
        torch.manual_seed(5)
        return torch.nn.Sequential(
            torch.nn.Linear(OBSERVATION_SIZE, 32), torch.nn.ReLU(), torch.nn.Linear(32, 48)
        )


def views_of(deals: int = 300) -> tuple[Any, Any]:
    batch = DealBatch(deals, seed=1)
    for _ in range(9):
        batch.step(batch.sample_legal())
    views = batch.views()
    return views, views.legal_mask()


def test_the_largest_legal_logit_is_taken() -> None:
    views, masks = views_of()
    net = module()
    logits = net(torch.from_numpy(views.observe()).float()).detach().numpy()
    expected = np.where(masks == 1, logits, -np.inf).argmax(axis=1)
    assert (TorchAgent(net).act(views, masks) == expected).all()
    assert (logits.argmax(axis=1) != expected).any()


def test_a_seed_draws_as_often_as_the_softmax_says_and_the_same_in_every_batch() -> None:
    views, masks = views_of()
    logits = np.linspace(-1, 1, 48)
    agent = TorchAgent(
        lambda given: torch.from_numpy(logits).float().expand(len(given), -1), "flat", seed=3
    )
    assert agent.name == "flat@3"
    chosen = agent.act(views, masks)
    assert masks[np.arange(len(chosen)), chosen].all()
    halves = [agent.act(views[part], masks[part]) for part in (slice(0, 100), slice(100, 300))]
    assert (np.concatenate(halves) == chosen).all()
    weights = np.exp(logits) * masks
    probabilities = weights / weights.sum(axis=1, keepdims=True)
    counts = np.zeros(48)
    for seed in range(40):
        drawn = TorchAgent(agent.module, seed=seed).act(views, masks)
        np.add.at(counts, drawn, 1)
    expected = 40 * probabilities.sum(axis=0)
    spread = np.sqrt(40 * (probabilities * (1 - probabilities)).sum(axis=0))
    assert (np.abs(counts - expected) <= 5 * spread + 1e-6).all()


def test_masks_dtypes_tuples_and_modes() -> None:
    views, masks = views_of(20)
    seen: dict[str, Any] = {}

    class Policy(torch.nn.Module):
        def forward(self, observations: Any, mask: Any) -> Any:
            seen.update(kind=observations.dtype, mask=mask, training=self.training)
            return torch.zeros(len(observations), 48).masked_fill(~mask, -torch.inf), None

    policy = Policy().train()
    chosen = TorchAgent(policy, with_mask=True, dtype=torch.int8).act(views, masks)
    assert seen["kind"] == torch.int8
    assert (seen["mask"].numpy() == (masks == 1)).all()
    assert not seen["training"]
    assert policy.training
    assert (chosen == masks.argmax(axis=1)).all()


def test_it_plays_in_the_arena_and_loses_to_rules() -> None:
    pair = compare(TorchAgent(module(), "net"), "rules", deals=20)
    assert pair.raw.mean < 0


@pytest.mark.parametrize("wrong", [torch.nn.Linear, None, "net", 5])
def test_what_is_no_module_is_refused(wrong: Any) -> None:
    with pytest.raises(AgentError, match="expected a module"):
        TorchAgent(wrong)


def test_wrong_outputs_and_arguments_are_refused() -> None:
    views, masks = views_of(3)
    wrong: list[Any] = [
        lambda given: torch.zeros(len(given), 47),
        lambda given: torch.zeros(48),
        lambda given: np.zeros((len(given), 48)),
        lambda given: torch.full((len(given), 48), float("nan")),
        lambda given: torch.full((len(given), 48), float("inf")),
    ]
    for function in wrong:
        with pytest.raises(AgentError, match="agent 'bad'"):
            TorchAgent(function, "bad").act(views, masks)
    net = module()
    net[0].weight.data[0, 0] = float("inf")
    with pytest.raises(AgentError, match="not finite"):
        TorchAgent(net)
    for seed in (-1, 1.5, True, "1"):
        with pytest.raises(OptionError, match="seed"):
            TorchAgent(module(), seed=seed)  # type: ignore[arg-type]
