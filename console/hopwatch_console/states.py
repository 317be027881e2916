"""The states that a socket may be in, and the names of the styles that they are shown in."""

LOSING, PRESSED, UNKNOWN, QUIET, CLOSED = "losing", "pressed", "unknown", "quiet", "closed"
STATES = (LOSING, PRESSED, UNKNOWN, QUIET, CLOSED)
"""The worst first. Unknown is a socket in use whose agent is away."""
STYLES = {LOSING: "bad", PRESSED: "warn", UNKNOWN: "warn", QUIET: "good", CLOSED: "dim"}
