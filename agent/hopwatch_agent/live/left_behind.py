"""What receivers have not got of what senders that have ended had sent: no later message shows it as a gap.

A receiver that ended after its sender lacks it; of one that is open it may wait to be read still. One that ended first may have missed anything or
nothing of what was sent after it. Nothing is told of what may have been for others: where a sender shares out among several, or an end has let go of
the other; nor of receivers whose numbers may stand still though messages come.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from hopwatch_agent.live.draft import Tables
from hopwatch_agent.live.rows import role_of
from hopwatch_agent.live.state import CONNECTION_COUNTS, LaneKey, LaneState, SocketState

Counts = tuple[int, ...]
Ends = tuple[str, str]
SHARING = frozenset({"PUSH", "DEALER", "REQ", "REP"})
READ_PAST_US = frozenset({"handed_over", "proxy_not_counted", "address_taken"})
"""Findings of the instrumentation (instrumentation/FINDINGS.md) about sockets that somebody else may receive by."""
_CONNECTED = CONNECTION_COUNTS.index("connected")


def left_behind(tables: Tables) -> dict[str, int]:
    """Messages, by receiver that has ended; of those of which it is known, none left out."""
    found: dict[str, int] = {}
    for sender, receiver, lane in _followed(tables, _ended(tables)):
        if _ended_first(sender, receiver, tables):
            found[receiver.socket] = found.get(receiver.socket, 0) + _lacking(lane, lane.numbers, tables)
    return found


def unreceived(tables: Tables, read: Mapping[LaneKey, Counts], before: int) -> dict[str, int]:
    """Messages, by open receiver, of senders that had ended by then (nanoseconds since 1970); no noughts. ``read``: the lanes as just read; of others
    nothing is known.
    """
    found: dict[str, int] = {}
    for _, receiver, lane in _followed(tables, _ended(tables, before)):
        numbers = read.get((lane.socket, lane.stream, lane.lane))
        if numbers is None or _end(receiver, tables) is not None:
            continue
        missing = _lacking(lane, numbers, tables)
        if missing:
            found[receiver.socket] = found.get(receiver.socket, 0) + missing
    return found


def _ended(tables: Tables, before: int | None = None) -> set[str]:
    ends = ((name, _end(socket, tables)) for name, socket in tables.sockets.items())
    return {name for name, end in ends if end is not None and (before is None or end <= before)}


def _followed(
    tables: Tables, senders: Collection[str]
) -> Iterator[tuple[SocketState, SocketState, LaneState]]:
    """Lanes of these senders at receivers of which it is known what they were to get, and got."""
    of_senders = [(key, lane) for key, lane in tables.lanes.items() if key[1] in senders]
    received = [(key, lane) for key, lane in of_senders if role_of(*key[:2]) == "receive"]
    readers = Counter((stream, number) for (_, stream, number), _ in received)
    ends = _ends(tables) if received else {}
    for (socket, stream, number), lane in received:
        sender, receiver = tables.sockets[stream], tables.sockets.get(socket)
        sent = tables.lanes.get((stream, stream, number))
        if receiver is None or sent is None or sender.has_let_go or receiver.has_let_go:
            continue
        shared = sender.type in SHARING and (
            readers[stream, number] > 1
            or sent.settled > 0
            or not _have_each_other_alone(sender, receiver, ends)
        )
        if not shared and _is_followed(lane, receiver) and not _has_unsubscribed(lane, receiver):
            yield sender, receiver, lane


def _ends(tables: Tables) -> dict[str, set[Ends]]:
    """Local and remote address of each connection, by socket."""
    found: dict[str, set[Ends]] = {}
    for one in tables.connections.values():
        if one.local and one.remote:
            found.setdefault(one.socket, set()).add((one.local, one.remote))
    return found


def _have_each_other_alone(
    sender: SocketState, receiver: SocketState, ends: Mapping[str, Collection[Ends]]
) -> bool:
    """Whether the sender was connected once, and to that receiver."""
    if sender.shared_elsewhere or sender.connections[_CONNECTED] != 1:
        return False
    mirrored = {(remote, local) for local, remote in ends.get(receiver.socket, ())}
    return not mirrored.isdisjoint(ends.get(sender.socket, ())) or not {*sender.endpoints}.isdisjoint(
        receiver.endpoints
    )


def _lacking(lane: LaneState, numbers: Counts, tables: Tables) -> int:
    _, since, _, following, _ = numbers
    return max(0, tables.lanes[lane.stream, lane.stream, lane.lane].count - following - since)


def _ended_first(sender: SocketState, receiver: SocketState, tables: Tables) -> bool:
    first, then = _end(sender, tables), _end(receiver, tables)
    if receiver.closed_at is not None and receiver.unread is None:
        return False  # it may be in use still, unwrapped
    return first is not None and then is not None and first <= then


def _end(socket: SocketState, tables: Tables) -> int | None:
    """When it ended, and its last word is known."""
    if socket.closed_at is not None:
        return socket.closed_at
    process = tables.processes.get(socket.process)
    if process is None or process.gone_at is None:
        return None
    return process.exited_at or process.gone_at


def _is_followed(lane: LaneState, receiver: SocketState) -> bool:
    """Whether its numbers tell all that it got of the lane."""
    past_us = any(finding.rule in READ_PAST_US for finding in receiver.findings)
    return not (lane.gave_way or receiver.instrumentation_fault or past_us)


def _has_unsubscribed(lane: LaneState, receiver: SocketState) -> bool:
    """Whether it had unsubscribed from the lane, or from what may be the lane."""
    return any(lane.topic is None or lane.topic.startswith(prefix) for prefix, _ in receiver.unsubscribed)
