"""The gauntlet: one agent alone among strangers, and what the strangers themselves make of it.

from marias_training.gauntlet import gauntlet

print(gauntlet("rules", deals=200, kinds=["stranger:book"]).mean["agent - stranger"].capped)
"""

from marias_training.gauntlet.run import gauntlet
from marias_training.gauntlet.summary import Gauntlet, Measure

__all__ = ["Gauntlet", "Measure", "gauntlet"]
