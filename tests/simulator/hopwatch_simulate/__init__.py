"""Fleets made up from a seed: the files that their agents would have landed, and the truth beside them."""
