"""Messages sent since the host of an open receiver was last heard of: they may have come there."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from hopwatch_judge.case import Way
from hopwatch_judge.known import Known
from hopwatch_judge.optional import exceeds, lowest
from hopwatch_judge.steps import IN_FLIGHT, Account


def unheard(known: Known, stream: str) -> dict[int, int]:
    """Return by lane how many messages no receiver had, and may have been sent since then."""
    heard_until = lowest(known.socket(way.receiver).heard_until for way in known.ways_of[stream])
    behind = [lane for lane in known.lanes_of[stream] if exceeds(lane.moved_at, heard_until)]
    came = _came(known, stream) if behind else Counter[int]()
    counts = {}
    for lane in behind:
        sent_by_then = known.course(stream, lane.lane).by(heard_until)
        counts[lane.lane] = lane.sent - max(sent_by_then or 0, came[lane.lane] + lane.unused)
    return {lane: messages for lane, messages in counts.items() if messages > 0}


def unheard_accounts(known: Known, stream: str, counts: Mapping[int, int]) -> Iterator[Account]:
    """Return them as in flight: on the last hop to the only receiver, or on none where there are several."""
    only = _only(known.ways_of[stream])
    for lane, messages in counts.items():
        yield Account(
            stream=stream,
            receiver=only.receiver if only else None,
            lane=lane,
            mark="untold",
            messages=messages,
            depth=only.length if only else None,
            from_socket=only.last.from_socket if only else None,
            to_socket=only.last.to_socket if only else None,
            cause=IN_FLIGHT,
            exact=False,
        )


def _came(known: Known, stream: str) -> Counter[int]:
    """Count by lane how many messages came, to all receivers."""
    found = Counter[int]()
    for way in known.ways_of[stream]:
        for receipt in known.receipts_of.get((stream, way.receiver), ()):
            found[receipt.lane] += receipt.count + receipt.since
    return found


def _only(ways: Sequence[Way]) -> Way | None:
    return ways[0] if len(ways) == 1 else None
