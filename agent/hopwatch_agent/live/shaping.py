"""How the board's states become answers."""

from collections import deque
from typing import Any

from msgspec.structs import asdict

from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.answers import (
    ConnectionView,
    EventView,
    FaultView,
    FindingView,
    LaneView,
    PeerView,
    ProcessView,
    SocketFindingView,
    SocketView,
)
from hopwatch_agent.live.board import Shown
from hopwatch_agent.live.rows import role_of
from hopwatch_agent.live.state import ConnectionState, LaneState, ProcessState, Row, SocketState
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
)
_SHOWN_COUNTERS = (*_COUNTING, "pending_sends")


def next_events(events: deque[tuple[int, Row]], after: int, limit: int) -> list[EventView]:
    """The next events after a number, oldest first."""
    found: list[tuple[int, Row]] = []
    for number, row in reversed(events):
        if number <= after:
            break
        found.append((number, row))
    return [
        EventView(number, row.kind, moment(row.at), row.host, row.process, row.n, row.values)
        for number, row in reversed(found[-limit:] if limit else [])
    ]


def fault_view(row: Row) -> FaultView:
    """A row of kind fault."""
    socket, text = row.values.get("socket"), row.values.get("text")
    return FaultView(moment(row.at), row.host, row.process, str(socket) if socket else None, str(text))


def has_ended(socket: SocketState, shown: Shown) -> bool:
    """Whether the socket was closed or its process is gone."""
    process = shown.tables.processes.get(socket.process)
    return socket.closed_at is not None or process is None or process.gone_at is not None


def socket_view(socket: SocketState, connections: list[ConnectionState], shown: Shown) -> SocketView:
    """A socket with its connections."""
    process = shown.tables.processes.get(socket.process)
    ended = has_ended(socket, shown)
    counts = socket.counters if ended else shown.counters.get(socket.socket, socket.counters)
    return SocketView(
        id=socket.socket,
        name=socket.name,
        type=socket.type,
        host=process.host if process else "",
        process=_process(process, shown),
        opened_at=moment(socket.opened_at),
        closed_at=moment_or_none(socket.closed_at),
        endpoints=list(socket.endpoints),
        options=dict(socket.options),
        counters=_named(counts),
        rates=rates_of(shown.history.get(socket.socket)),
        peers=[] if ended else [_peer(connection, shown) for connection in connections],
        findings=[FindingView(f.rule, f.text, f.advice) for f in socket.findings],
        backlog_sent=shown.backlog.sent.get(socket.socket),
        backlog_received=shown.backlog.received.get(socket.socket),
    )


def finding_views(socket: SocketState, shown: Shown) -> list[SocketFindingView]:
    """A socket's findings, each with the socket."""
    process = shown.tables.processes.get(socket.process)
    return [
        SocketFindingView(
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
        for found in socket.findings
    ]


def _process(process: ProcessState | None, shown: Shown) -> ProcessView:
    if process is None:
        return ProcessView(None, "", None)
    return ProcessView(
        process.pid,
        process.command,
        moment_or_none(process.gone_at),
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
    told = {"at": moment(state.at), "limited_by": state.limit.by, "evidence": state.limit.evidence}
    return {**told, **asdict(state.tcp)}


def _named(counts: tuple[int, ...]) -> dict[str, float]:
    named = dict(zip(COUNTERS, counts, strict=True))
    every: dict[str, float] = {**named, "waited_seconds": named["waited_ns"] / 1e9}
    return {name: every[name] for name in _SHOWN_COUNTERS}


def rates_of(history: deque[tuple[float, tuple[int, ...]]] | None) -> dict[str, float]:
    if history is None or len(history) < 2:
        return dict.fromkeys(_COUNTING, 0.0)
    (since, before), (now, counts) = history[0], history[-1]
    seconds = max(now - since, 1e-3)
    then, named = _named(before), _named(counts)
    return {name: (named[name] - then[name]) / seconds for name in _COUNTING}


def connection_view(connection: ConnectionState, socket: SocketState, shown: Shown) -> ConnectionView:
    """A connection with its socket."""
    return ConnectionView(
        socket=connection.socket,
        socket_name=socket.name,
        connection=connection.connection,
        endpoint=connection.endpoint,
        local=connection.local,
        remote=connection.remote,
        accepted=connection.accepted,
        state=connection.state,
        since=moment(connection.since),
        reason=connection.reason,
        tcp=_tcp(connection, shown),
    )


def lane_view(lane: LaneState, shown: Shown) -> LaneView:
    """A lane at one of its ends."""
    key = (lane.socket, lane.stream, lane.lane)
    numbers = lane.numbers if lane.final else shown.lanes.get(key, lane.numbers)
    count, more, first, following, newest = numbers
    role = role_of(lane.socket, lane.stream)
    since = more if role == "receive" else 0
    socket = shown.tables.sockets.get(lane.socket)
    return LaneView(
        socket=lane.socket,
        socket_name=socket.name if socket else "",
        stream=lane.stream,
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
