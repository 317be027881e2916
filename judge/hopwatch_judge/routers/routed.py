"""What ROUTERs swallowed: the sender knows it exactly, whether or not a receiver shows that it is missing."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hopwatch_judge.events import Swallowed
from hopwatch_judge.known import Known
from hopwatch_judge.ranges import Range, merged, rest_of
from hopwatch_judge.routers.numbers import StreamLane, messages_by_stream, swallowed_in
from hopwatch_judge.steps import Account, Missing

NO_SOCKET = ""
"""Stands for the receiving socket of messages whose peer was not there."""


def without_swallowed(
    known: Known, missing: Iterable[Missing], counts: Mapping[str, int]
) -> tuple[list[Missing], list[Account]]:
    """Return what is missing for other reasons, and accounts of all that ROUTERs swallowed.

    ``counts``: how many more are missing by stream, of which nothing tells which they are.
    """
    swallowed = swallowed_in(known)
    left: list[Missing] = []
    accounts: list[Account] = []
    missed: defaultdict[StreamLane, list[Range]] = defaultdict(list)
    for each in missing:
        lane = each.stream, each.lane
        runs = list(_within(swallowed.get(lane, ()), each.first, each.last))
        ranges = [(run.first, run.last) for run in runs]
        left += (
            each._replace(first=first, last=last) for first, last in rest_of(each.first, each.last, ranges)
        )
        accounts += (_account(run, each.receiver, known.way[each.key[:2]].hops[0].to_socket) for run in runs)
        missed[lane] += ranges
    in_no_lane = [run for run in known.case.swallowed if run.lane is None]
    nobodys = [*_rest(swallowed, missed), *in_no_lane, *untold(known, left, counts)]
    return left, [*accounts, *(_account(run, None, NO_SOCKET) for run in nobodys)]


def untold(known: Known, missing: Iterable[Missing], counts: Mapping[str, int]) -> list[Swallowed]:
    """Return what ROUTERs had counted as swallowed, and not told of, when their process ended.

    Events tell of a run as it doubles, so counters are ahead. What receivers miss otherwise may be among these: it is
    ``missing``, or of ``counts`` by stream.
    """
    ahead = messages_by_stream(known.case.swallowed)
    rest = {
        stream: totals.unroutable - ahead[stream] - counts.get(stream, 0)
        for stream, totals in known.case.totals.items()
        if _tells_no_more(known, stream)
    }
    for each in missing:
        if each.stream in rest:
            rest[each.stream] -= each.last - each.first + 1
    return [
        Swallowed(
            stream,
            None,
            sent := known.totals(stream).sent,
            sent + messages - 1,
            known.socket(stream).ended_at,
        )
        for stream, messages in rest.items()
        if messages > 0
    ]


def _tells_no_more(known: Known, stream: str) -> bool:
    """Return whether it is a ROUTER that ended without its last word.

    With ZMQ_ROUTER_MANDATORY it counts what was refused, and not taken.
    """
    socket = known.socket(stream)
    ended = socket.end in ("died", "exited")
    return socket.type == "ROUTER" and socket.probed and ended and not socket.mandatory


def _within(runs: Sequence[Swallowed], first: int, last: int) -> Iterator[Swallowed]:
    """Yield the parts of runs that the range holds."""
    at = bisect_left(runs, first, key=lambda run: run.last)
    while at < len(runs) and runs[at].first <= last:
        yield runs[at]._replace(first=max(first, runs[at].first), last=min(last, runs[at].last))
        at += 1


def _rest(
    swallowed: Mapping[StreamLane, Sequence[Swallowed]], missed: Mapping[StreamLane, Iterable[Range]]
) -> Iterator[Swallowed]:
    """Yield what is left of runs, without what receivers missed of them."""
    for lane, runs in swallowed.items():
        theirs = merged(missed.get(lane, ()))
        for run in runs:
            for first, last in rest_of(run.first, run.last, theirs):
                yield run._replace(first=first, last=last)


def _account(run: Swallowed, receiver: str | None, to_socket: str) -> Account:
    return Account(
        stream=run.stream,
        receiver=receiver,
        lane=run.lane,
        mark=f"{run.first}-{run.last}",
        messages=run.last - run.first + 1,
        depth=1,
        from_socket=run.stream,
        to_socket=to_socket,
        cause="unroutable",
        exact=True,
        started_at=run.at,
        ended_at=run.at,
    )
