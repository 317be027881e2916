"""How the board's states become answers."""

from collections import deque
from collections.abc import Mapping
from typing import Any

from msgspec.structs import asdict

from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.answers import (
    ConnectionView,
    EndedView,
    EventView,
    FaultView,
    FindingView,
    LaneView,
    PeerView,
    ProcessView,
    SocketFindingView,
    SocketView,
    WaitingView,
)
from hopwatch_agent.live.board import Counts, Shown
from hopwatch_agent.live.condition import QUIET, Condition, ended
from hopwatch_agent.live.rows import role_of
from hopwatch_agent.live.state import ConnectionState, Finding, LaneState, ProcessState, Row, SocketState
from hopwatch_agent.live.times import moment, moment_or_none

_COUNTING = (
    "sent",
    "sent_bytes",
    "received",
    "received_bytes",
    "eagain_sends",
    "eagain_receives",
    "waited_sends",
    "waited_seconds",
    "onsets",
    "unroutable",
    "gaps",
    "lost",
    "duplicated",
    "reordered",
    "proxied_in_frames",
    "proxied_out_frames",
)
NOT_NUMBERED = frozenset({"PUB", "XPUB"})
_SHOWN_COUNTERS = (*_COUNTING, "pending_sends")


def newest_events(events: deque[tuple[int, Row]], after: int, limit: int) -> tuple[list[EventView], int]:
    """The newest events after a number, oldest first, and how many older ones after it there was no room for."""
    found: list[tuple[int, Row]] = []
    left_out = 0
    for number, row in reversed(events):
        if number <= after:
            break
        if len(found) < limit:
            found.append((number, row))
        else:
            left_out += 1
    return [event_view(number, row) for number, row in reversed(found)], left_out


def event_view(number: int, row: Row) -> EventView:
    """An event with its number."""
    return EventView(number, row.kind, moment(row.at), row.host, row.process, row.n, row.values)


def fault_view(row: Row) -> FaultView:
    """A row of kind fault."""
    socket, text = row.values.get("socket"), row.values.get("text")
    return FaultView(moment(row.at), row.host, row.process, str(socket) if socket else None, str(text))


def has_ended(socket: SocketState, shown: Shown) -> bool:
    """Whether the socket was closed or its process is gone."""
    process = shown.tables.processes.get(socket.process)
    return socket.closed_at is not None or process is None or process.gone_at is not None


def condition_of(socket: SocketState, shown: Shown) -> Condition:
    """How a socket is doing."""
    if has_ended(socket, shown):
        return ended(shown.left_behind.get(socket.socket, 0), shown.died_with.get(socket.socket, 0))
    return shown.conditions.get(socket.socket, QUIET)


def counts_of(socket: SocketState, shown: Shown) -> Counts:
    """What a socket has counted by now."""
    if has_ended(socket, shown):
        return socket.counters
    return shown.counters.get(socket.socket, socket.counters)


def socket_view(socket: SocketState, connections: list[ConnectionState], shown: Shown) -> SocketView:
    """A socket with its connections."""
    process = shown.tables.processes.get(socket.process)
    is_over = has_ended(socket, shown)
    counters = counters_of(counts_of(socket, shown))
    state, text = condition_of(socket, shown)
    return SocketView(
        id=socket.socket,
        name=socket.name,
        type=socket.type,
        host=process.host if process else "",
        state=state,
        state_text=text,
        proxy=socket.proxy,
        process=_process(process, shown),
        opened_at=moment(socket.opened_at),
        closed_at=moment_or_none(socket.closed_at),
        endpoints=list(socket.endpoints),
        options=dict(socket.options),
        counters=counters,
        rates=rates_of(shown.history.get(socket.socket)),
        peers=[] if is_over else [_peer(connection, shown) for connection in connections],
        findings=[FindingView(f.rule, f.text, f.advice) for f in socket.findings],
        backlog_sent=shown.backlog.sent.get(socket.socket),
        backlog_received=shown.backlog.received.get(socket.socket),
        left_behind=shown.left_behind.get(socket.socket),
        numbered=gets_numbers(socket, counters),
        unreceived=shown.unreceived.get(socket.socket, 0),
        died_with=shown.died_with.get(socket.socket),
    )


def gets_numbers(socket: SocketState, counters: Mapping[str, float]) -> bool | None:
    """Whether any message that it got was numbered; None where it has got none, or gets what nobody numbers: an XPUB gets subscriptions."""
    if socket.gets_numbers:
        return True
    return False if counters["received"] and socket.type not in NOT_NUMBERED else None


