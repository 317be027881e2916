"""Lanes: the numberings within a stream that a receiver can check."""
