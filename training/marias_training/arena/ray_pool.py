"""An executor on a Ray cluster, to evaluate on many machines.

`evaluate(..., executor=RayExecutor())` joins a running cluster (`RAY_ADDRESS`), or starts Ray on
this machine. Every machine needs this package, and agents' files under the same path.
"""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class RayExecutor(concurrent.futures.Executor):
    """Submits calls as Ray tasks of one CPU each.

    Args:
        **options: of `ray.init`, where Ray is not running yet in this process.

    Attributes:
        workers: the cluster's CPUs.

    Raises:
        ImportError: Ray is not installed (`pip install 'marias-env[rllib]'`).
    """

    def __init__(self, **options: Any) -> None:
        import ray

        if not ray.is_initialized():
            ray.init(**{"include_dashboard": False, "log_to_driver": False, **options})
        self.workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._cancel = ray.cancel
        self._task = ray.remote(num_cpus=1)(_call)
        self._refs: list[Any] = []

    def submit(
        self, fn: Callable[..., T], /, *args: Any, **kwargs: Any
    ) -> concurrent.futures.Future[T]:
        """Starts a call as soon as the cluster has a free CPU."""
        ref = self._task.remote(fn, *args, **kwargs)
        self._refs.append(ref)
        future: concurrent.futures.Future[T] = ref.future()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Cancels what was not finished, if asked to; Ray itself keeps running."""
        if cancel_futures:
            for ref in self._refs:
                self._cancel(ref)
        self._refs.clear()


def _call(fn: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    return fn(*args, **kwargs)
