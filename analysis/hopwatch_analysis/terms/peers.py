"""How many of the peers that a ROUTER could not reach are named."""

PEERS_NAMED = 5
PEERS_KEPT = PEERS_NAMED + 1
"""One more tells that there are others."""
