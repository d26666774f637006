"""Compiled parts of the search. Apart from the rest, so that only they are compiled anew."""
