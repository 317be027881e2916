"""Arithmetic on sorted, disjoint ranges of numbers, both ends included, without ever listing the numbers.

Each operation is one sweep over both sides, so that a million ranges against a million cost two million steps.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

Range = tuple[int, int]
"""First and last."""
Ranges = Sequence[Range]
"""Sorted, and none touches another's numbers."""


def length(ranges: Iterable[Range]) -> int:
    """How many numbers they hold."""
    return sum(last - first + 1 for first, last in ranges)


def merged(ranges: Iterable[Range]) -> list[Range]:
    """Any ranges, sorted and put together where they overlap or adjoin; empty ones (first > last) are left out."""
    found: list[Range] = []
    for first, last in sorted(each for each in ranges if each[0] <= each[1]):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


def without(ranges: Iterable[Range], holes: Ranges) -> Iterator[Range]:
    """What is left of each of the sorted ranges when the holes are taken out."""
    for first, last in ranges:
        yield from rest_of(first, last, holes)


def rest_of(first: int, last: int, holes: Ranges) -> Iterator[Range]:
    """What is left of one range when the holes are taken out; finds its first hole by bisection."""
    at = bisect_left(holes, first, key=_last)
    while at < len(holes) and holes[at][0] <= last:
        hole_first, hole_last = holes[at]
        if hole_first > first:
            yield first, hole_first - 1
        first = hole_last + 1
        at += 1
    if first <= last:
        yield first, last


def common(first: int, last: int, others: Ranges) -> Iterator[Range]:
    """The parts of one range that the others hold as well."""
    at = bisect_left(others, first, key=_last)
    while at < len(others) and others[at][0] <= last:
        yield max(first, others[at][0]), min(last, others[at][1])
        at += 1


def touches(first: int, last: int, others: Ranges) -> bool:
    """Whether any number of the range is in the others."""
    at = bisect_left(others, first, key=_last)
    return at < len(others) and others[at][0] <= last


def points_in(points: Sequence[int], first: int, last: int) -> Sequence[int]:
    """Those of the sorted points that the range holds."""
    return points[bisect_left(points, first) : bisect_right(points, last)]


def coverage(ranges: Iterable[Range]) -> Iterator[tuple[int, int, int]]:
    """Any ranges as segments (first, last, how many of them hold it), in order; what none holds is left out."""
    steps: dict[int, int] = {}
    for first, last in ranges:
        steps[first] = steps.get(first, 0) + 1
        steps[last + 1] = steps.get(last + 1, 0) - 1
    begun, times = 0, 0
    for position in sorted(steps):
        if times:
            yield begun, position - 1, times
        begun, times = position, times + steps[position]


def _last(each: Range) -> int:
    return each[1]
