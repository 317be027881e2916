"""Numbers that ROUTERs gave their messages, and those that they swallowed."""

from collections import Counter
from collections.abc import Iterable

from hopwatch_judge.events import Swallowed
from hopwatch_judge.known import Known

StreamLane = tuple[str, int]
"""Stream and lane."""
WHOLE_STREAM_LANE = 4294967295
"""The lane that all peers share which found no lane of their own."""


def stamps(known: Known, socket: str) -> bool:
    """Return whether it is a ROUTER whose messages carry stamps."""
    router = known.socket(socket)
    return router.type == "ROUTER" and router.sequence == "stamp"


def numbered(known: Known) -> dict[StreamLane, int]:
    """Return how many numbers stamping ROUTERs gave, by lane of one peer. Unchecked lanes are left out."""
    not_checked = {(stream, lane) for stream, _, lane in known.case.not_checked}
    return {
        (lane.stream, lane.lane): lane.sent
        for lane in known.case.lanes
        if lane.lane != WHOLE_STREAM_LANE
        and stamps(known, lane.stream)
        and (lane.stream, lane.lane) not in not_checked
    }


def swallowed_in(known: Known) -> dict[StreamLane, list[Swallowed]]:
    """Return swallowed runs by lane, in the order of their numbers. Those without a lane are left out."""
    found: dict[StreamLane, list[Swallowed]] = {}
    for run in sorted(known.case.swallowed, key=lambda run: (run.first, run.last)):
        if run.lane is not None:
            found.setdefault((run.stream, run.lane), []).append(run)
    return found


def messages_by_stream(runs: Iterable[Swallowed]) -> Counter[str]:
    """Return how many messages the runs are."""
    found: Counter[str] = Counter()
    for run in runs:
        found[run.stream] += run.last - run.first + 1
    return found
