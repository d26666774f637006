"""Training and judging of Mariáš agents: self-play, arenas and evaluation runs."""
