"""The rule-based player: one file per phase, compiled, over information views."""

# The tables lie in the vector of points in the order in which their files are imported, and
# compiled code has those places in it: through here every import of a part comes to one order.
from marias_agents.rules import kernel as kernel
