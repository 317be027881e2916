"""What an agent tells of itself, and what it pushes each second. As in ``records``, what an older one leaves out has a default."""

from datetime import datetime

import msgspec

from hopwatch_console.records import Backlog, Counters, Event, Rates

BEHIND_SECONDS = 10.0


class Problem(msgspec.Struct, frozen=True):
    """Something of the agent's own that does not work, or is risky."""

    source: str
    text: str
    since: datetime | None = None


class Status(msgspec.Struct, frozen=True):
    """The agent itself. Its first four fields tell an agent from whatever else may answer at its address."""

    version: str
    directory: str
    processes: int
    sockets: int
    host: str = ""
    started_at: datetime | None = None
    landing: str = ""
    ready: bool = True
    lag_seconds: float | None = None
    rows_waiting: int = 0
    rows_landed: int = 0
    rows_given_up: int = 0
    last_landing: datetime | None = None
    events_lost: int = 0
    faults: int = 0
    errors: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()

    @property
    def is_behind(self) -> bool:
        """Whether it has not looked for a while, though it could."""
        return self.ready and self.lag_seconds is not None and self.lag_seconds > BEHIND_SECONDS

    @property
    def tells_of_now(self) -> bool:
        """Whether it has looked lately: what it says else is of before."""
        return self.ready and not self.is_behind


class MovingSocket(msgspec.Struct, frozen=True):
    """A socket of which there is something to tell just now; what an older agent does not push is None."""

    id: str
    name: str
    type: str
    lost: int = 0
    rates: Rates = Rates()
    counters: Counters | None = None
    state: str | None = None
    state_text: str | None = None
    backlog_sent: Backlog | msgspec.UnsetType | None = msgspec.UNSET
    backlog_received: Backlog | msgspec.UnsetType | None = msgspec.UNSET
    numbered: bool | msgspec.UnsetType | None = msgspec.UNSET
    unreceived: int = 0


class Revisions(msgspec.Struct, frozen=True):
    """Numbers that change when a list is to be fetched anew."""

    sockets: int | None = None
    connections: int | None = None
    findings: int | None = None
    incidents: int | None = None


class Frame(msgspec.Struct, frozen=True):
    """What ``/v1/live`` pushes each second."""

    status: Status
    sockets: tuple[MovingSocket, ...] = ()
    sockets_left_out: int = 0
    events: tuple[Event, ...] = ()
    events_left_out: int = 0
    revisions: Revisions | None = None
