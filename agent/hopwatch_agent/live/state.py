"""What is known of processes, sockets, lanes and connections; kept in the database as it is here."""

from msgspec import Struct

from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.records import Place

NO_COUNTS = (0,) * len(COUNTERS)
UP = frozenset({"connected", "ready"})
"""States of a connection that is there."""
CONNECTION_COUNTS = ("connected", "reconnected", "disconnected", "handshakes_failed")
"""``reconnected``: a connect that had worked before worked again, which is one of ``connected`` too."""
NO_CONNECTION_COUNTS = (0,) * len(CONNECTION_COUNTS)


class ProcessState(Struct, frozen=True):
    """One process: who it is, how far its journal was read, what of it is missing.

    Times are nanoseconds since 1970. ``segment``, ``offset`` and ``skipping`` say where to read on.
    """

    process: str
    host: str
    pid: int | None = None
    command: str = ""
    hopwatch: str = ""
    pyzmq: str = ""
    libzmq: str = ""
    counts_in: str = ""
    """``shared memory``, or ``file``; empty where the process does not say."""
    place: Place | None = None
    started_at: int | None = None
    exited_at: int | None = None
    gone_at: int | None = None
    segment: int = 0
    offset: int = 0
    skipping: bool = False
    next_n: int = 1
    first: int = 1
    """The first number behind the head of the segment that is being read."""
    behind: int = 0
    """How many lines at the end of that head are heeded; 0 if no event before the segment was missed."""
    missed: tuple[tuple[int, int], ...] = ()
    """First and last number of each run of events that was missed since. The next head may repeat them."""
    events_lost: int = 0
    events_unwritten: int = 0
    segments_lost: int = 0
    refusal: str | None = None
    """Why this process's journal is not read any further."""
    reported: tuple[str, ...] = ()
    """Files whose one fault was told."""
    left_out: dict[str, int] = {}
    """How many sockets, lanes and connections there was no room for."""
    unread_given_up: bool = False
    """Whether what could not be read of it may be unlinked all the same."""
    killed_for_memory: bool = False
    """Whether the kernel did that, as its cgroup's count of kills says."""

    @property
    def all_events_lost(self) -> int:
        """Events that went before they were read, or could not be written."""
        return max(self.events_lost, self.events_unwritten)


class Finding(Struct, frozen=True):
    """Something wrong or risky in a socket's set-up."""

    rule: str
    text: str
    advice: str


class SocketState(Struct, frozen=True):
    """One socket. ``counters`` are the ones of the newest row, in the order of ``COUNTERS``."""

    socket: str
    process: str
    name: str
    type: str
    sequence: str | None
    probed: bool
    proxy: str | None
    options: dict[str, int]
    slot: tuple[int, int] | None
    opened_at: int
    closed_at: int | None = None
    unread: bool | None = None
    """Whether messages had reached it when it was closed that nobody received; None: not known, as of one that is used on without hopwatch."""
    endpoints: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    counters: tuple[int, ...] = NO_COUNTS
    final: bool = False
    dropped: tuple[int, ...] = ()
    """The newest connections that went down, which are still shown."""
    awaiting: tuple[int, ...] = ()
    """Connections whose handshake is not over."""
    instrumentation_fault: str | None = None
    probing_stopped: bool = False
    unsubscribed: tuple[tuple[str, int], ...] = ()
    """Prefixes (hex) that were unsubscribed from, and when."""
    shared_elsewhere: bool = False
    """Whether others than this agent's sockets have been among its peers."""
    series: str = ""
    """The series it counts in (see ``series``)."""
    connections: tuple[int, ...] = NO_CONNECTION_COUNTS
    """In the order of ``CONNECTION_COUNTS``."""
    reached: tuple[str, ...] = ()
    """Endpoints that it was connected to."""
    called: tuple[int, ...] = ()
    """The newest connections that it has made itself, and that are up."""
    has_let_go: bool = False
    """Whether its application has disconnected it from anybody."""
    gets_numbers: bool = False
    """Whether any message that has come to it was numbered."""


class TotalState(Struct, frozen=True):
    """What the sockets of a series counted that are not kept any more; ``since``: when its first socket was opened."""

    series: str
    since: int
    counters: tuple[int, ...] = NO_COUNTS
    connections: tuple[int, ...] = NO_CONNECTION_COUNTS
    process: str = ""
    """Of no process."""


class LaneState(Struct, frozen=True):
    """One lane at one of its ends; the numbers are the ones of the newest row."""

    socket: str
    stream: str
    lane: int
    process: str
    topic: str | None = None
    count: int = 0
    frames: int = 0
    first: int = 0
    next: int = 0
    newest_sent_at: int = 0
    final: bool = False
    settled: int = 0
    """At the sending end: what receivers had got that are forgotten."""
    gave_way: bool = False
    """Its receiver follows it no more, until it is announced again."""

    @property
    def numbers(self) -> tuple[int, ...]:
        """Words 3 to 7 of the lane's slot."""
        return (self.count, self.frames, self.first, self.next, self.newest_sent_at)


class ConnectionState(Struct, frozen=True):
    """One connection of a socket. state: connected, ready, disconnected, retrying or refused.

    ``connection`` is None for an endpoint that was never reached.
    """

    socket: str
    connection: int | None
    process: str
    endpoint: str
    local: str | None
    remote: str | None
    accepted: bool
    state: str
    since: int
    reason: str | None = None
    again: bool = False
    """Its endpoint had been reached before."""
    let_go_at: int | None = None
    """When its own application disconnected it."""

    @property
    def is_up(self) -> bool:
        """Whether messages may pass."""
        return self.state in UP


class Row(Struct, frozen=True, array_like=True, gc=False):
    """One record that is to be landed. ``values`` are the columns of its kind, common ones left out."""

    kind: str
    at: int
    host: str
    process: str | None
    n: int | None
    values: dict[str, str | int | bool | dict[str, int] | None]


Values = dict[str, str | int | bool | dict[str, int] | None]
LaneKey = tuple[str, str, int]
ConnectionKey = tuple[str, str]
"""socket, and the connection's number or "endpoint <endpoint>" """
