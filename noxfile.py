"""Other Pythons and other versions: `make test-versions`.

Each session gets an environment of its own and runs tests of the environment and of the agents;
what needs torch skips itself. `python -m nox -- tests` runs the whole default suite. A Python that
is not installed fails its session, unless `--no-error-on-missing-interpreters` says otherwise.
"""

from __future__ import annotations

import nox

nox.needs_version = ">=2024.4.15"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_venv = "yes"
nox.options.download_python = "never"  # what is tested is what is installed
nox.options.sessions = ["tests", "lowest"]

PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
# What the whole suite needs and no extra declares (the extras train and sb3 pull torch in).
SUITE = ["hypothesis", "nbclient", "nbformat", "ipykernel", "pytest", "pytest-xdist", "matplotlib"]
QUICK = ["tests/env", "tests/test_architecture.py", "tests/agents/test_registry.py"]


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The newest versions that each Python gets."""
    session.install(".[video]", *SUITE)
    session.run("python", "-c", "import marias_env, numba, numpy; print(numba.__version__)")
    session.run("python", "-m", "pytest", "-n", "2", "-q", *(session.posargs or QUICK))


@nox.session(python="3.10", venv_backend="uv")
def lowest(session: nox.Session) -> None:
    """The lowest versions that `pyproject.toml` declares, on the lowest Python."""
    session.install(".[video]", "--resolution", "lowest-direct")
    session.install(*SUITE)
    session.run("python", "-c", "import numba, numpy; print(numba.__version__, numpy.__version__)")
    session.run("python", "-m", "pytest", "-n", "2", "-q", *(session.posargs or QUICK))
