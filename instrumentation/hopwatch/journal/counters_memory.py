"""The memory that counters stand in: System V shared memory, else a mapped file (FORMAT.md, "Counters file").

Whoever may write to the journal directory can cut a mapped file short, which ends the process with SIGBUS. Shared memory is beyond the
reach of file operations; the file is then a copy for agents that cannot attach it.
"""

import mmap
import os
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path

from hopwatch.journal.files import file_of_ours, write_new

MAGIC = b"HOPWATCH"
HEADER_BYTES = 4096
MOST_BYTES = 16 * 1024 * 1024
PAGE_BYTES = 4096


class CountersMemory(ABC):
    """Zeroed 64-bit words behind a header, and a copy of them: a file that is brought up to date at times, and made anew if it was removed,
    replaced or cut short.
    """

    in_shared_memory: bool

    def __init__(self, path: Path, size: int, mode: int) -> None:
        self._path, self._size, self._mode = path, size, mode
        self._saved, self._file = b"", (0, 0)

    @abstractmethod
    def words(self, start: int, count: int) -> memoryview:
        """A view of some words that is theirs alone.

        A view cut out of another one counts as a user of that. Where no interpreter lock is held, threads that take and drop such views
        at once lose count of them (CPython 3.13), and end the view that others still use.
        """

    def save(self) -> None:
        """Copy what has changed since the last time; everything where the file is not there as it was. Raises OSError."""
        content = bytes(self._all())
        if not self._write_changes(content):
            self._write_anew(content)

    @abstractmethod
    def free(self) -> None:
        """Leave the copy alone behind: nobody counts any more. Raises OSError."""

    def _all(self) -> memoryview:
        return self.words(0, self._size // 8).cast("B")

    def _write_anew(self, content: bytes) -> int:
        """Make the file anew, and return its group. Raises OSError."""
        descriptor = write_new(self._path, content, len(content), self._mode)
        status = os.fstat(descriptor)
        os.close(descriptor)
        self._saved, self._file = content, (status.st_dev, status.st_ino)
        return status.st_gid

    def _write_changes(self, content: bytes) -> bool:
        with suppress(OSError), file_of_ours(self._path, os.O_WRONLY) as descriptor:
            status = os.fstat(descriptor)
            if (status.st_dev, status.st_ino, status.st_size) != (*self._file, len(content)):
                return False
            changed = [
                start
                for start in range(0, len(content), PAGE_BYTES)
                if content[start : start + PAGE_BYTES] != self._saved[start : start + PAGE_BYTES]
            ]
            if changed:
                first, end = changed[0], changed[-1] + PAGE_BYTES
                os.pwrite(descriptor, content[first:end], first)
            self._saved = content
            return True
        return False


class MappedFile(CountersMemory):
    """A file whose every page is allocated before it is mapped: one that cannot be had later would end the process."""

    in_shared_memory = False

    def __init__(self, path: Path, header: bytes, size: int, mode: int) -> None:
        super().__init__(path, size, mode)
        descriptor = write_new(path, header, size, mode)
        try:
            self._mapped = mmap.mmap(descriptor, size)
            self._mapped_file = os.fstat(descriptor)
        finally:
            os.close(descriptor)

    def words(self, start: int, count: int) -> memoryview:
        """A view of some words."""
        return memoryview(self._mapped).cast("Q")[start : start + count]

    def save(self) -> None:
        """They are in the file, unless that has lost its name: then in a copy."""
        try:
            is_there = os.path.samestat(self._path.lstat(), self._mapped_file)
        except FileNotFoundError:
            is_there = False
        if not is_there:
            super().save()

    def free(self) -> None:
        """Nothing is held beside the file."""
