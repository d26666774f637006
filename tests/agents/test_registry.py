"""Agents by name: specs, seeds, other people's agents, and errors that say what exists."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import numpy as np
import pytest

import marias_agents
from marias_agents import make, names, register
from marias_agents.agent import Agent
from marias_agents.random_agent import make_random
from marias_env.batch import DealBatch
from marias_env.errors import AgentError, MariasError


def test_registered_names_have_help() -> None:
    found = names()
    assert {"random", "good", "rules", "random-cards", "pimc", "ismcts"} <= set(found)
    assert all(found.values())


@pytest.mark.parametrize("spec", ["random", "good", "rules", "random-cards", "random@3"])
def test_an_agents_name_makes_it_again(spec: str) -> None:
    agent = make(spec)
    assert isinstance(agent, Agent)
    assert agent.name == spec
    assert spec in repr(agent)
    views = DealBatch(50, seed=1).views()
    again = make(agent.name)
    assert (again.act(views, views.legal_mask()) == agent.act(views, views.legal_mask())).all()


def test_seed_in_the_spec_or_beside_it() -> None:
    views = DealBatch(500, seed=1).views()
    masks = views.legal_mask()
    one = make("random@7").act(views, masks)
    assert (one == make("random", seed=7).act(views, masks)).all()
    assert (one != make("random@8").act(views, masks)).any()
    assert (make("rules@7").act(views, masks) == make("rules").act(views, masks)).all()
    with pytest.raises(AgentError, match="one, not two"):
        make("random@7", seed=7)
    with pytest.raises(AgentError, match="seed: -1"):
        make("random", seed=-1)


def test_an_agent_is_returned_as_it_is() -> None:
    agent = make("random")
    assert make(agent) is agent
    with pytest.raises(AgentError, match="goes with a spec"):
        make(agent, seed=1)
    with pytest.raises(AgentError, match="no agent"):
        make(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("nobody", "unknown agent: 'nobody'; registered are book"),
        ("runs/none.pt", "no such file: 'runs/none.pt'"),
        ("", "unknown agent"),
        ("random:3", "takes no argument: '3'"),
        ("rules:x", "takes no argument"),
        ("random-cards:x", "takes no argument"),
        ("no_module_here:make", "cannot be loaded"),
        ("os:getcwd", "no method `act`"),
        ("os:fspath", "could not be called"),
        ("math:nothing", "has no 'nothing'"),
        ("math:pi", "no method `act`"),
        ("a b:c", "unknown agent"),
    ],
)
def test_errors_tell_what_exists(spec: str, text: str) -> None:
    with pytest.raises(AgentError) as caught:
        make(spec)
    assert text in str(caught.value)
    assert isinstance(caught.value, MariasError)


def test_register(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marias_agents.registry, "_ENTRIES", dict(marias_agents.registry._ENTRIES))
    register("mine", lambda argument, seed: make_random("", seed + int(argument or 0)), "a test")
    assert names()["mine"] == "a test"
    assert make("mine:2@3").name == "random@5"
    with pytest.raises(AgentError, match="expected letters"):
        register("with:colon", make_random)


def test_module_callable(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("my_agents")

    class Lowest:
        name = "my_agents:Lowest"

        def __init__(self, seed: int = 0) -> None:
            self.seed = seed

        def act(self, views: object, masks: np.ndarray) -> np.ndarray:
            return masks.argmax(axis=1)

    module.Lowest = Lowest  # type: ignore[attr-defined]
    module.Nameless = type("Nameless", (), {"act": Lowest.act})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "my_agents", module)
    assert isinstance(make("my_agents:Lowest"), Agent)
    assert make("my_agents:Lowest@4").seed == 4  # type: ignore[attr-defined]
    with pytest.raises(AgentError, match="without the attribute `name`"):
        make("my_agents:Nameless")


def test_a_missing_part_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = dict(marias_agents.registry._ENTRIES)
    entries["far"] = marias_agents.registry.Entry(("marias_agents.not_there", "make"), "nowhere")
    monkeypatch.setattr(marias_agents.registry, "_ENTRIES", entries)
    with pytest.raises(AgentError, match="agent 'far' cannot be loaded: No module"):
        make("far:20")


def test_checkpoints_are_loaded_by_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "net@1.pt"
    path.write_bytes(b"")
    training = types.ModuleType("marias_training.checkpoints")
    training.load_agent = lambda path, seed=0: (path, seed)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "marias_training.checkpoints", training)
    assert make(str(path)) == (str(path), 0)
    assert make(f"{path}@7") == (str(path), 7)
    monkeypatch.setitem(sys.modules, "marias_training.checkpoints", None)
    with pytest.raises(AgentError, match="extra `train`"):
        make(str(path))
