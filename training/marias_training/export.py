"""Makes a weight file of a checkpoint's policy, which plays without torch.

`python -m marias_training.export runs/ppo/checkpoint.pt runs/ppo.net`, then `net:runs/ppo.net`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from marias_agents.net.weights import save_weights
from marias_training.checkpoint_file import read_checkpoint
from marias_training.policy import load_policy


def main() -> None:
    """Reads one file and writes the other."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path, help="weight file")
    given = parser.parse_args()
    saved = read_checkpoint(given.checkpoint)
    policy = load_policy(saved["config"], saved["policy"])
    updates, decisions, _ = saved["counts"]
    about = {"made_by": "ppo", "updates": updates, "decisions": decisions}
    save_weights(given.out, policy.to_params(), saved["config"].rules, about)


if __name__ == "__main__":
    main()
