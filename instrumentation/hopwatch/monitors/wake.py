"""What ends the monitor thread's wait."""

from __future__ import annotations

import os
from contextlib import suppress

from hopwatch.journal.files import KeptFile


class Wake:
    """A pipe with one descriptor for both ends: unlike an eventfd it cannot be mistaken for what the application opened later."""

    def __init__(self) -> None:
        self._pipe: KeptFile | None = None

    @property
    def descriptor(self) -> int:
        """What becomes readable; -1 while it is not open."""
        return self._pipe.descriptor if self._pipe is not None and self._pipe.is_open() else -1

    def open(self) -> int:
        """Open it, and return its descriptor. Raises OSError."""
        ends = os.pipe2(os.O_CLOEXEC)
        try:
            both = os.open(f"/proc/self/fd/{ends[0]}", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        finally:
            for end in ends:
                os.close(end)
        self._pipe = KeptFile(both)
        return both

    def give(self) -> None:
        """Make it readable."""
        with suppress(OSError):  # it is not open, or full, and readable
            os.write(self.descriptor, b"\0")

    def take(self) -> None:
        """Have it unreadable again."""
        with suppress(OSError):  # it is not open, or empty
            os.read(self.descriptor, 4096)

    def close(self) -> None:
        """Close it, if nobody has."""
        if self._pipe is not None:
            self._pipe.close()
        self._pipe = None
