"""The network of `marias_agents.net` as a torch module, to be trained."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from marias_agents.net.shape import (
    NUM_BUCKETS,
    NUM_TABLES,
    TABLE_OF,
    NetParams,
    param_shapes,
)
from marias_env.errors import MariasError

_BUCKETS_OF_TABLE = [
    (table, np.flatnonzero(table == TABLE_OF).tolist()) for table in range(NUM_TABLES)
]
_MULTIPLE = 128
"""Matrices get as many rows as the next multiple: torch prepares its bfloat16 kernels for each size
anew, which takes longer than to multiply."""


def _whole(size: int) -> int:
    return -(-size // _MULTIPLE) * _MULTIPLE


def _tables_of(features: torch.Tensor, counts: list[int]) -> tuple[torch.Tensor, ...]:
    sizes = [sum(counts[bucket] for bucket in members) for _, members in _BUCKETS_OF_TABLE]
    return tuple(torch.split(features, sizes))


if hasattr(os, "register_at_fork"):
    # GNU's OpenMP waits for ever in a forked child for threads that only its parent has.
    os.register_at_fork(after_in_child=functools.partial(torch.set_num_threads, 1))


def check_weights(name: str, weights: Mapping[str, Any], error: type[MariasError]) -> None:
    """Raises the error if a tensor of a network has a NaN or an infinity, and names both."""
    for part, tensor in weights.items():
        if isinstance(tensor, torch.Tensor) and not tensor.isfinite().all():
            raise error(f"{name}: weights {part!r} are not finite")


class BucketNet(nn.Module):
    """A wide first layer for each kind of game, and narrow ones for each kind of decision.

    Learning multiplies dense matrices, which is what torch is good at; the compiled player adds
    rows. Both compute the same.

    Args:
        inputs: of a position.
        width: of the first layer.
        narrow: width of the others.
        outputs: numbers a position gets.
        gain: scale of the last layer's first weights.
    """

    def __init__(self, inputs: int, width: int, narrow: int, outputs: int, gain: float) -> None:
        super().__init__()
        for name, shape in param_shapes(width, narrow, inputs, outputs).items():
            values = torch.zeros(shape)
            if not name.endswith("bias"):
                for matrix in values:
                    nn.init.orthogonal_(matrix, gain if name == "head" else math.sqrt(2))
            self.register_parameter(name, nn.Parameter(values))

    def forward(
        self, features: torch.Tensor, buckets: torch.Tensor, dtype: torch.dtype = torch.float32
    ) -> torch.Tensor:
        """Evaluates positions.

        Args:
            features: (N, inputs) int8.
            buckets: (N,) int64 (see `bucket_of`), ascending: positions of a bucket are neighbours.
            dtype: that matrices are multiplied in.

        Returns:
            (N, outputs) float32.
        """
        counts = torch.bincount(buckets, minlength=NUM_BUCKETS).tolist()
        # Taken apart once: their gradients then are put together once.
        weights = {name: value.to(dtype).unbind() for name, value in self.named_parameters()}
        out = []
        for (table, members), rows in zip(_BUCKETS_OF_TABLE, _tables_of(features, counts)):
            sizes = [counts[bucket] for bucket in members]
            whole = [_whole(size) for size in sizes]
            padded = torch.cat(
                [
                    functional.pad(part, (0, 0, 0, more - len(part)))
                    for part, more in zip(torch.split(rows, sizes), whole)
                ]
            )
            wide = torch.addmm(
                weights["first_bias"][table], padded.to(dtype), weights["first"][table]
            ).relu()
            for bucket, size, part in zip(members, sizes, torch.split(wide, whole)):
                if not size:
                    continue
                for name in ("second", "third"):
                    part = torch.addmm(
                        weights[f"{name}_bias"][bucket], part, weights[name][bucket]
                    ).relu()
                part = torch.addmm(weights["head_bias"][bucket], part, weights["head"][bucket])
                out.append(part[:size])
        return torch.cat(out).float()

    def to_params(self) -> NetParams:
        """Returns copies of the weights for the compiled player."""
        return NetParams(**{k: v.detach().cpu().numpy().copy() for k, v in self.named_parameters()})

    def load_params(self, params: NetParams) -> None:
        """Takes over weights of the compiled player."""
        self.load_state_dict({k: torch.from_numpy(v) for k, v in params._asdict().items()})
