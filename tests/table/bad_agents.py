"""Agents that a server must survive."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from marias_agents import make


class _Bad:
    """Plays as `rules` in the bidding, and badly from the first card on."""

    def act(self, views: Any, masks: Any) -> Any:
        if (views.deals["phase"] < 7).all():
            return make("rules").act(views, masks)
        return self.fail()

    def fail(self) -> Any:
        raise NotImplementedError


class Hanging(_Bad):
    name = "hanging"

    def fail(self) -> Any:
        while True:
            time.sleep(0.01)


class Raising(_Bad):
    name = "raising"

    def fail(self) -> Any:
        raise ValueError("out of ideas")


class Dying(_Bad):
    name = "dying"

    def fail(self) -> Any:
        os._exit(3)


class Cheating(_Bad):
    name = "cheating"

    def fail(self) -> Any:
        return np.array([43])


class Slow:
    name = "slow"

    def act(self, views: Any, masks: Any) -> Any:
        time.sleep(0.05)
        return make("rules").act(views, masks)
