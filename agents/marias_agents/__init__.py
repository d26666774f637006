"""Players of Mariáš: random, rule-based, search and trained agents, and their registry."""
