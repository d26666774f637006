"""Players made to differ and not to lose: those that judge, and those that tuning may look at."""

from marias_agents.strangers.styles import JUDGES, TUNING, judging_specs, tuning_specs

__all__ = ["JUDGES", "TUNING", "judging_specs", "tuning_specs"]
