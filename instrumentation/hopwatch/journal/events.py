"""The event log: JSON lines in segments, bounded in size (FORMAT.md, "Events")."""

import errno
import json
import os
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from hopwatch.errors import JournalError
from hopwatch.journal.facts import StandingFacts
from hopwatch.journal.files import PRIVATE, KeptFile, new_file
from hopwatch.native_threads import reentrant_lock
from hopwatch.ownership import opened_folder

SEGMENT_BYTES = 1 << 20
SEGMENTS_KEPT = 16
HEAD_BYTES = 8 << 20
LINE_BYTES = 1 << 16
MOST_WAITING = 64

PAUSE_AFTER_FAILURE = 0.25
"""Seconds until a failed segment is tried again: its head may be large, and the disk full for long."""


_Numbered = tuple[dict[str, Any], int, bytes]
"""An event, its number and its line."""

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
        self._file: KeptFile | None = None
        self._written = 0
        self._full_at = 0
        self._left: deque[tuple[int, int]] = deque()
        self._no_try_before = 0.0
        self._facts = StandingFacts()
        self._due: deque[dict[str, Any]] = deque()
        self._writing = False
        try:
            self._begin_segment(1)
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
                    self._append(self._encoded())
                if self._full_at == 0:
                    with suppress(OSError):
                        self._begin_segment(self._next)
            finally:
                self._writing = False

    def begin_anew(self) -> None:
        """Leave the segment, whose file is gone or was cut, for the next one, which repeats what stands.

        A segment that cannot be begun now is begun with a later event.
        """
        self._full_at = 0
        self.write_due()

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

    def abandon(self) -> None:
        """Let go of the descriptor, in a forked child."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _is_whole(self) -> bool:
        file = self._file
        if file is None or file.has_gone(self._path(self._index)):
            return False
        return file.status().st_size >= self._written

    def _encoded(self) -> list[_Numbered]:
        """Return what waits, or as much of it as is written at once."""
        encoded: list[_Numbered] = []
        size = 0
        while self._due and size < LINE_BYTES:
            record, number = self._due.popleft(), self._next
            self._next += 1
            try:
                line = _encode({"n": number, **record})
            except (ValueError, TypeError):
                self._lost(1)
                continue
            encoded.append((record, number, line))
            size += len(line)
        return encoded

    def _append(self, encoded: list[_Numbered]) -> None:
        if not encoded:
            return
        written = 0
        try:
            with suppress(OSError):
                if self._written >= self._full_at or self._file is None or not self._file.is_open():
                    self._begin_segment(encoded[0][1])
                written = self._put(b"".join(line for _, _, line in encoded))
        finally:
            if written < len(encoded):
                self._lost(len(encoded) - written)
            for numbered in encoded:  # what cannot be written stands all the same, and the next head has it
                self._facts.take(*numbered)

    def _put(self, lines: bytes) -> int:
        """Return how many lines were written. Readers take whole lines only, so that none has seen the part that is cut off again."""
        descriptor = cast(KeptFile, self._file).descriptor
        written = os.write(descriptor, lines)
        if written < len(lines):
            written = lines.rfind(b"\n", 0, written) + 1
            os.ftruncate(descriptor, self._written + written)
        self._written += written
        return lines.count(b"\n", 0, written)

    def _begin_segment(self, first: int) -> None:
        """Go on in the next segment, or stay in this one and raise OSError; for a while each try fails at once."""
        now = time.monotonic()
        if now < self._no_try_before:
            raise OSError("there was no room for the segment a moment ago")
        self._no_try_before = now + PAUSE_AFTER_FAILURE
        index = self._index + 1
        lines = b"".join((_encode(self._header(index, first)), *(self._what_stands() if index else ())))
        before, left = self._file, (self._index, self._written)
        self._file = KeptFile(self._write_whole(index, lines))
        self._index, self._written = index, len(lines)
        self._full_at = len(lines) + max(SEGMENT_BYTES, len(lines))
        if index:
            self._left.append(left)
        if before is not None:
            before.close()
        self._no_try_before = 0.0
        self._unlink_oldest()

    def _what_stands(self) -> list[bytes]:
        lines, left_out = self._facts.lines(HEAD_BYTES)
        about = {"event": "standing", "t": time.time_ns(), "left_out": left_out}
        return [*lines, *(_encode({**about, **listed}) for listed in self._facts.standing())]

    def _write_whole(self, index: int, lines: bytes) -> int:
        """Return the descriptor of a segment that appears under its name once it has all of these lines."""
        with new_file(self._path(index), os.O_WRONLY | os.O_APPEND, self._mode) as descriptor:
            if os.write(descriptor, lines) != len(lines):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return descriptor

    def _unlink_oldest(self) -> None:
        """Keep 16 segments, or fewer where their heads make them large."""
        kept = sum(size for _, size in self._left)
        while len(self._left) >= SEGMENTS_KEPT or (
            kept > SEGMENTS_KEPT * SEGMENT_BYTES and len(self._left) > 1
        ):
            index, size = self._left.popleft()
            kept -= size
            with suppress(OSError), opened_folder(self._directory) as folder:
                os.unlink(self._path(index).name, dir_fd=folder)

    def _path(self, index: int) -> Path:
        return self._directory / f"{self._process}.{index:04d}.events"


def _encode(record: dict[str, Any]) -> bytes:
    line = _as_json(record).encode() + b"\n"
    if len(line) > LINE_BYTES:
        raise ValueError(f"an event of {len(line)} bytes is too long")
    return line
