"""Times at which an analysis tells of losses, so kept that it costs little to ask for one of them."""

from bisect import bisect_right
from collections.abc import Iterable
from datetime import datetime

Span = tuple[datetime, datetime]


class Spans:
    """Spans of time; those that meet are one."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._begins: list[datetime] = []
        self._ends: list[datetime] = []
        for began, ended in sorted(spans):
            if self._ends and began <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], ended)
            else:
                self._begins.append(began)
                self._ends.append(ended)

    def meet(self, began: datetime, ended: datetime) -> bool:
        """Whether any of them has a moment with this one in common."""
        before = bisect_right(self._begins, ended)
        return before > 0 and self._ends[before - 1] >= began
