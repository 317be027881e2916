"""Counters in memory that outlives a killed process (FORMAT.md, "Counters file")."""

import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hopwatch.errors import JournalError
from hopwatch.ids import as_text
from hopwatch.journal.counters_memory import HEADER_BYTES, MAGIC, CountersMemory, MappedFile
from hopwatch.journal.files import PRIVATE
from hopwatch.native_threads import reentrant_lock
from hopwatch.words import LANE_SLOT_WORDS, SOCKET_SLOT_WORDS

VERSION = 2
SOCKET_SLOTS = 64
LANE_SLOTS = 1024
SOCKET_SLOT_BYTES = SOCKET_SLOT_WORDS * 8
LANE_SLOT_BYTES = LANE_SLOT_WORDS * 8
MOST_DOUBLINGS = 4

PAUSE_AFTER_FAILURE = 0.25
"""Seconds until a failed file is tried again: each new socket and lane would try."""

EVENTS_LOST_WORD = 80 // 8
FAULTS_WORD = 88 // 8

Words = memoryview
"""A slot as 64-bit unsigned words, changed in place."""


def _nothing() -> None:
    """What there is to do for private memory."""


@dataclass(frozen=True)
class Slot:
    """A slot, and where a reader finds it: ``(file index, slot number)``, None where it is in private memory.

    ``give_back`` makes it free again: its owner must not touch it any more.
    """

    words: "Words"
    place: tuple[int, int] | None
    give_back: Callable[[], None] = _nothing


class CountersFile:
    """Slots in one piece of memory. Each file has twice the slots of the one before: a mapping holds a descriptor."""

    def __init__(self, directory: Path, process: int, index: int, mode: int = PRIVATE) -> None:
        self.index = index
        times = 1 << min(index, MOST_DOUBLINGS)
        sockets, lanes = SOCKET_SLOTS * times, LANE_SLOTS * times
        lanes_offset = HEADER_BYTES + sockets * SOCKET_SLOT_BYTES
        of_sockets = HEADER_BYTES, sockets, SOCKET_SLOT_BYTES
        of_lanes = lanes_offset, lanes, LANE_SLOT_BYTES
        header = MAGIC + struct.pack("<9Q", VERSION, process, index, *of_sockets, *of_lanes)
        path = directory / f"{as_text(process)}.{index:04d}.counters"
        self.memory = _memory(path, header, lanes_offset + lanes * LANE_SLOT_BYTES, mode)
        self.header = self.memory.words(0, HEADER_BYTES // 8)
        self._free = {
            SOCKET_SLOT_WORDS: (list(range(sockets - 1, -1, -1)), HEADER_BYTES // 8),
            LANE_SLOT_WORDS: (list(range(lanes - 1, -1, -1)), lanes_offset // 8),
        }

    def take(self, words: int) -> Slot | None:
        """Return a zeroed slot of a socket's or a lane's size in words, or None if all are taken."""
        free, base = self._free[words]
        if not free:
            return None
        number = free.pop()
        slot = self.memory.words(base + number * words, words)
        for word in range(words):
            slot[word] = 0
        return Slot(slot, (self.index, number), partial(free.append, number))


def private_slot(words: int) -> Slot:
    """A slot that no reader sees, for where there is no journal."""
    return Slot(memoryview(bytearray(words * 8)).cast("Q"), None)


def snapshot(slot: Slot) -> Slot:
    """What stands in a slot now, in private memory."""
    return Slot(memoryview(bytearray(slot.words)).cast("Q"), None)


def _memory(path: Path, header: bytes, size: int, mode: int) -> CountersMemory:
    """Return the best memory that can be had. Raises JournalError."""
    if sys.byteorder != "little":
        raise JournalError("counters files are little-endian, this machine is not")
    with suppress(OSError, ImportError, AttributeError):
        # imported here: ctypes takes milliseconds to load, and some builds of Python lack it, or parts of it
        from hopwatch.journal.shared_counters import SharedMemory

        return SharedMemory(path, header, size, mode)
    try:
        return MappedFile(path, header, size, mode)
    except OSError as error:
        raise JournalError(f"cannot write {path}: {error.strerror}") from error


class Slots:
    """All slots of a process: opens a further file when one is full."""

    def __init__(self, open_file: Callable[[int], CountersFile]) -> None:
        self._open_file = open_file
        self.files = [open_file(0)]
        self.header = self.files[0].header
        """The header words of file 0, which carry the counts of the whole process."""
        self._no_try_before = 0.0
        self._lock = reentrant_lock()  # a signal handler may wrap a socket while its own thread does

    def take(self, words: int) -> Slot:
        """Return a zeroed slot of a socket's or a lane's size in words: private memory if no further file can be had."""
        with self._lock:
            for file in self.files:
                slot = file.take(words)
                if slot is not None:
                    return slot
            further = self._further_file()
            return (further.take(words) if further is not None else None) or private_slot(words)

    def _further_file(self) -> CountersFile | None:
        if time.monotonic() < self._no_try_before:
            return None
        try:
            file = self._open_file(len(self.files))
        except JournalError:
            self._no_try_before = time.monotonic() + PAUSE_AFTER_FAILURE
            return None
        self.files.append(file)
        return file
