"""SIGTERM and SIGINT: the first asks for an orderly end, the second does not wait for it."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

EXIT_NOT_LANDED = 1
STANDARD_ERROR = 2
TOLD_TWICE = b"hopwatch agent: told to end a second time; what is left is landed by the next run\n"
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Stop:
    """Whether to stop. What the first signal calls must be short, since it interrupts the main thread anywhere."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._calls: list[Callable[[], None]] = []

    @property
    def asked(self) -> bool:
        """Whether a signal has come."""
        return self._asked.is_set()

    def call(self, stop: Callable[[], None]) -> None:
        """Calls it when the first signal comes, or now if it has come."""
        self._calls.append(stop)
        if self.asked:
            stop()

    def note(self, _number: int, _frame: FrameType | None) -> None:
        """A signal has come."""
        if self.asked:
            # all that was read is in the database, and the next run goes on from there
            os.write(STANDARD_ERROR, TOLD_TWICE)
            os._exit(EXIT_NOT_LANDED)
        self._asked.set()
        for stop in self._calls:
            stop()


@contextmanager
def stop_signals() -> Iterator[Stop]:
    """What tells of the signals as long as the block runs."""
    stop = Stop()
    before = {number: signal.signal(number, stop.note) for number in _SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
