"""How often something may be done that takes a share of a core."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from hopwatch_agent.sampling import Moment


class Pace:
    """Once in ``seconds``, and more seldom where that takes more than ``share`` of a core, time after time."""

    def __init__(self, seconds: float, share: float) -> None:
        self._seconds = seconds
        self._share = share
        self._next = float("-inf")
        self._took = 0.0

    def is_due(self, moment: Moment) -> bool:
        """Whether it is time, or forced."""
        return moment.forced or moment.clock >= self._next

    @contextmanager
    def kept(self, moment: Moment) -> Iterator[None]:
        """Around what is done at the moment."""
        began = time.thread_time()
        try:
            yield
        finally:
            before, self._took = self._took, time.thread_time() - began
            # the first time may load what is needed, and any time be interrupted
            self._next = moment.clock + max(self._seconds, min(before, self._took) / self._share)
