"""What `peers.py` measures, what it installs for that, and what it compares with what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from benchmarks.measure import Case
from benchmarks.peer_workloads import OPEN_SPIEL_GAMES

OURS: Final = "benchmarks.workloads:"
PEERS: Final = "benchmarks.peer_workloads:"

TITLES: Final = {
    "marias": "This package",
    "sb3": "This package through Stable-Baselines3",
    "openspiel": "OpenSpiel",
    "rlcard": "RLCard",
    "pettingzoo": "PettingZoo classic",
    "pgx": "pgx (JAX)",
    "pufferlib": "PufferLib",
}
"""Groups of cases and their headings, in the order of the report."""

INSTALLS: Final[dict[str, tuple[str, ...]]] = {
    "marias": ("-e", ".", "matplotlib"),
    "openspiel": ("open-spiel",),
    "rlcard": ("rlcard",),
    "pettingzoo": ("pettingzoo", "pygame", "rlcard"),
    "pgx": ("pgx", "jax", "jaxlib"),
    "torch": ("torch",),
    "sb3": ("stable-baselines3", "sb3-contrib"),
}
"""Packages of each group, installed one group after the other, so that one failure stays one.

PyTorch comes before what needs it and by its exact version, so that nothing else picks its build.
"""


@dataclass(frozen=True)
class Ratio:
    """A comparison of the report.

    Attributes:
        label: what is compared.
        ours: name of our case.
        theirs: names of theirs, of which the fastest counts; one may end in `*`.
        goal: how many times theirs ours should be, if something is required.
    """

    label: str
    ours: str
    theirs: tuple[str, ...]
    goal: float | None = None


RATIOS: Final = (
    Ratio(
        "core without observation : OpenSpiel's whole games of skat in C++",
        "marias/core",
        ("openspiel/skat-cpp",),
        5,
    ),
    Ratio(
        "core without observation : OpenSpiel's fastest whole games in C++",
        "marias/core",
        tuple(f"openspiel/{game}-cpp" for game in OPEN_SPIEL_GAMES),
    ),
    Ratio(
        "core with observation and mask : OpenSpiel's fastest tensor path",
        "marias/core-observe",
        tuple(f"openspiel/{game}-tensor" for game in OPEN_SPIEL_GAMES),
        8,
    ),
    Ratio(
        "core with observation and mask : PufferLib's triple triad",
        "marias/core-observe",
        ("pufferlib/tripletriad-decisions",),
        1,
    ),
    Ratio(
        "core with observation and mask : PufferLib's triple triad, every step counted",
        "marias/core-observe",
        ("pufferlib/tripletriad-steps",),
        1,
    ),
    Ratio(
        "the same with its 1024 environments",
        "marias/core-observe-1024",
        ("pufferlib/tripletriad-steps",),
        1,
    ),
    Ratio(
        "core without observation : the same",
        "marias/core",
        ("pufferlib/tripletriad-steps",),
    ),
    Ratio(
        "core with observation and mask : pgx, fastest game",
        "marias/core-observe",
        ("pgx/*",),
    ),
    Ratio("AEC env() : PettingZoo's leduc env()", "marias/env", ("pettingzoo/leduc-env",), 3),
    Ratio(
        "AEC env() in PettingZoo's three wrappers : its leduc env(), which is in them",
        "marias/env-wrapped",
        ("pettingzoo/leduc-env",),
    ),
    Ratio(
        "AEC raw_env() : PettingZoo's leduc raw_env()",
        "marias/raw-env",
        ("pettingzoo/leduc-raw",),
    ),
    Ratio(
        "one deal with observation and mask : OpenSpiel's skat with tensor",
        "marias/one-deal",
        ("openspiel/skat-tensor",),
        1,
    ),
    Ratio(
        "one deal with observation and mask : RLCard, fastest game",
        "marias/one-deal",
        ("rlcard/*",),
        1,
    ),
)


def _marias() -> list[Case]:
    def core(name: str, label: str, batch: int, observe: bool) -> Case:
        return Case(f"marias/{name}", label, OURS + "core", {"batch": batch, "observe": observe})

    return [
        core("core", "Mariáš core, batch 4096", 4096, False),
        core("core-observe", "Mariáš core with observations, batch 4096", 4096, True),
        core("core-observe-1024", "Mariáš core with observations, batch 1024", 1024, True),
        Case(
            "marias/core-packed",
            "Mariáš core with packed observations, batch 4096",
            OURS + "core",
            {"batch": 4096, "observe": True, "packed": True},
        ),
        core("one", "Mariáš core, batch of one", 1, False),
        core("one-observe", "Mariáš core with observations, batch of one", 1, True),
        Case("marias/one-deal", "Mariáš OneDeal, observation and mask", OURS + "one_deal"),
        Case("marias/raw-env", "Mariáš raw_env()", OURS + "marias_aec", {"maker": "raw_env"}),
        Case("marias/env", "Mariáš env()", OURS + "marias_aec"),
        Case(
            "marias/env-wrapped",
            "Mariáš env() in three wrappers",
            OURS + "marias_aec",
            {"wrapped": True},
        ),
        Case("marias/vector", "Mariáš VectorEnv, 1024, learner's decisions", OURS + "vector"),
        Case(
            "sb3/random",
            "Mariáš SB3 VecEnv with masks, 1024, learner's decisions",
            OURS + "sb3",
            goal=500e3,
        ),
    ]


def _openspiel() -> list[Case]:
    found = []
    for game in OPEN_SPIEL_GAMES:
        ways: list[tuple[str, str, str, dict[str, Any]]] = [
            ("cpp", "whole games in C++", "openspiel_cpp", {}),
            ("python", "Python loop", "openspiel_python", {"tensor": False}),
            ("tensor", "Python loop with tensor", "openspiel_python", {"tensor": True}),
        ]
        for way, label, function, arguments in ways:
            found.append(
                Case(
                    f"openspiel/{game}-{way}",
                    f"OpenSpiel {game}, {label}",
                    PEERS + function,
                    {"game": game, **arguments},
                )
            )
    return found


def _others(pufferlib_folder: str) -> list[Case]:
    found = [
        Case(f"rlcard/{game}", f"RLCard {game}", PEERS + "rlcard", {"game": game})
        for game in ("bridge", "gin-rummy", "doudizhu", "leduc-holdem")
    ]
    for name, module in (
        ("tictactoe", "tictactoe_v3"),
        ("connect-four", "connect_four_v3"),
        ("leduc", "leduc_holdem_v4"),
    ):
        for way, wrapped in (("env", True), ("raw", False)):
            if wrapped or name == "leduc":
                label = f"PettingZoo {name} {'env()' if wrapped else 'raw_env()'}"
                arguments = {"module": module, "wrapped": wrapped}
                target = PEERS + "pettingzoo_classic"
                found.append(Case(f"pettingzoo/{name}-{way}", label, target, arguments))
    found += [
        Case(f"pgx/{game}", f"pgx {game}", PEERS + "pgx", {"game": game})
        for game in (
            "leduc_holdem",
            "connect_four",
            "sparrow_mahjong",
            "backgammon",
            "bridge_bidding",
        )
    ]
    for way, label, every_step in (
        ("decisions", "decisions", False),
        ("steps", "every step counted", True),
    ):
        found.append(
            Case(
                f"pufferlib/tripletriad-{way}",
                f"PufferLib triple triad, {label}",
                PEERS + "pufferlib_tripletriad",
                {"folder": pufferlib_folder, "every_step": every_step},
            )
        )
    return found


def all_cases(pufferlib_folder: str) -> list[Case]:
    """Returns every case; `pufferlib_folder` is where its card game has been built."""
    return [*_marias(), *_openspiel(), *_others(pufferlib_folder)]
