"""The copy of counters in their file, for agents that cannot attach the memory where they stand."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from hopwatch.journal.files import file_of_ours, write_new

PAGE_BYTES = 4096


class FileCopy:
    """A file that is brought up to date at times, and made anew if it was removed, replaced or cut short."""

    def __init__(self, path: Path, mode: int) -> None:
        self._path, self._mode = path, mode
        self._saved, self._file = b"", (0, 0)

    def save(self, content: bytes) -> None:
        """Have the file hold this. Raises OSError."""
        if not self._write_changes(content):
            self.make(content)

    def make(self, content: bytes) -> int:
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
