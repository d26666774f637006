from __future__ import annotations

import errno
import json
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from marias_env.files import atomic_file, parse_json, write_bytes_atomic, write_text_atomic


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text_atomic(path, "old")
    with atomic_file(path) as temporary:
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    with pytest.raises(TypeError), atomic_file(path) as temporary:
        temporary.write_text(b"half")  # type: ignore[arg-type]
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_errors_name_the_file_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "no" / "folder.txt"
    with pytest.raises(FileNotFoundError) as found:
        write_text_atomic(path, "x")
    assert found.value.filename == str(path)
    assert "tmp" not in str(found.value).replace(str(tmp_path), "")
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(NotADirectoryError) as other:
        write_bytes_atomic(file / "x", b"x")
    assert other.value.filename == str(file / "x")


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    real = Path.write_bytes

    def full(self: Path, data: Any) -> int:
        real(self, data[:3])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left") as found:
        write_bytes_atomic(path, b"newer")
    assert (found.value.errno, found.value.filename) == (errno.ENOSPC, str(path))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_system_s_own_limit(tmp_path: Path) -> None:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    code = (
        "import sys\nfrom marias_env.files import write_bytes_atomic\n"
        "write_bytes_atomic(sys.argv[1], bytes(5000))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "big.bin")],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "big.bin" in result.stderr.splitlines()[-1]
    assert ".tmp" not in result.stderr.splitlines()[-1]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": NaN}', "NaN"),
        ('{"a": [-Infinity]}', "-Infinity"),
        ('{"a": 1e999}', "too large"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "'c' twice"),
        (b'{"a": "\xff"}', "not UTF-8"),
        ('{"a": 1', "delimiter"),
        ("[" * 100_000, "nested"),
    ],
)
def test_json_is_read_as_strictly_as_it_is_written(text: str | bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_json(text)


def test_json_that_is_fine() -> None:
    value = {"a": [1, -2.5, True, None, "♥"], "b": {"a": 10**30}}
    assert parse_json(json.dumps(value)) == value
    assert parse_json(json.dumps(value, ensure_ascii=False).encode()) == value
