"""The playthroughs of tests/golden have not changed (`python -m tests.regenerate_golden`)."""

from __future__ import annotations

import pytest

from tests.regenerate_golden import DEALS, FOLDER, text_of


@pytest.mark.parametrize("name", DEALS)
def test_golden_playthrough(name: str) -> None:
    expected = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
    found = text_of(name).splitlines()
    for number, (old, new) in enumerate(zip(expected, found), start=1):
        assert new == old, f"{name}.txt, line {number}"
    assert len(found) == len(expected)


def test_there_are_no_other_files() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(DEALS)
