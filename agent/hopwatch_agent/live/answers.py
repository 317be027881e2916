"""Answers to what can be asked of a running agent."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hopwatch_agent.backlog.shown import Backlog
from hopwatch_agent.kernel.records import Memory, Usage
from hopwatch_agent.records import Place


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
class LagView:
    """How far behind the journals the agent is."""

    tick_seconds: float
    tick_age_seconds: float | None
    unread_bytes: int


@dataclass(frozen=True)
class DatabaseView:
    """The agent's database."""

    rows: int
    bytes: int
    wal_bytes: int


@dataclass(frozen=True)
class CostsView:
    """What the agent itself takes."""

    cpu_seconds: float
    cpu_percent: float
    rss_bytes: int
    threads: int
    descriptors: int
    ticking_seconds: float
    landing_seconds: float


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
    warnings: list[ErrorView]
    lag: LagView
    database: DatabaseView
    costs: CostsView
    versions: dict[str, str]
    settings: dict[str, str | int | float | bool]
    usage: Usage | None
    memory: Memory | None
    rows_given_up: int


@dataclass(frozen=True)
class EvidenceView:
    """What speaks for a loss's cause."""

    kind: str
    text: str


@dataclass(frozen=True)
class IncidentView:
    """Losses of one stream at one receiver, close in time."""

    id: int
    hop: str
    socket: str
    stream: str
    lanes: int
    host: str
    cause: str | None
    certainty: str | None
    preliminary: bool
    started_at: datetime
    ended_at: datetime
    lost: int
    gaps: int
    evidence: list[EvidenceView]


@dataclass(frozen=True)
class MovingSocketView:
    """A socket that messages went through just now."""

    id: str
    name: str
    type: str
    lost: int
    rates: dict[str, float]


@dataclass(frozen=True)
class LiveView:
    """What is pushed to who watches: the agent, the sockets that move, and events since the last time."""

    status: StatusView
    sockets: list[MovingSocketView]
    sockets_left_out: int
    events: list["EventView"]
    events_left_out: int


@dataclass(frozen=True)
class ProcessView:
    """Who owns a socket; ``gone_at`` is when it was seen that the process had ended.

    ``usage`` and ``memory`` (of its cgroup) are None where the process is not visible to the agent; ``place`` is where it runs in Kubernetes.
    """

    pid: int | None
    command: str
    gone_at: datetime | None
    usage: Usage | None = None
    memory: Memory | None = None
    place: Place | None = None


@dataclass(frozen=True)
class PeerView:
    """One connection of a socket. ``tcp``: what the kernel knows of it, as ``TcpModel`` has it."""

    local: str | None
    remote: str | None
    state: str
    since: datetime
    tcp: dict[str, Any] | None


@dataclass(frozen=True)
class FindingView:
    """Something wrong or risky in a socket's set-up."""

    rule: str
    text: str
    advice: str


@dataclass(frozen=True)
class SocketFindingView:
    """A finding, with its socket."""

    socket: str
    socket_name: str
    type: str
    host: str
    process: ProcessView
    closed_at: datetime | None
    rule: str
    text: str
    advice: str


@dataclass(frozen=True)
class SocketView:
    """One socket. ``backlog_sent``: of what it sends, ``backlog_received``: of what it receives; None where that is not known."""

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
    backlog_sent: Backlog | None
    backlog_received: Backlog | None


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
    tcp: dict[str, Any] | None


@dataclass(frozen=True)
class LaneView:
    """One lane at one of its ends; ``lost`` are the numbers missing below ``next``, at a receiver.

    ``backlog``: None unless both ends are open and this agent's.
    """

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
    backlog: Backlog | None


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
