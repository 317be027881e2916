"""What the monitor thread does besides draining monitors."""

from __future__ import annotations

from typing import Protocol


class Chore(Protocol):
    """Something to do again and again."""

    @property
    def over(self) -> bool:
        """Whether it need not be done any more."""

    def run(self) -> float | None:
        """Do it, without waiting; in how many seconds, about, to do it again. None: it is over."""
