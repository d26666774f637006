"""What every test process has."""

from __future__ import annotations

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Shells start background jobs with Ctrl-C ignored, and the programs that tests interrupt would
    # inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
