"""Agents by name: `make("rules")`, `make("pimc:10")`, `make("random@7")`.

A spec is `name`, `name:argument`, the path of a checkpoint file, or `module:callable`, each with an
optional `@seed` at its end. Everything is imported when it is made, not before: naming an agent
that needs torch costs nothing to those who do not use it.
"""

from __future__ import annotations

import dataclasses
import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from marias_agents.agent import Agent
from marias_env.errors import AgentError
from marias_env.options import Maybe, Whole, check, field_helps

Factory = Callable[[str, int], Agent]
"""Makes an agent from its argument ("" where the spec has none) and its seed."""


class Entry(NamedTuple):
    """One name of the registry."""

    factory: Factory | tuple[str, str]
    """The factory, or where to import it from: module and attribute."""
    help: str
    options: tuple[str, str] | None = None
    """Where the dataclass of its options is, beside a table `BOUNDS`: module and attribute."""


_SEED = re.compile(r"^(?P<spec>.+)@(?P<seed>\d+)$")

_ENTRIES: Final[dict[str, Entry]] = {
    "random": Entry(
        ("marias_agents.random_agent", "make_random"), "a uniformly random legal action, always"
    ),
    "good": Entry(
        ("marias_agents.random_agent", "make_good"),
        "plain suit game, accepts everything, announces and doubles nothing, random cards",
    ),
    "rules": Entry(
        ("marias_agents.rules.agent", "make_rules"), "rule-based player for every phase"
    ),
    "random-cards": Entry(
        ("marias_agents.rules.agent", "make_random_cards"),
        "bids and announces as `rules`, plays random cards",
    ),
    "book": Entry(
        ("marias_agents.book.agent", "make_book"),
        "after the book's thresholds and conventions, nothing fitted",
    ),
    "stranger": Entry(
        ("marias_agents.strangers.styles", "make_stranger"),
        "stranger:NAME: a player of the population that judges (book, bold, cautious, …)",
    ),
    "tuning": Entry(
        ("marias_agents.strangers.styles", "make_tuning"),
        "tuning:NAME: a player of the population for tuning (root, quiet, grasping)",
    ),
    "net": Entry(
        ("marias_agents.net.agent", "make_net"),
        "net:NAME or net:FILE: a network, one forward pass a decision (net:base comes with it)",
    ),
    "pimc": Entry(
        ("marias_agents.search.agent", "make_pimc"),
        "pimc:N: bids as `rules`, searches cards in sampled worlds, N of them solved for a first",
        ("marias_agents.search.options", "PimcOptions"),
    ),
    "net+pimc": Entry(
        ("marias_agents.search.net_pimc", "make_net_pimc"),
        "net+pimc:N: bids as `net:base`, searches the cards it likes best as `pimc:N`",
        ("marias_agents.search.net_pimc", "NetPimcOptions"),
    ),
    "ismcts": Entry(
        ("marias_agents.search.ismcts", "make_ismcts"),
        "ismcts:N: information-set tree search, N rounds",
    ),
    "sb3": Entry(
        ("marias_training.sb3_agent", "make_sb3"),
        "sb3:FILE: a model that Stable-Baselines3 saved (extra `sb3`)",
    ),
}


def register(name: str, factory: Factory, help: str = "") -> None:  # noqa: A002
    """Adds a name to the registry, or replaces one.

    Args:
        name: letters, digits, `-`, `_`; the spec up to the first colon.
        factory: called with the spec's argument ("" where there is none) and its seed.
        help: one line for lists of agents.

    Raises:
        AgentError: a name that no spec could contain.
    """
    if re.fullmatch(r"[A-Za-z0-9_-]+", name) is None:
        raise AgentError(f"agent name {name!r}; expected letters, digits, '-' and '_'")
    _ENTRIES[name] = Entry(factory, help)


def names() -> dict[str, str]:
    """Returns the registered names and what each is."""
    return {name: entry.help for name, entry in sorted(_ENTRIES.items())}


def describe() -> list[dict[str, Any]]:
    """Returns the registered agents by `name`, with `help` and `options`.

    An option has its `name`, `default`, what is `expected`, and `help`; a spec names options after
    a comma: `pimc:10,threads=2`.
    """
    found = []
    for name, entry in sorted(_ENTRIES.items()):
        options = []
        if entry.options is not None:
            module, attribute = entry.options
            config = _attribute(module, attribute)
            bounds, helps = _attribute(module, "BOUNDS"), field_helps(config)
            options = [
                {
                    "name": field.name,
                    "default": field.default,
                    "expected": bounds[field.name].expected,
                    "help": helps[field.name],
                }
                for field in dataclasses.fields(config)
            ]
        found.append({"name": name, "help": entry.help, "options": options})
    return found


