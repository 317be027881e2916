"""What several receivers behind one proxy miss together, and how far back on their ways that reaches."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hopwatch_judge.case import Edge
from hopwatch_judge.known import Known, by_key
from hopwatch_judge.placing.open_piece import OpenPiece
from hopwatch_judge.ranges import Range, coverage
from hopwatch_judge.steps import Expected, LaneOfReceiver, Missing

LaneOfEdge = tuple[str, int, Edge, int]
"""Stream, lane, hop, and the depth of that hop."""
Layer = tuple[int, int, int]
"""First, last, and how many hops share these numbers."""


class Segment(NamedTuple):
    """Numbers that all behind a hop miss who were owed them. ``run_first`` begins the unbroken run."""

    first: int
    last: int
    run_first: int


Shared = Mapping[LaneOfEdge, Sequence[Segment]]


def shared_segments(known: Known, expected: Expected, missing: Iterable[Missing]) -> Shared:
    """Return the numbers missing at every receiver behind a proxy that was owed them, by hop and lane.

    Receivers of which only counts are known say nothing of numbers, and are left out.
    """
    lacked = by_key(missing, lambda each: each.key)
    behind: defaultdict[LaneOfEdge, list[LaneOfReceiver]] = defaultdict(list)
    for key, owed in expected.owed.items():
        hops = () if owed.by_count else known.way[owed.stream, owed.receiver].hops[:-1]
        for depth, hop in enumerate(hops, 1):
            behind[owed.stream, owed.lane, hop.edge, depth].append(key)
    found: dict[LaneOfEdge, Sequence[Segment]] = {}
    for lane_of_edge, keys in behind.items():
        lacking = [(each.first, each.last) for key in keys for each in lacked.get(key, ())]
        if lacking:
            owing = [each for key in keys for each in expected.ranges.get(key, ())]
            found[lane_of_edge] = list(_missed_by_all(owing, lacking))
    return found


def _missed_by_all(owing: Iterable[Range], lacking: Iterable[Range]) -> Iterator[Segment]:
    """Yield the segments that as many lack as were owed them: one sweep over both kinds of ranges."""
    steps: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0])
    for layer, ranges in enumerate((owing, lacking)):
        for first, last in ranges:
            steps[first][layer] += 1
            steps[last + 1][layer] -= 1
    begun, run_first, adjoins = 0, 0, False
    owed = without = 0
    for position in sorted(steps):
        is_shared = without > 0 and without == owed
        if is_shared:
            run_first = run_first if adjoins else begun
            yield Segment(begun, position - 1, run_first)
        adjoins, begun = is_shared, position
        owed += steps[position][0]
        without += steps[position][1]


def cut_by_reach(known: Known, missing: Iterable[Missing], shared: Shared) -> Iterator[OpenPiece]:
    """Yield missing ranges in pieces of one depth each: that of the first hop behind which all miss it.

    Pieces whose first such hop is the last of the way are placed there.
    """
    for (stream, receiver, lane), ranges in by_key(missing, lambda each: each.key).items():
        way = known.way[stream, receiver]
        keys = [(stream, lane, hop.edge, depth) for depth, hop in enumerate(way.hops[:-1], 1)]
        segments = [segment for key in keys for segment in shared.get(key, ())]
        layers = list(coverage((each.first, each.last) for each in segments))
        for each in ranges:
            for first, last, hops in _stretches(each.first, each.last, layers):
                placed = None if hops else way.length
                piece = each._replace(first=first, last=last)
                yield OpenPiece(piece, way, way.length - hops, placed)


def _stretches(first: int, last: int, layers: Sequence[Layer]) -> Iterator[Layer]:
    """Yield all of a range, cut where the layers are."""
    at = bisect_left(layers, first, key=lambda layer: layer[1])
    while first <= last:
        begin, end, hops = layers[at] if at < len(layers) else (last + 1, last + 1, 0)
        if begin > first:
            end, hops = begin - 1, 0
        else:
            at += 1
        yield first, min(last, end), hops
        first = end + 1
