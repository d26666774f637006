from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from marias_env.core import compiling, jit

pytestmark = pytest.mark.skipif(jit.JIT_DISABLED, reason="nothing is compiled")

PROGRAM = """
from marias_env.core import compiling
from marias_env.core.jit import jit

compiling.PATIENCE = 0.0

@jit
def twice(x):
    return 2 * x

print(twice(21), twice(1.5), compiling.compiled_functions())
"""


def event(kind: str) -> Any:
    from numba.core import event as numba_event

    module: Any = numba_event
    return module.trigger_event(kind, data={})


def test_the_clock_counts_nested_work_once() -> None:
    before = compiling.compile_seconds()
    with event("numba:compiler_lock"):
        time.sleep(0.05)
        with event("numba:compiler_lock"):
            time.sleep(0.05)
        running = compiling.compile_seconds() - before
    found = compiling.compile_seconds() - before
    assert 0.1 <= running <= found
    time.sleep(0.05)
    assert compiling.compile_seconds() - before == found


def test_compiling_is_nobody_s_playing_time() -> None:
    from marias_env.batch import DealBatch
    from marias_training.play import play

    class Slow:
        name = "slow"
        asked = 0

        def act(self, views: Any, masks: Any) -> Any:
            if not self.asked:
                with event("numba:compiler_lock"):
                    time.sleep(1.0)
            self.asked += 1
            return np.argmax(masks, axis=1)

    batch = DealBatch(1, seed=0)
    began = time.perf_counter()
    played = play(batch.deals["deck"][:, :32], 0, (0, 0, 0), [Slow()])
    spent = time.perf_counter() - began
    assert spent >= 1.0
    assert played.use[0].seconds <= spent - 1.0 + 1e-3


def test_the_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    notice = compiling._Notice()
    notice.tell = said.append
    monkeypatch.setattr(compiling, "_clock", clock := compiling._Clock())
    now = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    clock.on_start(None)
    for seconds in (0.5, 0.9):  # short work is nobody's concern
        notice.on_start(None)
        now[0] += seconds / 2
        notice.on_end(None)
    assert said == []
    for _ in range(20):
        notice.on_start(None)
        now[0] += 1.0
        notice.on_end(None)
    assert "compiling for the first use" in said[0]
    assert "marias warmup" in said[0]
    assert 3 <= len(said) <= 6
    assert said[-1].startswith("marias-env: ")
    assert "functions in" in said[-1]


def run(tmp_path: Path, terminal: bool) -> tuple[str, str]:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / f"cache-{terminal}")}
    command = [sys.executable, str(script)]
    options: dict[str, Any] = {"text": True, "env": environment, "check": True}
    if not terminal:
        done = subprocess.run(command, capture_output=True, **options)
        return done.stdout, done.stderr
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, **options)
    os.close(theirs)
    told = os.read(ours, 10_000).decode()
    os.close(ours)
    return done.stdout, told


@pytest.mark.skipif(os.name != "posix", reason="terminals")
def test_only_a_person_is_told(tmp_path: Path) -> None:
    assert run(tmp_path, terminal=False) == ("42 3.0 2\n", "")
    output, told = run(tmp_path, terminal=True)
    assert output == "42 3.0 2\n"
    assert "compiling for the first use" in told


def test_warmup_steps_are_those_of_all_packages() -> None:
    from marias_agents.registry import names
    from marias_env.cli_warmup import _steps

    told = [what for what, _ in _steps()]
    assert {"deals in batches", "environments", "solver and analysis", "evaluation"} <= set(told)
    assert {f"agent {name}" for name in names()} <= set(told)
