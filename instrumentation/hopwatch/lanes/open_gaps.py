"""Numbers that are missing from a lane, and may still arrive late."""

from collections import deque

GAPS_REMEMBERED = 64


class OpenGaps:
    """The last gaps of one lane, each from its first number to its last one."""

    __slots__ = ("_gaps",)

    def __init__(self) -> None:
        self._gaps: deque[tuple[int, int]] = deque(maxlen=GAPS_REMEMBERED)

    def add(self, first: int, last: int) -> None:
        """These numbers are missing; the gap furthest back is forgotten where there are too many."""
        self._gaps.append((first, last))

    def fill(self, number: int) -> bool:
        """A number has arrived late; returns whether it was missing, which it is no more."""
        gap = next((gap for gap in self._gaps if gap[0] <= number <= gap[1]), None)
        if gap is None:
            return False
        self._gaps.remove(gap)
        parts = ((gap[0], number - 1), (number + 1, gap[1]))
        self._gaps.extend(part for part in parts if part[0] <= part[1])
        return True
