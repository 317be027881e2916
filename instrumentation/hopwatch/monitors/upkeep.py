"""Keeps the files of the journal as they should be, whatever a cleaner of ``/tmp`` does to them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from hopwatch.errors import JournalError
from hopwatch.journal.journal import FileJournal

SECONDS = 2.0


@dataclass(frozen=True, eq=False)
class Upkeep:
    """A chore of the monitor thread."""

    journal: FileJournal
    is_over: Callable[[], bool]

    @property
    def over(self) -> bool:
        """Whether the monitor thread ends."""
        return self.is_over()

    def run(self) -> float:
        """Look after the files. A disk that is full, or a directory that may not be made, may be better the next time."""
        with suppress(JournalError, OSError):
            self.journal.keep_up()
        return SECONDS
