"""Faces: one deal, or a batch of them, as the environments of the RL libraries."""
