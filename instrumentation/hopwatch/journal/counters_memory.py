"""The memory that counters stand in: System V shared memory, else a mapped file (FORMAT.md, "Counters file").

Whoever may write to the journal directory can cut a mapped file short, which ends the process with SIGBUS. Shared memory is beyond the
reach of file operations; the file is then a copy for agents that cannot attach it.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import Protocol

from hopwatch.journal.file_copy import FileCopy
from hopwatch.journal.files import write_new

HEADER_BYTES = 4096
MOST_BYTES = 16 * 1024 * 1024


class CountersMemory(Protocol):
    """Zeroed 64-bit words behind a header."""

    in_shared_memory: bool

    def words(self, start: int, count: int) -> memoryview:
        """A view of some words that is theirs alone.

        A view cut out of another one counts as a user of that. Where no interpreter lock is held, threads that take and drop such views
        at once lose count of them (CPython 3.13), and end the view that others still use.
        """

    def save(self) -> None:
        """Copy them to the file, which is made anew if it was removed or cut short. Raises OSError."""

    def free(self) -> None:
        """Leave the copy alone behind: nobody counts any more. Raises OSError."""


class MappedFile:
    """A file whose every page is allocated before it is mapped: one that cannot be had later would end the process."""

    in_shared_memory = False

    def __init__(self, path: Path, header: bytes, size: int, mode: int) -> None:
        descriptor = write_new(path, header, size, mode)
        try:
            self._mapped = mmap.mmap(descriptor, size)
            self._mapped_file = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        self._path = path
        self._copy = FileCopy(path, mode)

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
            self._copy.save(bytes(self._mapped))

    def free(self) -> None:
        """Nothing is held beside the file."""
