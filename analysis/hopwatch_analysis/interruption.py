"""Ctrl-C and SIGTERM: whatever runs is cleaned up, one line is said, and the process ends at once.

Nothing is unwound: an exception that a signal raises in a finalizer is swallowed, and py4j runs many of those.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from types import FrameType
from typing import NoReturn

WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated", signal.SIGHUP: "the terminal is gone"}
STANDARD_ERROR = 2


class Interruption:
    """Ends this process with status 128 + signal, as a shell expects it. To be used in the main thread."""

    def __init__(self, program: str) -> None:
        self._program = program
        self._clean_up: Callable[[], None] | None = None
        self._held = False
        self._waiting: int | None = None
        self._ask: Callable[[], None] | None = None

    @contextmanager
    def watched(self, clean_up: Callable[[], None]) -> Iterator[None]:
        """Act on signals from here on; ``clean_up`` is called before the process ends."""
        self._clean_up = clean_up
        heeded = [number for number in WORDS if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, self._on_signal) for number in heeded}
        try:
            yield
        except KeyboardInterrupt:
            self.end(signal.SIGINT)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def held(self) -> Iterator[None]:
        """A signal that comes meanwhile is acted upon at the end: what is begun here is known to the cleaning up."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
            if self._waiting is not None:
                self.end(self._waiting)

    @contextmanager
    def deferred(self, ask: Callable[[], None]) -> Iterator[None]:
        """The first signal that comes meanwhile only asks to end; the second is acted upon."""
        self._ask = ask
        try:
            yield
        finally:
            self._ask = None

    def end(self, number: int) -> NoReturn:
        """Clean up, say why, and end the process."""
        for other in WORDS:
            signal.signal(other, signal.SIG_IGN)
        sys.stderr = StringIO()  # threads that the cleaning up cuts off would complain there
        if self._clean_up is not None:
            self._clean_up()
        os.write(STANDARD_ERROR, f"{self._program}: {WORDS[signal.Signals(number)]}\n".encode())
        os._exit(128 + number)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if self._ask is not None:
            ask, self._ask = self._ask, None
            ask()
        elif self._held:
            self._waiting = number
        else:
            self.end(number)
