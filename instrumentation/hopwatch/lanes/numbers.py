"""What a number that a message carries says: next, ahead of a gap, late, twice, or the beginning of a new numbering.

Senders that number their messages begin again when they restart, and no message says so. What is taken for a restart is a number
that goes back to 0; or near it, or by more than ``RECENT``; or three in a row that were there already. A number that was among the
last ones received is a duplicate, one that a remembered gap lacks is late. Not to be told apart: a restart whose
first message that arrives has a number above the last one (it reads as a gap), and a restart of a lane of which no more than a
few numbers had come (it may read as duplicates).
"""

from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto

RECENT = 64
GAPS_REMEMBERED = 64
RUN_OF_A_RESTART = 3
WRAPS_WITHIN = 1 << 16
FURTHEST = 1 << 48
"""More messages than this nobody sends between two that arrive: what is further on is of another numbering."""


def furthest(modulus: int) -> int:
    """How far ahead of the number that was due another one may be, and still be of its numbering."""
    return min(modulus // 2, FURTHEST)


class Verdict(Enum):
    """What a number is."""

    NEXT = auto()
    """The one that was due."""
    GAP = auto()
    """Further on: those between are missing."""
    LATE = auto()
    """One of an earlier gap."""
    EARLY = auto()
    """From before the first one that came: out of order, and nobody had missed it."""
    DUPLICATE = auto()
    """It was there already."""
    RESTART = auto()
    """The first of a new numbering."""


class OpenGaps:
    """The numbers that are missing from one lane, and may still arrive late: its last gaps, each from its first number to its last one."""

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


@dataclass(slots=True)
class NumberLine:
    """The numbers of one lane from where they began; ``first`` and ``next`` go on counting where the carried ones wrap."""

    modulus: int
    first: int
    next: int = field(init=False)
    recent: deque[int] = field(init=False)
    open_gaps: OpenGaps = field(default_factory=OpenGaps)
    received: int = 1
    repeated: int = 0
    repeated_last: int = -1

    def __post_init__(self) -> None:
        """The first message has come, and carries the first number."""
        self.next = self.first + 1
        self.recent = deque((self.first,), maxlen=RECENT)

    def take(self, number: int) -> tuple[Verdict, int, int]:
        """Place one carried number: a verdict, and the numbers that it is about, ``first`` to ``last`` (RESTART: where it began)."""
        due = self.next % self.modulus
        ahead = (number - due) % self.modulus
        reach = furthest(self.modulus) if number >= due else min(WRAPS_WITHIN, self.modulus // 4)
        if ahead <= reach:
            return self._onward(number, ahead)
        return self._back(number, self.next - (self.modulus - ahead))

    def _onward(self, number: int, ahead: int) -> tuple[Verdict, int, int]:
        first, self.next = self.next, self.next + ahead + 1
        self._received(number)
        if not ahead:
            return Verdict.NEXT, first, first
        self.open_gaps.add(first, first + ahead - 1)
        return Verdict.GAP, first, first + ahead - 1

    def _received(self, number: int) -> None:
        self.recent.append(number)
        self.received += 1
        self.repeated = 0

    def _back(self, number: int, place: int) -> tuple[Verdict, int, int]:
        if place == self.first - 1 and self.received < RUN_OF_A_RESTART:
            self._received(number)
            self.first = place
            return Verdict.EARLY, place, place
        if self.open_gaps.fill(place):
            self._received(number)
            return Verdict.LATE, place, place
        if number == 0 and number not in list(self.recent)[-2:]:
            return Verdict.RESTART, number, number
        if number in self.recent:
            return self._again(number, place)
        if number >= RECENT and self.next - place <= RECENT:
            return Verdict.EARLY, place, place
        return Verdict.RESTART, number, number

    def _again(self, number: int, place: int) -> tuple[Verdict, int, int]:
        follows = self.repeated > 0 and number == (self.repeated_last + 1) % self.modulus
        self.repeated = self.repeated + 1 if follows else 1
        self.repeated_last = number
        if self.repeated == RUN_OF_A_RESTART:
            return Verdict.RESTART, number - RUN_OF_A_RESTART + 1, number
        return Verdict.DUPLICATE, place, place
