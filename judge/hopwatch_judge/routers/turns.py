"""Lanes of a ROUTER that went to several owners of one routing id: nobody is owed what was sent in another's turn.

With ZMQ_ROUTER_HANDOVER the former owner stays connected, and may end long after the later one came.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from hopwatch_judge.events import Gap
from hopwatch_judge.known import Known, by_key
from hopwatch_judge.optional import exceeds, highest
from hopwatch_judge.ranges import Range, Ranges, merged, rest_of, touches, without
from hopwatch_judge.routers.numbers import StreamLane, stamps
from hopwatch_judge.steps import LaneOfReceiver, Owed


@dataclass(frozen=True, slots=True)
class _Share:
    """What one of several owners got of a lane: ``runs`` of numbers, with ``gaps`` between those.

    ``whole``: its first number and its last.
    """

    key: LaneOfReceiver
    whole: Range
    gaps: Ranges
    runs: Ranges


def in_turns(
    known: Known,
    owed: Mapping[LaneOfReceiver, Owed],
    located: AbstractSet[LaneOfReceiver],
    gaps: Mapping[LaneOfReceiver, Sequence[Gap]],
) -> tuple[dict[LaneOfReceiver, Owed], dict[LaneOfReceiver, list[Range]]]:
    """Return what is owed, and by receiver the numbers that were for others.

    A lane is owed up to the next number that another one got of it. It is contested where that is less, and where it
    is ``located``: then it may have been another's. ``gaps`` are rows of all actions.
    """
    shares = _shares(known, owed, gaps)
    starts = {lane: sorted(run[0] for each in theirs for run in each.runs) for lane, theirs in shares.items()}
    silent = _silent_successors(known)
    due: dict[LaneOfReceiver, Owed] = {}
    for key, each in owed.items():
        bounded = _bounded(each, starts.get(_lane(key), ()), is_located=key in located)
        due[key] = _unsure_since(bounded, silent.get(each.stream))
    others = by_key([*_in_turns_of_others(shares), *_of_earlier_owners(known, due)], lambda each: each[0])
    return due, {key: merged(each for _, each in theirs) for key, theirs in others.items()}


def _shares(
    known: Known, owed: Mapping[LaneOfReceiver, Owed], gaps: Mapping[LaneOfReceiver, Sequence[Gap]]
) -> dict[StreamLane, list[_Share]]:
    """Return who got what of lanes of stamping ROUTERs that several got something of."""
    got = (
        each for each in owed.values() if each.count > 0 and each.length == 1 and stamps(known, each.stream)
    )
    lanes = by_key(got, lambda each: _lane(each.key))
    return {
        lane: [_share(each, gaps.get(each.key, ())) for each in theirs]
        for lane, theirs in lanes.items()
        if len(theirs) > 1
    }


def _share(owed: Owed, gaps: Iterable[Gap]) -> _Share:
    own_gaps = [(gap.first, gap.last) for gap in gaps if gap.action == "gap"]
    runs = list(rest_of(owed.first, owed.next - 1, merged(own_gaps)))
    return _Share(owed.key, (owed.first, owed.next - 1), own_gaps, runs)


def _bounded(owed: Owed, starts: Sequence[int], *, is_located: bool) -> Owed:
    """Return it with its ends at the next of ``starts``, where runs of others begin: its own lie before."""
    at = bisect_left(starts, owed.next)
    if at == len(starts):
        return replace(owed, contested=True) if is_located else owed
    end, sure_end = min(owed.end, starts[at]), min(owed.sure_end, starts[at])
    return replace(owed, end=end, sure_end=sure_end, contested=is_located or end < owed.end)


def _unsure_since(owed: Owed, came_at: float | None) -> Owed:
    """Return it with its tail unsure, if it was sent since somebody came who may as well have been sent it."""
    return replace(owed, sure_end=owed.next) if exceeds(came_at, owed.newest_sent_at) else owed


def _silent_successors(known: Known) -> dict[str, float]:
    """Return when somebody who got nothing of its stream came last to a ROUTER with ZMQ_ROUTER_HANDOVER."""
    found: dict[str, float] = {}
    for way in known.case.ways:
        if not known.socket(way.stream).hands_over or (way.stream, way.receiver) in known.receipts_of:
            continue
        link = known.link((way.stream, way.receiver))
        came_at = highest((found.get(way.stream), link.connected_at, *(down.end for down in link.downs)))
        if came_at is not None:
            found[way.stream] = came_at
    return found


def _in_turns_of_others(
    shares: Mapping[StreamLane, Sequence[_Share]],
) -> Iterator[tuple[LaneOfReceiver, Range]]:
    """Yield numbers that were sent in the turns of others.

    What one lacks within its own turn stays its own loss, unless another one got some of just that.
    """
    for theirs in shares.values():
        for each in theirs:
            if each.runs:
                taken = merged(
                    part for other in theirs if other is not each for part in _turn_beside(other, each)
                )
                yield from ((each.key, part) for part in without(taken, each.runs))


def _turn_beside(other: _Share, one: _Share) -> Iterator[Range]:
    """Return all from the other's first number to its last, but for its gaps of which this one got some."""
    first, last = one.whole
    near = other.gaps[bisect_left(other.gaps, first, key=_last) : bisect_right(other.gaps, last, key=_first)]
    return rest_of(*other.whole, merged(gap for gap in near if touches(*gap, one.runs)))


def _of_earlier_owners(
    known: Known, owed: Mapping[LaneOfReceiver, Owed]
) -> Iterator[tuple[LaneOfReceiver, Range]]:
    """Yield numbers before a receiver's first that earlier owners of its routing id were owed."""
    of_routers = (each for each in owed.values() if known.socket(each.stream).type == "ROUTER")
    for theirs in by_key(of_routers, lambda each: _lane(each.key)).values():
        reached = 0
        for each in sorted(theirs, key=lambda each: (each.first, each.receiver)):
            last = min(reached, each.first) - 1
            if last >= 0:
                yield each.key, (0, last)
            reached = max(reached, each.end)


def _lane(key: LaneOfReceiver) -> StreamLane:
    stream, _, lane = key
    return stream, lane


def _first(each: Range) -> int:
    return each[0]


def _last(each: Range) -> int:
    return each[1]
