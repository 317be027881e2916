"""The event log: JSON lines in segments, bounded in size (FORMAT.md, "Events")."""

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hopwatch.errors import JournalError

SEGMENT_BYTES = 1 << 20
SEGMENTS_KEPT = 16
LINE_BYTES = 1 << 16


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
    ) -> None:
        self._directory = directory
        self._process = process
        self._header = header
        self._lost = lost
        self._lock = threading.RLock()  # a signal handler may write while its own thread writes
        self._next = 1
        self._index = -1
        self._descriptor = -1
        self._written = 0
        self._torn = False
        self._header_due = True
        try:
            self._open_segment()
            self._put(b"")
        except OSError as error:
            raise JournalError(f"cannot write {self._path(0)}: {error.strerror}") from error

    def write(self, event: str, fields: dict[str, Any]) -> None:
        """Append one event; numbered even if it cannot be written, so that the hole shows."""
        with self._lock:
            number = self._next
            self._next += 1
            try:
                self._append({"n": number, "t": time.time_ns(), "event": event, **fields})
                if self._written >= SEGMENT_BYTES:
                    self._open_segment()
            except (OSError, ValueError, TypeError):
                self._lost(1)

    def abandon(self) -> None:
        """Let go of the descriptor, in a forked child."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _append(self, record: dict[str, Any]) -> None:
        line = _encode(record)
        if len(line) > LINE_BYTES:
            raise ValueError(f"an event of {len(line)} bytes is too long")
        self._put(line)

    def _put(self, line: bytes) -> None:
        if self._torn:
            line = b"\n" + line
        if self._header_due:
            line = _encode(self._header(self._index, self._next - 1 if line else self._next)) + line
        written = os.write(self._descriptor, line)
        self._written += written
        self._torn = written != len(line)
        if self._torn:
            raise OSError("the line was cut short")
        self._header_due = False

    def _open_segment(self) -> None:
        index = self._index + 1
        descriptor = os.open(
            self._path(index), os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o600
        )
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor, self._index, self._written = descriptor, index, 0
        self._torn, self._header_due = False, True
        if index >= SEGMENTS_KEPT:
            self._path(index - SEGMENTS_KEPT).unlink(missing_ok=True)

    def _path(self, index: int) -> Path:
        return self._directory / f"{self._process}.{index:04d}.events"


def _encode(record: dict[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"
