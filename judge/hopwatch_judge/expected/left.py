"""How far a sender had numbered its lanes when a receiver left."""

from collections.abc import Mapping
from typing import NamedTuple

from hopwatch_judge.case import Way
from hopwatch_judge.events import Progress
from hopwatch_judge.known import Known, by_key
from hopwatch_judge.optional import highest
from hopwatch_judge.thresholds import AT_ONCE, CLOCKS_TOLD_WITHIN, SOON_AFTER

WrittenAtEvents = Mapping[tuple[str, int], Mapping[int, list[Progress]]]
"""What a stream's sender wrote of each lane in one of its events: by stream and event, then by lane."""


class Reached(NamedTuple):
    """How far a lane had come when its receiver left, and how far for certain, whatever clocks differ by; None: not known."""

    then: int | None
    surely: int | None


def written_at_events(known: Known) -> WrittenAtEvents:
    """Return what senders wrote of their lanes, of those that saw a receiver leave."""
    leavers = {way.stream for way in known.case.ways if way.receiver_left_first and way.left_n is not None}
    readings = (each for each in known.case.progress if each.n is not None and each.stream in leavers)
    events = by_key(readings, lambda each: (each.stream, each.n or 0))
    return {event: by_key(written, lambda each: each.lane) for event, written in events.items()}


def reached_when_left(known: Known, way: Way, lane: int, events: WrittenAtEvents) -> Reached:
    """Return how far a lane had come when the way's receiver left."""
    if way.left_at is None:
        return Reached(None, None)
    course = known.course(way.stream, lane)
    then = highest((course.by(way.left_at), _written_when_seen_gone(way, way.left_at, lane, events)))
    if not way.left_elsewhere:
        return Reached(then, then)
    return Reached(then, course.by(way.left_at - CLOCKS_TOLD_WITHIN))


def _written_when_seen_gone(way: Way, left_at: float, lane: int, events: WrittenAtEvents) -> int | None:
    """Only the first event behind the disconnection is of it: the next may be of another disconnection, later."""
    if way.left_n is None:
        return None
    soon = range(way.left_n + 1, way.left_n + SOON_AFTER + 1)
    written = next((events[way.stream, n] for n in soon if (way.stream, n) in events), {})
    return highest(each.numbered for each in written.get(lane, ()) if each.at - left_at <= AT_ONCE)
