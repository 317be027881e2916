"""Faults as lines of the agent's standard error: enough to be noticed, too few to fill a log."""

import logging
import time
from collections.abc import Callable, Iterable

LINES_A_MINUTE = 10
LONGEST_LINE = 1000
MINUTE = 60.0

log = logging.getLogger(__name__)


class FaultLines:
    """Writes each fault as one line, ten a minute at most; how many others there were is said afterwards."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._written = 0
        self._left_out = 0

    def tell(self, texts: Iterable[str]) -> None:
        """Write what may be written now."""
        if self._clock() - self._began >= MINUTE:
            self.tell_rest()
            self._began, self._written = self._clock(), 0
        for text in texts:
            if self._written < LINES_A_MINUTE:
                self._written += 1
                log.warning("%s", _on_one_line(text))
            else:
                self._left_out += 1

    def tell_rest(self) -> None:
        """Say how many faults were left out, if any were."""
        if self._left_out:
            log.warning("and %d more faults: see /v1/status and the landed kind=fault", self._left_out)
            self._left_out = 0


def _on_one_line(text: str) -> str:
    """What a journal says is not trusted: it may hold line ends, and whatever a terminal obeys."""
    return "".join(sign if sign.isprintable() else "?" for sign in text[:LONGEST_LINE])
