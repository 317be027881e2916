"""What can be asked of a running agent: frozen answers, made from the board."""

import time
from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from hopwatch_agent.landing.parquet import without_secret
from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.board import Board, Shown
from hopwatch_agent.live.state import ConnectionState, LaneState, ProcessState, Row, SocketState
from hopwatch_agent.settings import AgentSettings

STUCK_SECONDS = 60.0

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_SHOWN_COUNTERS = (
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


@dataclass(frozen=True)
class ErrorView:
    """Something that does not work at this moment."""

    source: str
    text: str
    since: datetime


@dataclass(frozen=True)
class FaultView:
    """Input that could not be read, or a fault of an instrumentation."""

    at: datetime
    host: str
    process: str | None
    socket: str | None
    text: str


@dataclass(frozen=True)
class StatusView:
    """The agent itself."""

    version: str
    host: str
    started_at: datetime
    directory: str
    landing: str
    ready: bool
    processes: int
    sockets: int
    lag_seconds: float | None
    rows_waiting: int
    rows_landed: int
    last_landing: datetime | None
    events_lost: int
    faults: int
    recent_faults: list[FaultView]
    errors: list[ErrorView]


@dataclass(frozen=True)
class ProcessView:
    """Who owns a socket; ``gone_at`` is when it was seen that the process had ended."""

    pid: int | None
    command: str
    gone_at: datetime | None


@dataclass(frozen=True)
class PeerView:
    """One connection of a socket."""

    local: str | None
    remote: str | None
    state: str
    since: datetime


@dataclass(frozen=True)
class FindingView:
    """Something wrong or risky in a socket's set-up."""

    rule: str
    text: str
    advice: str


@dataclass(frozen=True)
class SocketView:
    """One socket."""

    id: str
    name: str
    type: str
    host: str
    process: ProcessView
    opened_at: datetime
    closed_at: datetime | None
    endpoints: list[str]
    options: dict[str, int]
    counters: dict[str, float]
    rates: dict[str, float]
    peers: list[PeerView]
    findings: list[FindingView]


@dataclass(frozen=True)
class ConnectionView:
    """One connection, with its socket."""

    socket: str
    socket_name: str
    connection: int | None
    endpoint: str
    local: str | None
    remote: str | None
    accepted: bool
    state: str
    since: datetime
    reason: str | None


@dataclass(frozen=True)
class LaneView:
    """One lane at one of its ends; ``lost`` are the numbers missing below ``next``, at a receiver."""

    socket: str
    socket_name: str
    stream: str
    lane: int
    role: str
    topic: str | None
    count: int
    first: int
    next: int
    lost: int | None
    newest_sent_at: datetime | None
    final: bool


@dataclass(frozen=True)
class EventView:
    """One event; ``id`` grows through the whole life of the agent's database."""

    id: int
    kind: str
    at: datetime
    host: str
    process: str | None
    n: int | None
    values: dict[str, Any]


class AgentView:
    """Answers from one agent's board. May be used by any thread."""

    def __init__(self, board: Board, settings: AgentSettings, version: str) -> None:
        self._board = board
        self._settings = settings
        self._version = version

    def failure(self) -> str | None:
        """Why the agent does not work any more; None while its loop runs."""
        with self._board.held() as shown:
            progress = shown.progress
        if not progress.alive:
            return "the loop has ended"
        if progress.heartbeat is not None and time.monotonic() - progress.heartbeat > STUCK_SECONDS:
            return f"no tick has ended for more than {STUCK_SECONDS:.0f} seconds"
        return None

    def not_ready(self) -> str | None:
        """Why the agent has nothing true to show yet; None if it has."""
        with self._board.held() as shown:
            return self.failure_of(shown) or shown.progress.not_ready

    @staticmethod
    def failure_of(shown: Shown) -> str | None:
        """Whether the loop has ended."""
        return None if shown.progress.alive else "the loop has ended"

    def status(self) -> StatusView:
        """The agent itself."""
        with self._board.held() as shown:
            progress, tables = shown.progress, shown.tables
            tick = progress.last_tick
            return StatusView(
                version=self._version,
                host=self._settings.journal.host,
                started_at=_time(progress.started_at),
                directory=str(self._settings.journal.directory),
                landing=without_secret(self._settings.landing.uri),
                ready=progress.not_ready is None,
                processes=sum(process.gone_at is None for process in tables.processes.values()),
                sockets=sum(not _ended(socket, shown) for socket in tables.sockets.values()),
                lag_seconds=None if tick is None else max(0.0, (time.time_ns() - tick) / 1e9),
                rows_waiting=progress.waiting,
                rows_landed=progress.landed_rows,
                last_landing=_time_or_none(progress.last_landing),
                events_lost=sum(_events_lost(process) for process in tables.processes.values()),
                faults=progress.faults,
                recent_faults=[_fault(row) for _, row in shown.faults],
                errors=[
                    ErrorView(source, text, _time(since))
                    for source, (text, since) in sorted(progress.errors.items())
                ],
            )

    def sockets(self) -> list[SocketView]:
        """Every socket, the oldest first; those that ended some minutes ago are not shown any more."""
        with self._board.held() as shown:
            peers: dict[str, list[ConnectionState]] = {}
            for connection in shown.tables.connections.values():
                peers.setdefault(connection.socket, []).append(connection)
            ordered = sorted(shown.tables.sockets.values(), key=lambda socket: socket.opened_at)
            return [_socket(socket, peers.get(socket.socket, []), shown) for socket in ordered]

    def socket(self, identity: str) -> SocketView | None:
        """One socket; None if there is none of this id."""
        with self._board.held() as shown:
            socket = shown.tables.sockets.get(identity)
            if socket is None:
                return None
            connections = shown.tables.connections.values()
            return _socket(socket, [c for c in connections if c.socket == identity], shown)

    def connections(self) -> list[ConnectionView]:
        """The connections of sockets in use, with the last ones that went down."""
        with self._board.held() as shown:
            views = []
            for connection in shown.tables.connections.values():
                socket = shown.tables.sockets.get(connection.socket)
                if socket is not None and not _ended(socket, shown):
                    views.append(_connection(connection, socket))
            return views

    def lanes(self) -> list[LaneView]:
        """Every lane at each of its ends."""
        with self._board.held() as shown:
            return [_lane(lane, shown) for lane in shown.tables.lanes.values()]

    def events(self, after: int, limit: int) -> list[EventView]:
        """The next events after a number, oldest first; of the newest 10,000."""
        with self._board.held() as shown:
            return _next_events(shown.events, after, limit)


def _next_events(events: deque[tuple[int, Row]], after: int, limit: int) -> list[EventView]:
    found: list[tuple[int, Row]] = []
    for number, row in reversed(events):
        if number <= after:
            break
        found.append((number, row))
    return [
        EventView(number, row.kind, _time(row.at), row.host, row.process, row.n, row.values)
        for number, row in reversed(found[-limit:] if limit else [])
    ]


def _time(at: int) -> datetime:
    return _EPOCH + timedelta(microseconds=at // 1000)


def _time_or_none(at: int | None) -> datetime | None:
    return _time(at) if at else None


def _events_lost(process: ProcessState) -> int:
    return max(process.events_lost, process.events_unwritten)


def _fault(row: Row) -> FaultView:
    socket, text = row.values.get("socket"), row.values.get("text")
    return FaultView(_time(row.at), row.host, row.process, str(socket) if socket else None, str(text))


def _ended(socket: SocketState, shown: Shown) -> bool:
    process = shown.tables.processes.get(socket.process)
    return socket.closed_at is not None or process is None or process.gone_at is not None


def _socket(socket: SocketState, connections: list[ConnectionState], shown: Shown) -> SocketView:
    process = shown.tables.processes.get(socket.process)
    ended = _ended(socket, shown)
    counts = socket.counters if ended else shown.counters.get(socket.socket, socket.counters)
    return SocketView(
        id=socket.socket,
        name=socket.name,
        type=socket.type,
        host=process.host if process else "",
        process=_process(process),
        opened_at=_time(socket.opened_at),
        closed_at=_time_or_none(socket.closed_at),
        endpoints=list(socket.endpoints),
        options=dict(socket.options),
        counters=_named(counts),
        rates=_rates(shown.history.get(socket.socket)),
        peers=[] if ended else [PeerView(c.local, c.remote, c.state, _time(c.since)) for c in connections],
        findings=[FindingView(f.rule, f.text, f.advice) for f in socket.findings],
    )


def _process(process: ProcessState | None) -> ProcessView:
    if process is None:
        return ProcessView(None, "", None)
    return ProcessView(process.pid, process.command, _time_or_none(process.gone_at))


def _named(counts: tuple[int, ...]) -> dict[str, float]:
    named = dict(zip(COUNTERS, counts, strict=True))
    every: dict[str, float] = {**named, "waited_seconds": named["waited_ns"] / 1e9}
    return {name: every[name] for name in _SHOWN_COUNTERS}


def _rates(history: deque[tuple[float, tuple[int, ...]]] | None) -> dict[str, float]:
    if history is None or len(history) < 2:
        return dict.fromkeys(_SHOWN_COUNTERS, 0.0)
    (since, before), (now, counts) = history[0], history[-1]
    seconds = max(now - since, 1e-3)
    then = _named(before)
    return {name: (value - then[name]) / seconds for name, value in _named(counts).items()}


def _connection(connection: ConnectionState, socket: SocketState) -> ConnectionView:
    return ConnectionView(
        socket=connection.socket,
        socket_name=socket.name,
        connection=connection.connection,
        endpoint=connection.endpoint,
        local=connection.local,
        remote=connection.remote,
        accepted=connection.accepted,
        state=connection.state,
        since=_time(connection.since),
        reason=connection.reason,
    )


def _lane(lane: LaneState, shown: Shown) -> LaneView:
    key = (lane.socket, lane.stream, lane.lane)
    numbers = lane.numbers if lane.final else shown.lanes.get(key, lane.numbers)
    count, _, first, following, newest = numbers
    sending = lane.stream == lane.socket
    socket = shown.tables.sockets.get(lane.socket)
    return LaneView(
        socket=lane.socket,
        socket_name=socket.name if socket else "",
        stream=lane.stream,
        lane=lane.lane,
        role="send" if sending else "receive",
        topic=lane.topic,
        count=count,
        first=first,
        next=following,
        lost=None if sending else max(0, following - first - count),
        newest_sent_at=_time_or_none(newest),
        final=lane.final,
    )
