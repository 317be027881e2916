"""How far each receiver got: in a lane, and in all lanes of its way together."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate

from hopwatch_judge.known import by_key
from hopwatch_judge.optional import highest, lowest
from hopwatch_judge.steps import LaneOfReceiver, Owed

WHOLE_STREAM_LANE = 4294967295
"""The lane that all share which found no lane of their own: it says nothing of when they began."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a receiver has of a lane, and of its way.

    ``joined_before``: it got a lane of the stream that had begun earlier, and was subscribed to no earlier, from its number 0 on.
    ``joined_midway``: it lacks the beginning of a lane. ``reached`` is the sum of the numbers that it expects next, ``pace`` seconds a message.
    """

    owed: Owed
    way_moved_at: float | None
    way_newest_sent_at: float | None
    joined_before: bool
    joined_midway: bool
    got_of_stream: int
    reached: int
    pace: float | None


def standings(owed: Mapping[LaneOfReceiver, Owed]) -> dict[LaneOfReceiver, Standing]:
    """By stream, receiver and lane."""
    ways = by_key(owed.values(), lambda each: (each.stream, each.receiver))
    return {standing.owed.key: standing for lanes in ways.values() for standing in _of_way(lanes)}


def _of_way(lanes: list[Owed]) -> Iterable[Standing]:
    moved_at = highest(each.moved_at for each in lanes)
    began_at = lowest(each.got_first_at for each in lanes)
    came = sum(each.count for each in lanes)
    took = None if moved_at is None or began_at is None or came == 1 else moved_at - began_at
    first_from_start = _first_lane_from_its_start(lanes)
    for each in lanes:
        began_earlier = first_from_start[_subscribed(each)]
        yield Standing(
            owed=each,
            way_moved_at=moved_at,
            way_newest_sent_at=highest(lane.newest_sent_at for lane in lanes),
            joined_before=each.lane != WHOLE_STREAM_LANE and began_earlier < each.lane,
            joined_midway=any(_got_some(lane) and lane.first > 0 for lane in lanes),
            got_of_stream=came,
            reached=sum(lane.next for lane in lanes),
            pace=None if took is None else took / (came - 1),
        )


def _first_lane_from_its_start(lanes: list[Owed]) -> dict[float, int]:
    """By when a lane was subscribed to: the lowest lane, subscribed to no earlier, that came from its number 0 on."""
    nothing = WHOLE_STREAM_LANE + 1
    in_turn = sorted(lanes, key=_subscribed, reverse=True)
    lowest_yet = accumulate(
        (each.lane if _got_some(each) and each.first == 0 else nothing for each in in_turn), min
    )
    return dict(zip(map(_subscribed, in_turn), lowest_yet, strict=True))


def _subscribed(each: Owed) -> float:
    return each.subscribed_at or 0.0


def _got_some(each: Owed) -> bool:
    return each.count > 0 and not each.by_count
