"""Whose a ROUTER's lane is that nobody got anything of: the only peer's that has not got what was its own."""

from collections import Counter
from collections.abc import Mapping, Sequence

from hopwatch_judge.events import Accepted
from hopwatch_judge.known import Known, by_key
from hopwatch_judge.ranges import merged, rest_of
from hopwatch_judge.routers.numbers import StreamLane, messages_by_stream, numbered, swallowed_in
from hopwatch_judge.steps import LaneOfReceiver


def sole_owners(known: Known) -> frozenset[LaneOfReceiver]:
    """Return lanes whose receiver is known though it got nothing of them: all others have what was theirs.

    A ROUTER that only accepts connections, and tells what it swallowed, has at most one other lane for each.
    """
    connections = by_key(known.case.accepted, lambda each: each.router)
    told = messages_by_stream(known.case.swallowed)
    found: set[LaneOfReceiver] = set()
    for stream, lanes in _lanes_of_nobody(known).items():
        of_stream = connections.get(stream, ())
        to_spare = _connections_to_spare(known, stream, of_stream)
        enough = len(to_spare) == 1 and len(lanes) <= sum(to_spare.values())
        if enough and not _may_have_others(known, stream, of_stream, told[stream]):
            found.update((stream, receiver, lane) for receiver in to_spare for _, lane in lanes)
    return frozenset(found)


def _lanes_of_nobody(known: Known) -> Mapping[str, Sequence[StreamLane]]:
    """Return by stream the lanes of which nobody got anything, and not all was swallowed."""
    got = {(each.stream, each.lane) for each in known.case.receipts}
    swallowed = swallowed_in(known)
    left = []
    for lane, sent in numbered(known).items():
        gone = merged((run.first, run.last) for run in swallowed.get(lane, ()))
        if lane not in got and any(rest_of(0, sent - 1, gone)):
            left.append(lane)
    return by_key(left, lambda lane: lane[0])


def _connections_to_spare(known: Known, stream: str, connections: Sequence[Accepted]) -> dict[str, int]:
    """Return how many more connections than lanes a receiver had, of receivers that had more."""
    counts = Counter(each.peer for each in connections if each.peer is not None)
    spare = {peer: count - len(known.receipts_of.get((stream, peer), ())) for peer, count in counts.items()}
    return {peer: count for peer, count in spare.items() if count > 0}


def _may_have_others(known: Known, stream: str, connections: Sequence[Accepted], told: int) -> bool:
    """Return whether it may have had a peer that is not known, or have swallowed more than it told of."""
    socket = known.socket(stream)
    return (
        any(not each.accepted or each.peer is None for each in connections)
        or socket.calls_or_is_local
        or socket.unwatched
        or not socket.probed
        or socket.is_proxy
        or any(way.length > 1 for way in known.ways_of.get(stream, ()))
        or known.totals(stream).unroutable > told
    )
