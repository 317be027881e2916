"""Counters in System V shared memory, with a copy in their file (FORMAT.md, "Counters file")."""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from pathlib import Path

from hopwatch.journal import shared_memory
from hopwatch.journal.counters_memory import HEADER_BYTES, MOST_BYTES
from hopwatch.journal.files import PRIVATE, file_of_ours, write_new

MEMORY_OFFSET = 96
"""Where the header says which segment of shared memory has the counters: its id plus 1; 0: they are in the file."""
PATH_OFFSET = 128
IDENTITY_BYTES = 32
"""Magic, version, process and index: no two counters files have the same."""
PAGE_BYTES = 4096

SEGMENTS_LEFT = 64
"""Segments of dead processes that no agent read are freed once there are more segments on the host than this."""


class SharedMemory:
    """A segment and, in the file, a copy of it. Raises OSError where there is no such memory."""

    in_shared_memory = True

    def __init__(self, path: Path, header: bytes, size: int, mode: int) -> None:
        shared_memory.require()
        free_left_behind()
        self._path, self._size, self._mode = path, size, mode
        self._segment = shared_memory.create(size, mode)
        try:
            self._address = shared_memory.attach(self._segment)
            self._bytes = self.words(0, size // 8).cast("B")
            self._bytes[: len(header)] = header
            self._write_place(self._segment + 1)
            place = os.fsencode(path)[: HEADER_BYTES - PATH_OFFSET - 1]
            self._bytes[PATH_OFFSET : PATH_OFFSET + len(place)] = place
            self._saved, self._file = b"", (0, 0)
            self._make_file()
        except BaseException:
            shared_memory.remove(self._segment)
            raise

    def words(self, start: int, count: int) -> memoryview:
        """A view of some words."""
        return shared_memory.words(self._address + start * 8, count)

    def save(self) -> None:
        """Copy what has changed since the last time; everything where the file is not there as it was."""
        if not self._write_changes():
            self._make_file()

    def free(self) -> None:
        """Say in the file that it has all, and give the segment back: it is freed when the process ends."""
        self._write_place(0)
        self.save()
        shared_memory.remove(self._segment)

    def _write_place(self, number: int) -> None:
        struct.pack_into("<Q", self._bytes, MEMORY_OFFSET, number)

    def _make_file(self) -> None:
        content = bytes(self._bytes)
        descriptor = write_new(self._path, content, self._size, self._mode)
        status = os.fstat(descriptor)
        os.close(descriptor)
        if self._mode != PRIVATE:
            shared_memory.give_group(self._segment, status.st_gid)
        self._saved, self._file = content, (status.st_dev, status.st_ino)

    def _write_changes(self) -> bool:
        content = bytes(self._bytes)
        with suppress(OSError), file_of_ours(self._path, os.O_WRONLY) as descriptor:
            status = os.fstat(descriptor)
            if (status.st_dev, status.st_ino, status.st_size) != (*self._file, self._size):
                return False
            for start in range(0, self._size, PAGE_BYTES):
                page = content[start : start + PAGE_BYTES]
                if page != self._saved[start : start + PAGE_BYTES]:
                    os.pwrite(descriptor, page, start)
            self._saved = content
            return True
        return False


def free_left_behind() -> None:
    """Save and free what this user's dead processes left, where that is much: no agent has read it."""
    if shared_memory.in_use() <= SEGMENTS_LEFT:
        return
    for segment, status in shared_memory.every():
        if status.attached == 0 and status.creator == os.geteuid() and status.size <= MOST_BYTES:
            with suppress(OSError):
                content = shared_memory.read(segment, MOST_BYTES)
                if content.startswith(b"HOPWATCH") and len(content) > HEADER_BYTES:
                    _save_left_behind(content)
                    shared_memory.remove(segment)


def _save_left_behind(content: bytes) -> None:
    """Write it to its file, if that is still there."""
    path = Path(os.fsdecode(content[PATH_OFFSET:HEADER_BYTES].partition(b"\0")[0]))
    with suppress(FileNotFoundError), file_of_ours(path, os.O_RDWR) as descriptor:
        status = os.fstat(descriptor)
        known = os.pread(descriptor, IDENTITY_BYTES, 0)
        if status.st_size == len(content) and known == content[:IDENTITY_BYTES]:
            rest = MEMORY_OFFSET + 8
            os.pwrite(descriptor, content[:MEMORY_OFFSET] + bytes(8) + content[rest:], 0)
