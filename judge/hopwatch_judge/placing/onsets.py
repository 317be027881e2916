"""Onsets in ranges: at which messages a sender's pipe was full, and which of those messages are lost.

Each function takes the onsets of one lane, sorted by their numbers in that lane, and bisects them once for
each range.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from hopwatch_judge.events import Onset
from hopwatch_judge.optional import highest
from hopwatch_judge.ranges import Range, Ranges, merged, points_in


def met_at(onsets: Sequence[Onset], number: int) -> float | None:
    """Return when this very message of the lane met a full pipe; None where none is known to have."""
    return highest(onset.at for onset in _within(onsets, (number, number)))


def onsets_lost(onsets: Sequence[Onset], lost: Ranges) -> Iterator[int]:
    """Yield the stream's numbers of the onsets whose own message is in the lost ranges."""
    for each in lost:
        yield from (onset.number for onset in _within(onsets, each))


def onsets_in_sparse_gaps(
    onsets: Sequence[Onset], gaps: Iterable[tuple[int | None, int | None]]
) -> Iterator[int]:
    """Yield the stream's numbers of the onsets whose own message may be lost in a gap of sparse stamps.

    Such a gap does not say which messages it lacks. ``gaps`` are the stream's numbers of the messages around
    each; gaps may overlap, and come in any order.
    """
    numbers = sorted(onset.number for onset in onsets)
    inside = ((before + 1, after - 1) for before, after in gaps if before is not None and after is not None)
    for first, last in merged(inside):
        yield from points_in(numbers, first, last)


def latest_between(numbers: Sequence[int], before: int | None, after: int | None) -> int | None:
    """Return the last of the sorted numbers strictly between these two; None where there is none."""
    if before is None or after is None:
        return None
    at = bisect_left(numbers, after)
    return numbers[at - 1] if at and numbers[at - 1] > before else None


def _within(onsets: Sequence[Onset], place: Range) -> Sequence[Onset]:
    first, last = place
    begin = bisect_left(onsets, first, key=_lane_number)
    return onsets[begin : bisect_right(onsets, last, begin, key=_lane_number)]


def _lane_number(onset: Onset) -> int:
    return onset.lane_number or 0
