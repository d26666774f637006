"""A player after the book's thresholds and conventions: nothing in it is fitted."""
