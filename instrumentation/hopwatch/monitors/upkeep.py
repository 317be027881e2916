"""Keeps the files of the journal as they should be, whatever a cleaner of ``/tmp`` does to them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from hopwatch.journal.journal import FileJournal
from hopwatch.monitors.room import spare_descriptors

SECONDS = 2.0


@dataclass(frozen=True, eq=False)
class Upkeep:
    """A chore of the monitor thread."""

    journal: FileJournal
    is_over: Callable[[], bool]
    since: float = field(default_factory=time.monotonic)

    @property
    def over(self) -> bool:
        """Whether the monitor thread ends."""
        return self.is_over()

    def run(self) -> float:
        """Look after the files, which takes two descriptors for a moment: not while the application uses its reserve, or begins."""
        if time.monotonic() - self.since >= SECONDS and spare_descriptors() >= 0:
            self.journal.keep_up()
        return SECONDS
