"""Tests. A regular package, so that another distribution's `tests` can't take its place."""
