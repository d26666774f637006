"""A person at the page, who looks and presses what may be pressed; and a server to play on."""

from __future__ import annotations

import json
import random
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from tests.processes import PATIENCE

PHONE = {"width": 360, "height": 640}
SIDEWAYS = {"width": 640, "height": 360}
TABLET = {"width": 768, "height": 1024}
TABLET_SIDEWAYS = {"width": 1024, "height": 768}
DESKTOP = {"width": 1280, "height": 800}
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MINE = "[data-phase='{}'] .prompt.mine"
READY = ".prompt.mine, [data-tool=next]:enabled"
GRAVE = {"serious", "critical"}
QUIET = {"pace": "none", "language": "en", "deck": "french", "name": "Eva"}


def chromium() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def free_port() -> int:
    """A port below those that the system gives to connections.

    One of them could be taken, by a page that tries to connect even, while a server is down.
    """
    chosen = random.SystemRandom()
    while True:
        port = chosen.randrange(20_000, 32_000)
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port


class Server:
    """A command of ours that serves, in a process that can be killed and started again."""

    def __init__(self, command: str, *options: str) -> None:
        self.command = (command, *options)
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def start(self, address: str = "api/health") -> None:
        """Starts it, and waits until an address of it answers."""
        command = [sys.executable, "-c", "from marias_env.cli import app; app()", *self.command]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(1200):
            try:
                with urllib.request.urlopen(f"{self.url}{address}", timeout=5):
                    return
            except OSError:
                assert self.process.poll() is None, f"marias {self.command[0]} has ended"
                time.sleep(0.1)
        raise TimeoutError(f"marias {self.command[0]} doesn't answer")

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@contextmanager
def running(db: str) -> Iterator[Server]:
    """The table, its agents all `rules`."""
    agents = [part for kind in ("agent", "opponent", "adviser") for part in (f"--{kind}", "rules")]
    server = Server("serve", "--db", db, "--no-open", "--grace", "600", *agents)
    try:
        server.start()
        yield server
    finally:
        server.kill()


def faults(player: Player) -> list[str]:
    """What axe-core finds on a page that is serious."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(player.page).response["violations"]
    return [
        f"{player.page.get_attribute('body', 'data-view')} {fault['id']}: "
        + "; ".join(node["html"][:160] for node in fault["nodes"][:3])
        for fault in found
        if fault["impact"] in GRAVE
    ]


class Player:
    """A page in a browser context of its own.

    Attributes:
        trouble: errors of the console and of scripts.
        foreign: requests to any address but the server's.
    """

    def __init__(
        self,
        browser: Any,
        url: str,
        viewport: dict[str, int],
        scale: float = 1,
        **settings: Any,
    ) -> None:
        touch = viewport["width"] < 1000
        self.context = browser.new_context(
            viewport=viewport,
            base_url=url,
            has_touch=touch,
            is_mobile=touch,
            device_scale_factor=scale if touch else 1,
        )
        self.context.set_default_timeout(1000 * PATIENCE)
        wanted = json.dumps(json.dumps({**QUIET, **settings}))
        self.context.add_init_script(
            f"localStorage.getItem('marias-settings') ?? "
            f"localStorage.setItem('marias-settings', {wanted})"
        )
        # A banner may come and go before a busy machine lets the test look.
        self.context.add_init_script(
            "new MutationObserver(() => { window.sawBanner ||= !!document.querySelector('.banner') "
            "}).observe(document, { childList: true, subtree: true })"
        )
        self.page = self.context.new_page()
        self.trouble: list[str] = []
        self.foreign: list[str] = []
        own = re.escape(url)
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on(
            "console",
            lambda line: self.trouble.append(line.text) if line.type == "error" else None,
        )

        def seen(request: Any) -> None:
            if not re.match(rf"({own}|blob:|data:)", request.url):
                self.foreign.append(request.url)

        self.context.on("request", seen)
        self.rng = random.Random(1)

    def open(self, address: str = "") -> Player:
        self.page.goto(address or "/")
        return self

    def play_at_once(self) -> Player:
        self.open()
        self.page.click("[data-tool=play]")
        self.page.wait_for_selector(".table")
        return self

    def set_up(self, rules: str, chairs: tuple[str, str, str] | None = None) -> Player:
        """Opens a table by the form."""
        self.open()
        self.page.click("[data-tool=setup]")
        self.page.check(f"input[name=rules][value={rules}]")
        for seat, who in enumerate(chairs or ()):
            self.page.select_option(f"[data-chair='{seat}']", who)
        self.page.click("[data-tool=create]")
        self.page.wait_for_selector(".table")
        return self

    @property
    def at(self) -> str:
        return str(self.page.get_attribute(".table", "data-at"))

    @property
    def phase(self) -> str:
        return str(self.page.get_attribute(".table", "data-phase"))

    def hand(self) -> list[str]:
        cards = self.page.eval_on_selector_all(
            ".own", "nodes => nodes.map((node) => node.dataset.card)"
        )
        return list(cards)

    def wait(self) -> str:
        """Waits until there is something to press; returns the phase."""
        self.page.wait_for_selector(READY)
        return self.phase

    def move(self, prefer: tuple[str, ...] = ()) -> None:
        """Takes one legal action by clicks (both discards are one): a preferred call, or any."""
        page, phase, before = self.page, self.phase, self.at
        if phase in ("TRUMP", "DISCARD"):
            legal = page.locator(".own.legal")
            count = 2 if phase == "DISCARD" else 1
            for index in sorted(self.rng.sample(range(legal.count()), count)):
                legal.nth(index).click()
            page.click("[data-action=confirm]")
        elif phase == "PLAY":
            legal = page.locator(".own.legal")
            legal.nth(self.rng.randrange(legal.count())).click()
        else:
            calls = page.locator(".choices .choice:not([aria-disabled])")
            for call in prefer:
                if (wanted := page.locator(f".choices [data-action={call}]")).count():
                    calls = wanted
                    break
            calls.nth(self.rng.randrange(calls.count())).click()
        # The table waits for nobody else between the two discards.
        done = 2 if phase == "DISCARD" else 1
        self.page.wait_for_function(
            """([before, done]) => {
                const [deal, at] = document.querySelector('.table').dataset.at.split('-');
                const [deal0, at0] = before.split('-');
                return deal !== deal0 || Number(at) >= Number(at0) + done;
            }""",
            arg=[before, done],
        )

    def play_deal(self) -> list[str]:
        """Plays until the settlement is there; returns the phases there were."""
        phases: list[str] = []
        while self.wait() != "OVER":
            if self.phase not in phases:
                phases.append(self.phase)
            self.move()
        return phases

    def payments(self) -> list[int]:
        texts = self.page.locator(".payments strong").all_inner_texts()
        return [int(text.replace("−", "-")) for text in texts]

    def through_a_banner(self) -> None:
        """Waits until a banner has come since `window.sawBanner` was cleared, and has gone."""
        self.page.wait_for_function("() => window.sawBanner && !document.querySelector('.banner')")

    def close(self) -> None:
        self.context.close()
