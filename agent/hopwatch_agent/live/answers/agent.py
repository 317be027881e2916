"""The agent itself: how it is, and what does not work."""

from dataclasses import dataclass
from datetime import datetime

from hopwatch_agent.kernel.records import Memory, Usage


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
