"""How far a lane had been numbered at a moment."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate

from hopwatch_judge.events import Progress


class Course:
    """The readings of one lane in the order of their times: each question is one bisection."""

    def __init__(self, readings: Iterable[Progress]) -> None:
        self.readings = sorted(readings, key=lambda each: each.at)
        self._times = [each.at for each in self.readings]
        counts = [each.numbered for each in self.readings]
        self._most = list(accumulate(counts, max))
        self._least = list(accumulate(reversed(counts), min))[::-1]
        by_number = sorted(self.readings, key=lambda each: each.numbered)
        self._numbers = [each.numbered for each in by_number]
        self._latest = list(accumulate((each.at for each in by_number), max))
        self._soonest = list(accumulate((each.at for each in reversed(by_number)), min))[::-1]

    def by(self, moment: float | None) -> int | None:
        """The most that readings say until then, that moment included; None where none is so old."""
        if moment is None:
            return None
        at = bisect_right(self._times, moment)
        return self._most[at - 1] if at else None

    def behind(self, moment: float | None) -> int | None:
        """The least that readings say later than that; None where none is so new."""
        if moment is None:
            return None
        at = bisect_right(self._times, moment)
        return self._least[at] if at < len(self._least) else None

    def last_without(self, numbered: int) -> float | None:
        """When the last reading was taken that had come no further than that."""
        at = bisect_right(self._numbers, numbered)
        return self._latest[at - 1] if at else None

    def first_with(self, numbered: int) -> float | None:
        """When the first reading was taken that had come as far."""
        at = bisect_left(self._numbers, numbered)
        return self._soonest[at] if at < len(self._soonest) else None


NO_COURSE = Course(())
