"""OpenSpiel's external-sampling MCCFR learns a mini deck: five cards, one trick, all the bidding.

pip install 'marias-env[open-spiel]'
python training/examples/openspiel_mccfr.py

Every seat's learned policy then plays against two random ones. What it wins is exact, not sampled:
the game tree of this deck is small enough to be walked.
"""

import argparse
import time

import numpy as np
import pyspiel
from open_spiel.python.algorithms.expected_game_score import policy_value
from open_spiel.python.algorithms.external_sampling_mccfr import ExternalSamplingSolver
from open_spiel.python.policy import UniformRandomPolicy

from marias_env.integrations import openspiel

DECK = {
    "rules": "online",
    "suits": "h",
    "ranks": "TJQKA",
    "options": "max_doublings:0",
    "dealing": "explicit",
    "dealer": 2,
}

parser = argparse.ArgumentParser()
parser.add_argument("--iterations", type=int, default=500)
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()

np.random.seed(args.seed)  # noqa: NPY002 (OpenSpiel's solvers draw from it)
game = pyspiel.load_game(openspiel.register(), DECK)
solver = ExternalSamplingSolver(game)
start = time.perf_counter()
for _ in range(args.iterations):
    solver.iteration()
print(f"{args.iterations} iterations in {time.perf_counter() - start:.0f} s")

random, learned = UniformRandomPolicy(game), solver.average_policy()
before = policy_value(game.new_initial_state(), [random] * 3)
for seat in range(3):
    policies = [learned if player == seat else random for player in range(3)]
    won = policy_value(game.new_initial_state(), policies)[seat]
    print(f"player {seat}: {before[seat]:+.2f} random, {won:+.2f} learned (units per deal)")
