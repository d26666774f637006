"""What `marias warmup` uses of training and evaluation, so that all of their code is compiled."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator


def steps() -> Iterator[tuple[str, Callable[[], None]]]:
    """Yields what is made ready, and the function that uses it."""
    yield "evaluation", _evaluate
    if importlib.util.find_spec("torch") is not None:
        yield "training", _train


def _evaluate() -> None:
    from marias_training.arena import evaluate

    evaluate(["rules", "random"], deals=2, control_deals=1, par=True, regret_deals=1)


def _train() -> None:
    from marias_training.config import PPOConfig
    from marias_training.ppo import Trainer

    for opponent, fraction in (("past", 0.0), ("rules", 0.5)):
        config = PPOConfig(
            steps=1, deals=8, minibatch=64, hidden=8, opponent=opponent, opponent_fraction=fraction
        )
        Trainer(config).train_update()
