"""Streams that no known receiver got anything of: what became of the messages that their sockets accepted."""

from collections.abc import Iterable

from hopwatch_judge.case import Socket
from hopwatch_judge.known import Known
from hopwatch_judge.optional import first_of, highest, lowest
from hopwatch_judge.socket_types import PUBLISHING_TYPES
from hopwatch_judge.steps import IN_FLIGHT, UNEXPLAINED, Account


def accounts(known: Known) -> Iterable[Account]:
    """Their accounts. A publisher that nobody was connected to owes nobody; what a ROUTER could not route is told elsewhere."""
    for stream, lanes in known.lanes_of.items():
        socket = known.socket(stream)
        messages = sum(lane.messages for lane in lanes)
        if stream in known.ways_of or socket.type in (None, "ROUTER") or messages <= 0:
            continue
        if socket.never_connected and socket.type in PUBLISHING_TYPES:
            continue
        cause, exact = _what_became_of_it(socket)
        ended_at = first_of(socket.ended_at, highest(lane.moved_at for lane in lanes))
        yield Account(
            stream=stream,
            receiver=None,
            lane=0,
            mark="nobody",
            messages=messages,
            depth=1,
            from_socket=stream,
            to_socket=None,
            cause=cause,
            exact=exact,
            started_at=lowest((socket.opened_at, ended_at)),
            ended_at=ended_at,
        )


def _what_became_of_it(socket: Socket) -> tuple[str, bool]:
    if not socket.never_connected:
        return UNEXPLAINED, False
    if socket.end == "open":
        return IN_FLIGHT, False
    if socket.end == "closed" and socket.linger == 0:
        return "closed", True
    return ("sender_died", False) if socket.end in ("died", "exited") else (UNEXPLAINED, False)
