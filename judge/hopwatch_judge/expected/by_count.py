"""What counts alone tell: how many messages are missing, and never which."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from hopwatch_judge.case import Socket, Way
from hopwatch_judge.known import Known, by_key
from hopwatch_judge.optional import highest
from hopwatch_judge.progress import NO_COURSE, Course
from hopwatch_judge.ranges import Range
from hopwatch_judge.steps import IN_FLIGHT, UNEXPLAINED, Account, LaneOfReceiver, Owed


def before_joining(known: Known, owed: Mapping[LaneOfReceiver, Owed]) -> dict[LaneOfReceiver, Range]:
    """Return the numbers of lanes that receivers have by count which were sent before the receiver was there, by the sender's samples."""
    by_count = [each for each in owed.values() if each.by_count]
    courses = _sampled(known, {(each.stream, each.lane) for each in by_count})
    found: dict[LaneOfReceiver, Range] = {}
    for each in by_count:
        link = known.link(known.way[each.stream, each.receiver].last.edge)
        joined_at = highest((link.connected_at, each.subscribed_at))
        sent_then = courses.get((each.stream, each.lane), NO_COURSE).by(joined_at)
        if sent_then is not None and min(sent_then, each.end - each.count) > 0:
            found[each.key] = 0, min(sent_then, each.end - each.count) - 1
    return found


def unlocated(
    known: Known,
    owed: Mapping[LaneOfReceiver, Owed],
    short: Mapping[LaneOfReceiver, int],
    unheard: Mapping[LaneOfReceiver, int],
) -> Iterator[Account]:
    """Yield accounts of messages of which nothing tells which they are.

    ``short``: how many each receiver lacks. Of lanes that are known by count as many as their queues hold may be in flight, while the receiver is there to
    get them. ``unheard``: how many may have come since receivers' hosts told of anything, and are in flight for all that is known.
    """
    found: defaultdict[tuple[LaneOfReceiver, str], int] = defaultdict(int)
    for key, in_flight in _in_flight(known, owed, short):
        found[key, IN_FLIGHT] += in_flight
        found[key, UNEXPLAINED] += short[key] - in_flight
    for key, messages in unheard.items():
        found[key, IN_FLIGHT] += messages
    for (key, cause), messages in found.items():
        if messages > 0:
            yield _account(known.way[key[:2]], key, cause, messages)


def _sampled(known: Known, lanes: set[tuple[str, int]]) -> dict[tuple[str, int], Course]:
    samples = (
        each for each in known.case.progress if each.kind == "sample" and (each.stream, each.lane) in lanes
    )
    return {
        lane: Course(found) for lane, found in by_key(samples, lambda each: (each.stream, each.lane)).items()
    }


def _in_flight(
    known: Known, owed: Mapping[LaneOfReceiver, Owed], short: Mapping[LaneOfReceiver, int]
) -> Iterator[tuple[LaneOfReceiver, int]]:
    """Yield how many of those that receivers lack may be in flight. The queues' room is shared by all lanes of a way."""
    for (stream, receiver), lanes in by_key(sorted(short), lambda key: key[:2]).items():
        room = _room(known.way[stream, receiver], known.socket(stream), known.socket(receiver))
        for key in lanes:
            held = short[key] if room is None else max(0, min(short[key], room))
            yield key, held if owed[key].by_count and _may_come(known, owed[key]) else 0
            room = None if room is None else room - short[key]


def _room(way: Way, sender: Socket, receiver: Socket) -> int | None:
    """Return how many the two queues of a direct way hold; None: there is no bound to that."""
    if way.length > 1 or not sender.sndhwm or not receiver.rcvhwm:
        return None
    return sender.sndhwm + receiver.rcvhwm


def _may_come(known: Known, owed: Owed) -> bool:
    moving = owed.moved_at is not None and known.case.ends_at - owed.moved_at <= known.case.guard
    is_there = known.socket(owed.receiver).ended_at is None
    return is_there and (moving or known.socket(owed.stream).ended_at is None)


def _account(way: Way, key: LaneOfReceiver, cause: str, messages: int) -> Account:
    stream, receiver, lane = key
    return Account(
        stream=stream,
        receiver=receiver,
        lane=lane,
        mark=receiver,
        messages=messages,
        depth=way.length,
        from_socket=way.last.from_socket,
        to_socket=way.last.to_socket,
        cause=cause,
        exact=False,
    )
