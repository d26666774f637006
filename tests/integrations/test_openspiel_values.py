"""OpenSpiel's algorithms run on the game; its exact values are those of `marias_agents.exact`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import expected_game_score, exploitability, ismcts, mcts
from open_spiel.python.algorithms.external_sampling_mccfr import ExternalSamplingSolver
from open_spiel.python.algorithms.outcome_sampling_mccfr import OutcomeSamplingSolver

from marias_agents.exact import (
    TabularCFR,
    best_response,
    build_tree,
    expected_payments,
    nash_conv,
)
from tests.integrations.openspiel_cases import GAMES, MINI, SOLVED, load

pytestmark = pytest.mark.integration

ROOT = Path(__file__).resolve().parents[2]

# ---------------------------------------------------------------------- algorithms


@pytest.mark.parametrize("parameters", [GAMES[0], {**MINI, "rules": "online"}], ids=str)
def test_algorithms_run(parameters: dict[str, Any]) -> None:
    game = load(parameters)
    outcome = OutcomeSamplingSolver(game)
    for _ in range(20):
        outcome.iteration()
    random = np.random.RandomState(0)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(int(random.choice(state.legal_actions())))
    bots = [
        mcts.MCTSBot(game, 2.0, 15, evaluator, random_state=random),
        ismcts.ISMCTSBot(game, evaluator, 2.0, 15, random_state=random),
    ]
    for _ in range(6):
        for bot in bots:
            assert bot.step(state) in state.legal_actions()
        state.apply_action(int(random.choice(state.legal_actions())))
        if state.is_terminal() or state.is_chance_node():
            break
    if parameters.get("dealing") == "explicit":
        external = ExternalSamplingSolver(game)
        for _ in range(3):
            external.iteration()


class TreePolicy(policy.Policy):
    """A policy of our game tree, as OpenSpiel wants it."""

    def __init__(self, game: Any, tree: Any, probabilities: Any) -> None:
        super().__init__(game, list(range(3)))
        self._tree = tree
        self._probabilities = probabilities
        self._known: dict[str, dict[int, float]] = {}

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        text = state.information_state_string()
        if text not in self._known:
            views = state.batch.views()
            self._known[text] = self._tree.action_probabilities(self._probabilities, views)[0]
        return self._known[text]


def test_exact_values_agree_with_openspiel() -> None:
    # Walking 79,392 states in Python takes some seconds each time: few, well-chosen figures.
    game = load(SOLVED)
    tree = build_tree(game.origin.rules, dealer=2)
    uniform = policy.UniformRandomPolicy(game)
    values = expected_game_score.policy_value(game.new_initial_state(), [uniform] * 3)
    assert np.allclose(values, expected_payments(tree, tree.uniform()))
    trained = TabularCFR(tree).run(30).average()
    ours = nash_conv(tree, trained)
    theirs = exploitability.nash_conv(game, TreePolicy(game, tree, trained), use_cpp_br=False)
    assert theirs == pytest.approx(ours, abs=1e-9)
    assert ours < 0.02 * nash_conv(tree, tree.uniform())


def test_nash_conv_of_the_uniform_policy_agrees() -> None:
    game = load(SOLVED)
    tree = build_tree(game.origin.rules, dealer=2)
    uniform = policy.UniformRandomPolicy(game)
    theirs = exploitability.nash_conv(game, uniform, return_only_nash_conv=False, use_cpp_br=False)
    assert theirs.nash_conv == pytest.approx(nash_conv(tree, tree.uniform()))
    gains = [
        best_response(tree, tree.uniform(), seat)[0] - expected_payments(tree, tree.uniform())[seat]
        for seat in range(3)
    ]
    assert np.allclose(theirs.player_improvements, gains)


# ---------------------------------------------------------------------- example and page


def run(*command: str) -> str:
    result = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_example_learns() -> None:
    out = run(str(ROOT / "training" / "examples" / "openspiel_mccfr.py"), "--iterations", "80")
    gains = [
        float(learned) - float(random)
        for random, learned in re.findall(r"([-+][\d.]+) random, ([-+][\d.]+) learned", out)
    ]
    assert len(gains) == 3
    assert min(gains) > 0
    assert sum(gains) > 4
