"""The lines of a journal's event log, as FORMAT.md gives them."""

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

FORMAT = 1
INT64_MAX = 2**63 - 1

Id = Annotated[str, Meta(pattern=r"\A[0-9a-f]{16}\Z")]
Hex = Annotated[str, Meta(pattern=r"\A(?:[0-9a-f]{2})*\Z")]
Count = Annotated[int, Meta(ge=0, le=INT64_MAX)]
Nanoseconds = Annotated[int, Meta(ge=0, le=INT64_MAX)]
Int64 = Annotated[int, Meta(ge=-INT64_MAX, le=INT64_MAX)]
Slot: TypeAlias = tuple[Count, Count] | None
LaneNumbers = tuple[Id, Count, Count, Count, Count, Count, Count]
"""stream, lane, and words 3 to 7 of the lane's slot: count, more_frames, first, next, newest_sent_at"""


class Segment(Struct, frozen=True, tag_field="event", tag="segment", kw_only=True):
    """The first line of a segment: whose it is."""

    process: Id
    index: Count
    first: Annotated[int, Meta(ge=1, le=INT64_MAX)]
    host: Annotated[str, Meta(min_length=1, max_length=255)]
    pid: Count = 0
    command: str = ""
    started: Nanoseconds = 0
    hopwatch: str = ""
    pyzmq: str = ""
    libzmq: str = ""


class Event(Struct, frozen=True, tag_field="event", kw_only=True, gc=False):
    """What every event has: its number in the process, and when it was."""

    n: Annotated[int, Meta(ge=1, le=INT64_MAX)]
    t: Nanoseconds


class Opened(Event, frozen=True, tag="opened"):
    """A socket was wrapped."""

    socket: Id
    name: str
    type: str
    slot: Slot = None
    sequence: str | None = None
    probed: bool = False
    proxy: Id | None = None
    options: dict[str, Int64] = {}


class OptionSet(Event, frozen=True, tag="option"):
    """A socket option was set."""

    socket: Id
    option: str
    value: int | str
    """Some options are unsigned: past what a signed integer of 64 bits holds."""


class EndpointEvent(Event, frozen=True):
    """Something was done with an endpoint."""

    socket: Id
    endpoint: str


class Bind(EndpointEvent, frozen=True, tag="bind"):
    """Bound; the endpoint is as resolved by libzmq."""


class Connect(EndpointEvent, frozen=True, tag="connect"):
    """Told to connect."""


class Endpoint(EndpointEvent, frozen=True, tag="endpoint"):
    """Bound or connected before it was wrapped; which of the two is not known."""


class Unbind(EndpointEvent, frozen=True, tag="unbind"):
    """Unbound."""


class Disconnect(EndpointEvent, frozen=True, tag="disconnect"):
    """Told to disconnect."""


class Subscribe(Event, frozen=True, tag="subscribe"):
    """Subscribed to a topic."""

    socket: Id
    topic: Hex


class Unsubscribe(Event, frozen=True, tag="unsubscribe"):
    """Unsubscribed from a topic."""

    socket: Id
    topic: Hex


class Monitor(Event, frozen=True, tag="monitor"):
    """Whether the socket's monitor is ours."""

    socket: Id
    state: str


class ConnectionEvent(Event, frozen=True):
    """A connection came up or went down."""

    socket: Id
    connection: Count
    endpoint: str = ""
    local: str | None = None
    remote: str | None = None
    accepted: bool = False
    sent: Count = 0
    received: Count = 0


class Connected(ConnectionEvent, frozen=True, tag="connected"):
    """A connection came up."""


class Disconnected(ConnectionEvent, frozen=True, tag="disconnected"):
    """A connection went down."""


class Handshake(Event, frozen=True, tag="handshake"):
    """A connection is ready for messages."""

    socket: Id
    endpoint: str = ""
    sent: Count = 0
    received: Count = 0


