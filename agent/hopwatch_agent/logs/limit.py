"""Few enough lines of each kind that a log is not filled; how many others there were is said afterwards."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from hopwatch_agent.logs.events import EVENT_FIELDS
from hopwatch_agent.logs.formats import event_of

LINES_A_MINUTE = 10
MINUTE = 60.0
_Kind = tuple[str, int, str]


@dataclass
class _Window:
    began: float
    written: int = 0
    left_out: int = 0


class LimitedHandler(logging.Handler):
    """Hands each record on, ten of a kind in a minute at most. A kind is a logger, a level, and an event's name."""

    def __init__(self, target: logging.Handler, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._target = target
        self._clock = clock
        self._windows: dict[_Kind, _Window] = {}
        self._guard = threading.RLock()

    def emit(self, record: logging.LogRecord) -> None:
        """Write it, or count it."""
        kind = (record.name, record.levelno, event_of(record))
        with self._guard:
            window = self._windows.get(kind)
            if window is not None and self._clock() - window.began >= MINUTE:
                self._close(kind)
                window = None
            window = window or self._windows.setdefault(kind, _Window(self._clock()))
            if window.written < LINES_A_MINUTE:
                window.written += 1
                self._target.handle(record)
            else:
                window.left_out += 1

    def tell_left_out(self, *, at_end: bool = False) -> None:
        """Say of each kind whose minute is over how many records were left out; at the end, of every kind."""
        with self._guard:
            now = self._clock()
            for kind in [k for k, window in self._windows.items() if at_end or now - window.began >= MINUTE]:
                self._close(kind)

    def _close(self, kind: _Kind) -> None:
        window = self._windows.pop(kind)
        if not window.left_out:
            return
        name, level, event = kind
        record = logging.LogRecord(name, level, "", 0, event, None, None)
        setattr(record, EVENT_FIELDS, {"text": f"and {window.left_out} more", "left_out": window.left_out})
        self._target.handle(record)
