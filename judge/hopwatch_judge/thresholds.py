"""Thresholds, each with where it comes from."""

LONGEST_BURST = 10
"""Seconds: a pipe that held all of what comes in a longer stretch would make messages as old as that, and is no cure."""
LOSSY = 0.01
"""Of the segments that a connection sent: with as many sent again, packets are lost on the way."""
