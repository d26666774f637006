"""Run by `make test-wheel` with the Python of an environment that holds the installed wheel only.

Not a pytest module: neither pytest nor the checkout is there.
"""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import subprocess
import sys
from pathlib import Path

import numpy as np


def main(checkout: Path) -> None:
    import gymnasium

    import marias_agents
    import marias_env
    import marias_table
    import marias_training

    for package in (marias_env, marias_agents, marias_table, marias_training):
        where = Path(str(package.__file__)).resolve()
        assert checkout not in where.parents, f"{where} is the checkout"
        assert (where.parent / "py.typed").exists(), where
    batch = marias_env.DealBatch(num_deals=64, seed=0)
    for _ in range(60):
        batch.step(batch.sample_legal())
    assert (batch.payments.sum(axis=1) == 0).all()

    env = marias_env.marias_v0.env()
    env.reset(seed=1)
    total = np.zeros(3)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        total[env.possible_agents.index(agent)] += reward
        over = termination or truncation
        env.step(None if over else int(np.flatnonzero(observation["action_mask"])[0]))
    assert total.sum() == 0
    assert total.any()

    table = gymnasium.make("marias_env:Marias-v0", opponents="rules")
    observation, info = table.reset(seed=2)
    ended = False
    while not ended:
        action = int(np.flatnonzero(info["action_mask"])[0])
        observation, _, ended, _, info = table.step(action)

    listed = [str(path) for path in importlib.metadata.files("marias-env") or []]
    strays = [name for name in listed if name.startswith(("tests/", "benchmarks/", "docs/"))]
    assert not strays, strays
    shipped = importlib.resources.files("marias_agents")
    assert (shipped / "rules" / "points.json").is_file()
    page = importlib.resources.files("marias_table") / "static"
    assert (page / "index.html").is_file()
    assert any(path.name.endswith(".js") for path in (page / "js").iterdir())
    marias = Path(sys.executable).with_name("marias")
    for words in (["--help"], ["evaluate", "rules", "random", "--deals", "20"]):
        subprocess.run([str(marias), *words], check=True, timeout=600, stdout=subprocess.DEVNULL)
    print(f"wheel: {importlib.metadata.version('marias-env')} plays, {len(listed)} files")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