def finding_view(found: Finding, socket: SocketState, shown: Shown) -> SocketFindingView:
    """A finding with its socket."""
    process = shown.tables.processes.get(socket.process)
    return SocketFindingView(
        socket=socket.socket,
        socket_name=socket.name,
        type=socket.type,
        host=process.host if process else "",
        process=_process(process, shown),
        closed_at=moment_or_none(socket.closed_at),
        rule=found.rule,
        text=found.text,
        advice=found.advice,
    )


def _process(process: ProcessState | None, shown: Shown) -> ProcessView:
    if process is None:
        return ProcessView(None, "", None)
    return ProcessView(
        process.pid,
        process.command,
        moment_or_none(process.gone_at),
        counts_in=process.counts_in or None,
        usage=shown.kernel.usage.get(process.process),
        memory=shown.kernel.memory.get(process.process),
        place=process.place,
    )


def _peer(connection: ConnectionState, shown: Shown) -> PeerView:
    tcp = _tcp(connection, shown)
    return PeerView(connection.local, connection.remote, connection.state, moment(connection.since), tcp)


def _tcp(connection: ConnectionState, shown: Shown) -> dict[str, Any] | None:
    state = shown.kernel.tcp.get((connection.socket, str(connection.connection)))
    if state is None:
        return None
    told = {
        "at": moment(state.at),
        "limited_by": state.limit.by,
        "limited_here": state.limit.here,
        "evidence": state.limit.evidence,
    }
    return {**told, **asdict(state.tcp)}


def counters_of(counts: tuple[int, ...]) -> dict[str, float]:
    """Counts by the names that are shown, times in seconds."""
    named = dict(zip(COUNTERS, counts, strict=True))
    every: dict[str, float] = {**named, "waited_seconds": named["waited_ns"] / 1e9}
    return {name: every[name] for name in _SHOWN_COUNTERS}


def rates_of(history: deque[tuple[float, tuple[int, ...]]] | None) -> dict[str, float]:
    """How fast they grew, per second, over about the last two seconds."""
    if history is None or len(history) < 2:
        return dict.fromkeys(_COUNTING, 0.0)
    (since, before), (now, counts) = history[0], history[-1]
    seconds = max(now - since, 1e-3)
    then, named = counters_of(before), counters_of(counts)
    return {
        name: max(0.0, named[name] - then[name]) / seconds for name in _COUNTING
    }  # late ones take back losses


def connection_view(
    connection: ConnectionState,
    socket: SocketState,
    peer: SocketState | None,
    told: tuple[EndedView | None, WaitingView | None],
    shown: Shown,
) -> ConnectionView:
    """A connection with its socket. ``told``: why it went down, and what waits on it."""
    ended, waiting = told
    process = shown.tables.processes.get(connection.process)
    return ConnectionView(
        socket=connection.socket,
        socket_name=socket.name,
        host=process.host if process else "",
        peer=peer.socket if peer else None,
        peer_name=peer.name if peer else None,
        connection=connection.connection,
        endpoint=connection.endpoint,
        local=connection.local,
        remote=connection.remote,
        accepted=connection.accepted,
        state=connection.state,
        since=moment(connection.since),
        reason=connection.reason,
        ended=ended,
        waiting=waiting,
        tcp=_tcp(connection, shown),
    )


def lane_view(lane: LaneState, shown: Shown) -> LaneView:
    """A lane at one of its ends."""
    key = (lane.socket, lane.stream, lane.lane)
    numbers = lane.numbers if lane.final else shown.lanes.get(key, lane.numbers)
    count, more, first, following, newest = numbers
    role = role_of(lane.socket, lane.stream)
    since = more if role == "receive" else 0
    socket, sender = shown.tables.sockets.get(lane.socket), shown.tables.sockets.get(lane.stream)
    return LaneView(
        socket=lane.socket,
        socket_name=socket.name if socket else "",
        stream=lane.stream,
        sender_name=sender.name if sender else None,
        lane=lane.lane,
        role=role,
        topic=lane.topic,
        count=count + since,
        first=first,
        next=following,
        lost=max(0, following - first - count) if role == "receive" else None,
        newest_sent_at=moment_or_none(newest),
        final=lane.final,
        backlog=shown.backlog.lanes.get(key),
    )
