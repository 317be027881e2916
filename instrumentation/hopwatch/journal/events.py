"""The event log: JSON lines in segments, bounded in size (FORMAT.md, "Events")."""

import json
import os
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hopwatch.errors import JournalError
from hopwatch.journal.files import PRIVATE, is_at, open_new
from hopwatch.native_threads import reentrant_lock

SEGMENT_BYTES = 1 << 20
SEGMENTS_KEPT = 16
LINE_BYTES = 1 << 16
MOST_WAITING = 64


_as_json = json.JSONEncoder(separators=(",", ":")).encode


class EventLog:
    """Appends events as they happen: what is written here survives the end of the process.

    ``header(index, first)`` makes the first line of a segment; ``lost(count)`` is told of events that could not be
    written. Never raises once it is open.
    """

    def __init__(
        self,
        directory: Path,
        process: str,
        header: Callable[[int, int], dict[str, Any]],
        lost: Callable[[int], None],
        mode: int = PRIVATE,
    ) -> None:
        self._directory = directory
        self._process = process
        self._header = header
        self._lost = lost
        self._mode = mode
        self._lock = reentrant_lock()
        self._next = 1
        self._index = -1
        self._descriptor = -1
        self._written = 0
        self._header_due = True
        self._due: deque[dict[str, Any]] = deque()
        self._writing = False
        try:
            self._open_segment()
            self._put(_encode(self._header(0, 1)))
            self._header_due = False
        except OSError as error:
            raise JournalError(f"cannot write {self._path(0)}: {error.strerror}") from error

    def write(self, event: str, fields: dict[str, Any]) -> None:
        """Append one event; numbered even if it cannot be written, so that the hole shows."""
        self._due.append({"t": time.time_ns(), "event": event, **fields})
        self.write_due()

    def write_due(self) -> None:
        """Write what waits."""
        with self._lock:
            if self._writing:  # a signal handler or a finalizer came while its own thread writes
                return
            self._writing = True
            try:
                while self._due:
                    self._append(self._due.popleft())
            finally:
                self._writing = False

    def write_later(self, event: str, fields: dict[str, Any]) -> None:
        """Append one event before the next that is written; without a lock or a system call, which would let other threads run."""
        self._due.append({"t": time.time_ns(), "event": event, **fields})
        if len(self._due) >= MOST_WAITING and not self._writing:
            self.write_due()

    def keep_up(self) -> None:
        """Go on in a new segment if the last one was removed, replaced or cut short."""
        with self._lock:
            if not self._writing and not self._is_whole():
                self.begin_anew()

    def begin_anew(self) -> None:
        """Go on in a new segment. Raises OSError."""
        with self._lock:
            self._open_segment()

    def abandon(self) -> None:
        """Let go of the descriptor, in a forked child."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _is_whole(self) -> bool:
        return (
            is_at(self._path(self._index), self._descriptor)
            and os.fstat(self._descriptor).st_size >= self._written
        )

    def _append(self, record: dict[str, Any]) -> None:
        number = self._next
        self._next += 1
        try:
            line = _encode({"n": number, **record})
            if self._written >= SEGMENT_BYTES:
                self._open_segment()
            if self._header_due:
                self._put(_encode(self._header(self._index, number)))
                self._header_due = False
            self._put(line)
        except (OSError, ValueError, TypeError):
            self._lost(1)

    def _put(self, line: bytes) -> None:
        """Write a whole line or none of it: readers take whole lines only, so that none has seen the part that is cut off again."""
        written = os.write(self._descriptor, line)
        if written != len(line):
            os.ftruncate(self._descriptor, self._written)
            raise OSError("the line was cut short")
        self._written += written

    def _open_segment(self) -> None:
        index = self._index + 1
        descriptor = open_new(self._path(index), os.O_WRONLY | os.O_APPEND, self._mode)
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor, self._index, self._written = descriptor, index, 0
        self._header_due = True
        if index >= SEGMENTS_KEPT:
            self._path(index - SEGMENTS_KEPT).unlink(missing_ok=True)

    def _path(self, index: int) -> Path:
        return self._directory / f"{self._process}.{index:04d}.events"


def _encode(record: dict[str, Any]) -> bytes:
    line = _as_json(record).encode() + b"\n"
    if len(line) > LINE_BYTES:
        raise ValueError(f"an event of {len(line)} bytes is too long")
    return line
