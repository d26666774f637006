"""The rule-based player: one file per phase, compiled, over information views."""
