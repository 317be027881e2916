"""What a stamping ROUTER had a peer for that never got it, and of which no receiver tells.

Each number of its lanes is owed to somebody, was swallowed, or is among these: so its books add up.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from hopwatch_judge.events import Swallowed
from hopwatch_judge.known import Known
from hopwatch_judge.ranges import Range, Ranges, length, merged, rest_of
from hopwatch_judge.routers.numbers import StreamLane, messages_by_stream, numbered, swallowed_in
from hopwatch_judge.steps import IN_FLIGHT, UNEXPLAINED, Account, LaneOfReceiver


def unreached(
    known: Known,
    owed: Mapping[LaneOfReceiver, Ranges],
    unheard: Mapping[LaneOfReceiver, Ranges],
    untold: Iterable[Swallowed],
) -> list[Account]:
    """Return accounts of numbers that are not owed to anybody, nor among those unheard of, nor swallowed.

    They are in flight while their ROUTER is there, and a receiver that has not got what was its own. So is what a
    ROUTER that is there has counted, and not told of yet. What was swallowed ``untold`` has accounts already.
    """
    swallowed = _swallowed_in_lanes(known, untold)
    found: list[Account] = []
    for stream, messages in _nobodys(known, owed, unheard).items():
        gone = min(messages, swallowed[stream])
        is_open = known.socket(stream).end == "open"
        causes = Counter({IN_FLIGHT: gone if is_open else 0})
        causes[IN_FLIGHT if is_open and _waits(known, stream) else UNEXPLAINED] += messages - gone
        found += (_account(stream, cause, count) for cause, count in (+causes).items())
    return found


def _nobodys(
    known: Known, owed: Mapping[LaneOfReceiver, Ranges], unheard: Mapping[LaneOfReceiver, Ranges]
) -> Counter[str]:
    """Return how many numbers of each stream are nobody's."""
    taken: defaultdict[StreamLane, list[Range]] = defaultdict(list)
    lanes = numbered(known)
    for (stream, _, lane), ranges in (*owed.items(), *unheard.items()):
        if (stream, lane) in lanes:
            taken[stream, lane] += ranges
    for of_lane, runs in swallowed_in(known).items():
        taken[of_lane] += ((run.first, run.last) for run in runs)
    found: Counter[str] = Counter()
    for (stream, lane), sent in lanes.items():
        found[stream] += length(rest_of(0, sent - 1, merged(taken[stream, lane])))
    return found


def _swallowed_in_lanes(known: Known, untold: Iterable[Swallowed]) -> Counter[str]:
    """Return how many numbers of lanes ROUTERs swallowed without an event, by stream."""
    at_the_end = messages_by_stream(untold)
    told = messages_by_stream(known.case.swallowed)
    told_in_no_lane = messages_by_stream(run for run in known.case.swallowed if run.lane is None)
    found: Counter[str] = Counter()
    for stream, totals in known.case.totals.items():
        socket = known.socket(stream)
        if socket.mandatory:  # it counts what was refused, and not taken
            continue
        not_told = totals.unroutable - told[stream] if socket.end == "open" else at_the_end[stream]
        in_lanes = sum(lane.sent for lane in known.lanes_of.get(stream, ()))
        in_no_lane = totals.sent - in_lanes - told_in_no_lane[stream]
        found[stream] = max(0, not_told) - max(0, in_no_lane)
    return +found


def _waits(known: Known, stream: str) -> bool:
    """Return whether a receiver is there that got nothing of the stream, or came back."""
    return any(_has_to_get_some(known, stream, way.receiver) for way in known.ways_of.get(stream, ()))


def _has_to_get_some(known: Known, stream: str, receiver: str) -> bool:
    socket, link = known.case.sockets.get(receiver), known.link((stream, receiver))
    is_there = socket is not None and socket.end == "open" and not link.is_down
    return is_there and ((stream, receiver) not in known.receipts_of or bool(link.downs))


def _account(stream: str, cause: str, messages: int) -> Account:
    return Account(
        stream=stream,
        receiver=None,
        lane=0,
        mark="unreached",
        messages=messages,
        depth=1,
        from_socket=stream,
        to_socket=None,
        cause=cause,
        exact=False,
    )