class Retried(Event, frozen=True, tag="retried"):
    """A connect will be tried again."""

    socket: Id
    endpoint: str = ""


class HandshakeFailed(Event, frozen=True, tag="handshake_failed"):
    """A peer was refused, or refused us."""

    socket: Id
    endpoint: str = ""
    reason: str | int = ""


class LaneAnnounced(Event, frozen=True, tag="lane"):
    """A lane exists at this end from here on."""

    socket: Id
    stream: Id
    lane: Count
    topic: Hex = ""
    slot: Slot = None
    sequence: str | None = None
    epoch: Count = 0


class Lanes(Event, frozen=True, tag="lanes"):
    """The numbers of some lanes."""

    socket: Id
    lanes: list[LaneNumbers]
    final: bool = False


class Gap(Event, frozen=True, tag="gap"):
    """Numbers were found missing."""

    socket: Id
    stream: Id
    lane: Count
    first: Count
    last: Count
    lost: Count | None = None
    before: Count | None = None
    after: Count | None = None
    before_sent_at: Nanoseconds | None = None
    after_sent_at: Nanoseconds | None = None
    received: Count | None = None


class Late(Event, frozen=True, tag="late"):
    """A number of an earlier gap arrived after all."""

    socket: Id
    stream: Id
    lane: Count
    number: Count


class Skipped(Event, frozen=True, tag="skipped"):
    """Numbers that were not owed."""

    socket: Id
    stream: Id
    lane: Count
    first: Count
    last: Count


class Onset(Event, frozen=True, tag="onset"):
    """A send met a full pipe; messages that are not stamped have no lane."""

    socket: Id
    number: Count
    lane: Count | None = None
    lane_number: Count | None = None


class ProbingStopped(Event, frozen=True, tag="probing_stopped"):
    """Full pipes are not seen any more."""

    socket: Id


class Unroutable(Event, frozen=True, tag="unroutable"):
    """A ROUTER swallowed this message and the next ones to the same peer, ``messages`` in all."""

    socket: Id
    number: Count
    lane: Count | None = None
    lane_number: Count | None = None
    messages: Annotated[int, Meta(ge=1, le=INT64_MAX)] = 1
    reason: str = ""
    peer: Hex = ""


class ProxyStarted(Event, frozen=True, tag="proxy"):
    """Two sockets are one proxy."""

    proxy: Id
    name: str
    frontend: Id
    backend: Id
    frontend_type: str
    backend_type: str


class ProxyEnded(Event, frozen=True, tag="proxy_ended"):
    """The proxy returned: its context has ended, or it was interrupted."""

    proxy: Id
    name: str
    frontend: Id
    backend: Id
    frontend_type: str
    backend_type: str
    counted_at: Nanoseconds | None = None


class FindingMade(Event, frozen=True, tag="finding"):
    """Something is wrong or risky in a socket's set-up."""

    socket: Id
    rule: str
    text: str
    advice: str = ""


class FaultCaught(Event, frozen=True, tag="fault"):
    """The instrumentation failed and is off for this socket."""

    socket: Id | None = None
    text: str = ""


class Closed(Event, frozen=True, tag="closed"):
    """A socket was closed; its last counters."""

    socket: Id
    counters: dict[str, Count] = {}
    unread: bool | None = None


class Exit(Event, frozen=True, tag="exit"):
    """The interpreter is ending by itself."""


AnyEvent: TypeAlias = (
    Opened
    | OptionSet
    | Bind
    | Connect
    | Endpoint
    | Unbind
    | Disconnect
    | Subscribe
    | Unsubscribe
    | Monitor
    | Connected
    | Disconnected
    | Handshake
    | Retried
    | HandshakeFailed
    | LaneAnnounced
    | Lanes
    | Gap
    | Late
    | Skipped
    | Onset
    | ProbingStopped
    | Unroutable
    | ProxyStarted
    | ProxyEnded
    | FindingMade
    | FaultCaught
    | Closed
    | Exit
)
