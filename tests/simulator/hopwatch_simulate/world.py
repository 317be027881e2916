"""Time, chance and what happens next: the one clock that everything simulated goes by."""

import heapq
import random
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from itertools import count

EPOCH = datetime(2026, 3, 2, 9, 0, tzinfo=timezone.utc)


class World:
    """Does what is planned in the order of its time; ``now`` is in seconds since the fleet began."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - nothing secret is drawn
        self.now = 0.0
        self._plan: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()

    def at(self, time: float, act: Callable[[], None]) -> None:
        """Plan something for a time (for now, if that has passed)."""
        heapq.heappush(self._plan, (max(time, self.now), next(self._order), act))

    def after(self, seconds: float, act: Callable[[], None]) -> None:
        """Plan something for later."""
        self.at(self.now + seconds, act)

    def run(self, until: float) -> None:
        """Let everything happen that is planned up to a time."""
        while self._plan and self._plan[0][0] <= until:
            self.now, _, act = heapq.heappop(self._plan)
            act()
        self.now = until

    def identity(self) -> str:
        """64 random bits, never 0, as 16 hex digits."""
        return f"{self.chance.randrange(1, 1 << 64):016x}"

    def between(self, low: float, high: float) -> float:
        """A number drawn evenly from a range."""
        return self.chance.uniform(low, high)


def wall(seconds: float) -> datetime:
    """What a clock shows that says 0 at the beginning of the fleet's time."""
    return EPOCH + timedelta(seconds=seconds)