def make(spec: str | Agent, seed: int | None = None) -> Agent:
    """Makes an agent.

    Args:
        spec: `name`, `name:argument`, path of a checkpoint file, or `module:callable`; `@seed` may
            follow. An agent is returned as it is.
        seed: the agent's seed, as an alternative to `@seed`. Two agents of one spec and seed are
            the same function of the view; deterministic agents (`rules`) accept any seed.

    Raises:
        AgentError: nothing is called like this, the argument is wrong, or something that the agent
            needs is not installed.
    """
    if not isinstance(spec, str):
        if isinstance(spec, type):
            raise AgentError(f"{spec!r} is a class; expected an agent made from it, or a spec")
        if not callable(getattr(spec, "act", None)):
            raise AgentError(f"{spec!r} is no agent and no spec; {_what_exists()}")
        if seed is not None:
            raise AgentError(f"a seed goes with a spec, not with an agent that exists: {spec!r}")
        return spec
    text = spec.strip()
    match = _SEED.match(text)
    if match is not None and not Path(text).is_file():
        if seed is not None:
            raise AgentError(f"{spec!r} has a seed already; give one, not two")
        text, seed = match["spec"], int(match["seed"])
    seed = check("agent seed", seed, Maybe(Whole()), AgentError)
    head, colon, argument = text.partition(":")
    if head in _ENTRIES:
        return _from_entry(head, argument, seed or 0)
    if Path(text).is_file():
        return _from_checkpoint(text, seed)
    if colon:
        return _from_module(head, argument, seed)
    what = "no such file" if _looks_like_path(text) else "unknown agent"
    raise AgentError(f"{what}: {spec!r}; {_what_exists()}")


def file_of(spec: str) -> Path | None:
    """Returns the file that a spec's agent is read from, None where there is none.

    Two evaluations are the same only if these files are: `runs/x/checkpoint.pt`, `sb3:FILE`.
    """
    text = spec.strip()
    match = _SEED.match(text)
    for whole in (text, match["spec"] if match else text):
        argument = whole.partition(":")[2]
        for name in (whole, argument, f"{argument}.zip"):
            if name and Path(name).is_file():
                return Path(name)
    return None


def _from_entry(name: str, argument: str, seed: int) -> Agent:
    factory = _ENTRIES[name].factory
    if isinstance(factory, tuple):
        module, attribute = factory
        try:
            factory = _attribute(module, attribute)
        except ImportError as error:
            hint = "; it needs the extra `sb3`: pip install 'marias-env[train,sb3]'"
            raise AgentError(
                f"agent {name!r} cannot be loaded: {error}{hint if name == 'sb3' else ''}"
            ) from error
    agent: Agent = factory(argument, seed)
    return agent


def _from_checkpoint(path: str, seed: int | None) -> Agent:
    try:
        load_agent = _attribute("marias_training.checkpoints", "load_agent")
    except ImportError as error:
        raise AgentError(
            f"checkpoint {path!r} cannot be loaded: {error}; "
            "checkpoints need the extra `train`: pip install 'marias-env[train]'"
        ) from error
    agent: Agent = load_agent(path) if seed is None else load_agent(path, seed=seed)
    return agent


def _from_module(module: str, attribute: str, seed: int | None) -> Agent:
    if re.fullmatch(r"[\w.]+", module) is None or re.fullmatch(r"[\w.]+", attribute) is None:
        raise AgentError(f"unknown agent: {module}:{attribute}; {_what_exists()}")
    try:
        factory = _attribute(module, attribute)
    except ImportError as error:
        raise AgentError(
            f"agent {module}:{attribute} cannot be loaded: {error}; {_what_exists()}"
        ) from error
    agent = factory
    if callable(factory):
        try:
            agent = factory() if seed is None else factory(seed=seed)
        except Exception as error:
            raise AgentError(f"{module}:{attribute} could not be called: {error}") from error
    if not callable(getattr(agent, "act", None)):
        raise AgentError(f"{module}:{attribute} made {agent!r}, which has no method `act`")
    if not hasattr(agent, "name"):
        raise AgentError(f"{module}:{attribute} made an agent without the attribute `name`")
    made: Agent = agent
    return made


def _attribute(module: str, attribute: str) -> Any:
    found: Any = importlib.import_module(module)
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except AttributeError as error:
            raise ImportError(f"module {module!r} has no {attribute!r}") from error
    return found


def _looks_like_path(text: str) -> bool:
    return "/" in text or "\\" in text or Path(text).suffix in (".pt", ".npz", ".zip")


def _what_exists() -> str:
    return (
        f"registered are {', '.join(sorted(_ENTRIES))}; also the path of a checkpoint file, "
        "or module:callable"
    )
