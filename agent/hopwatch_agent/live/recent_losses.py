"""What each socket has lost in the last seconds."""

from collections import deque
from collections.abc import Collection, Mapping
from typing import NamedTuple

from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.state import NO_COUNTS

LOSING_SECONDS = 10.0
"""For how long a socket is said to be losing after a loss."""
_PLACES = tuple(COUNTERS.index(name) for name in ("lost", "onsets", "unroutable"))

Counts = tuple[int, ...]


class Losses(NamedTuple):
    """Messages that did not come, full pipes met, and messages that a ROUTER swallowed."""

    lost: int = 0
    onsets: int = 0
    unroutable: int = 0


class RecentLosses:
    """By socket, of the counts that it is shown. Used by one thread."""

    def __init__(self) -> None:
        self._before: Mapping[str, Counts] = {}
        self._grown: dict[str, deque[tuple[float, Losses]]] = {}

    def note(self, clock: float, counters: Mapping[str, Counts], new: Collection[str]) -> None:
        """Takes up the counts of all sockets in use, at monotonic seconds. ``new``: those that were opened in the last ``LOSING_SECONDS``.

        What others had lost when they are shown first was lost at some time before.
        """
        for socket, counts in counters.items():
            before = self._before.get(socket) or (NO_COUNTS if socket in new else counts)
            if before is counts or before == counts:
                continue
            # what comes late after all takes some of "lost" back
            grown = Losses(*(max(0, counts[place] - before[place]) for place in _PLACES))
            if any(grown):
                self._grown.setdefault(socket, deque()).append((clock, grown))
        self._before = counters
        self._forget(clock)

    def _forget(self, clock: float) -> None:
        for socket, grown in list(self._grown.items()):
            while grown and clock - grown[0][0] > LOSING_SECONDS:
                grown.popleft()
            if not grown or socket not in self._before:
                del self._grown[socket]

    def found(self) -> dict[str, Losses]:
        """Of those that have lost something."""
        return {
            socket: Losses(*(sum(parts) for parts in zip(*(losses for _, losses in grown), strict=True)))
            for socket, grown in self._grown.items()
        }
