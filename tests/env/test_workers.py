"""Worker processes: Ctrl-C does not reach one that is started while interrupts are ignored."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from marias_env.workers import interrupts_ignored

ASKED = "import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"


def ignores() -> bool:
    done = subprocess.run([sys.executable, "-c", ASKED], capture_output=True, text=True, check=True)
    return done.stdout.strip() == "True"


@pytest.mark.skipif(os.name != "posix", reason="signals are inherited")
def test_a_process_started_meanwhile_ignores_interrupts() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interrupts_ignored():
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert ignores()
    assert signal.getsignal(signal.SIGINT) is before
    if before is signal.default_int_handler:
        assert not ignores()


def test_in_another_thread_nothing_changes() -> None:
    found = []

    def look() -> None:
        with interrupts_ignored():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGINT)]
