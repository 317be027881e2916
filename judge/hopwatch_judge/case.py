"""A case: all that is known of streams which meet at a proxy or a receiver, as plain records.

Times are seconds since 1970, on the clock that all hosts were put on; None: not known. Numbers of messages are
those of their lane, from 0, unless it says that they are of the stream. Ranges ``first``, ``last`` hold both.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from hopwatch_judge.events import (
    Accepted,
    Counted,
    Gap,
    Onset,
    Progress,
    Read,
    Reading,
    Subscribed,
    Swallowed,
)

Edge = tuple[str, str]
"""The sending socket of a hop and its receiving one."""


@dataclass(frozen=True, slots=True)
class Socket:
    """An instrumented socket, from its opening to its end; options are those in force.

    ``end``: "open", "closed", "exited" (its process exited with it open) or "died". ``node``: itself, or the proxy
    that it is a side of; then ``passes_to`` is the other side.
    """

    id: str
    type: str | None = None
    host: str | None = None
    clock: str | None = None
    """Hosts whose clocks are compared have one name for it."""
    process: str | None = None
    node: str | None = None
    node_type: str | None = None
    passes_to: str | None = None
    opened_at: float | None = None
    end: str = "open"
    ended_at: float | None = None
    unread: bool | None = None
    """Messages had reached it that it had not received when it was closed."""
    alive_at: float | None = None
    """Its process did something after that, or then."""
    heard_until: float | None = None
    """Until when what an open socket did is known; None of one that ended, of which all is."""
    first_up_at: float | None = None
    """When its first connection came up."""
    took_last_at: float | None = None
    """Since when a proxy's socket has counted nothing more coming in; ``asked_until``: until when it was asked."""
    asked_until: float | None = None
    sequence: str | None = None
    probed: bool = False
    probing_stopped_at: float | None = None
    never_drops: bool = False
    sndhwm: int | None = None
    rcvhwm: int | None = None
    linger: int | None = None
    conflate: int | None = None
    immediate: int | None = None
    req_relaxed: int | None = None
    mandatory: bool = False
    """ZMQ_ROUTER_MANDATORY was ever on; ``hands_over``: ZMQ_ROUTER_HANDOVER was."""
    hands_over: bool = False
    unwatched: bool = False
    """Not all that became of its connections is told."""
    has_strangers: bool = False
    """It had a peer that nobody tells of; ``may_have_strangers``: nothing tells whether it had."""
    may_have_strangers: bool = False
    has_connected: bool = False
    """It told of a connection."""
    unreadable: bool = False
    """A file of its host could not be read; ``loses_events``: some events of its process are nowhere."""
    loses_events: bool = False
    faulty: bool = False
    """Its instrumentation had a fault; ``read_past``: somebody may have received by it past the instrumentation."""
    read_past: bool = False
    never_connected: bool = False
    """It was watched all the time, and nobody ever connected to it."""
    calls_or_is_local: bool = False
    """It connected to somebody, or is bound to what is no TCP address: it may have peers that it never accepted."""

    @property
    def is_proxy(self) -> bool:
        return self.passes_to is not None


class Down(NamedTuple):
    """A connection that went down, and was up again at ``end`` (None: never). ``peer``: who had been there before, if that was another."""

    start: float
    end: float | None
    peer: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """The connection between two sockets, merged from what both ends told of it; by the sending end's clock.

    ``linked`` is False where only numbers tell that messages came this way. ``left_*`` is the last disconnection
    that the sending end saw, ``to_end_down_at`` the receiving end's; each None where a connection followed.
    """

    from_socket: str
    to_socket: str
    linked: bool = True
    transport: str | None = None
    mirrored: bool = False
    masqueraded: bool = False
    mistakable: bool = False
    unwatched: bool = False
    """Neither end that tells of it was watched all the time."""
    told: bool = False
    """Events of either end are known to be of it: without, nothing below is known."""
    downs: tuple[Down, ...] = ()
    former_downs: tuple[Down, ...] = ()
    """From the loss of a former peer at the same place to this connection, of a sender that connects."""
    hang_ups: tuple[Down, ...] = ()
    """Downs in which the receiver hung up over ZMQ_MAXMSGSIZE, and how sure that is."""
    hung_up: str | None = None
    sender_connects: bool | None = None
    connected_at: float | None = None
    sent_when_connected: int | None = None
    """Of the stream, by the sender's own count; ``sent_when_back``: at its newest connection."""
    sent_when_back: int | None = None
    received_when_back: int | None = None
    to_end_was_cut: bool = False
    is_down: bool = False
    left_at: float | None = None
    left_n: int | None = None
    left_sent: int | None = None
    to_end_down_at: float | None = None
    quit_at: float | None = None
    """One of the two was told to leave the other."""
    last_down_n: int | None = None
    """The sender's last event that tells of a disconnection from this peer."""
    from_end_stayed: bool = False
    """The sending end was there for longer than the receiving end's connection; ``to_end_stayed``: the other way round."""
    to_end_stayed: bool = False
    cut_alone: bool = False
    """One end alone saw it go down for good, while the other was there."""

    @property
    def edge(self) -> Edge:
        return self.from_socket, self.to_socket


@dataclass(frozen=True, slots=True)
class Hop:
    """One hop of a way. ``former``: the proxy's socket that was at its receiving end before; ``replaced``: there was one beside it at all."""

    from_socket: str
    to_socket: str
    transport: str | None = None
    former: str | None = None
    replaced: bool = False

    @property
    def edge(self) -> Edge:
        return self.from_socket, self.to_socket


@dataclass(frozen=True, slots=True)
class Way:
    """The hops of a stream to one receiver, and which end of it ended first.

    ``left_*``: when the receiver left, at which event of the sender and at which count of the stream.
    """

    stream: str
    receiver: str
    hops: tuple[Hop, ...]
    receiver_left_first: bool = False
    left_unsure: bool = False
    left_at: float | None = None
    left_elsewhere: bool = False
    left_n: int | None = None
    left_sent: int | None = None
    sent_when_joined: int | None = None
    receiver_went_at: float | None = None
    filtered_otherwise: bool = False
    """Subscriptions do not say what is sent along it."""

    @property
    def length(self) -> int:
        return len(self.hops)

    @property
    def last(self) -> Hop:
        return self.hops[-1]


@dataclass(frozen=True, slots=True)
class Lane:
    """How far a sender numbered a lane. ``sent`` is one past its last number.

    Its last number was sent between ``moved_after`` and ``moved_at``. ``counted_from``: the number of the stream's first message, where
    this is its only lane and the numbers follow each other; None where not.
    """

    stream: str
    lane: int
    topic: str = ""
    sent: int = 0
    begins: int = 0
    unused: int = 0
    """How many numbers below ``sent`` no message has."""
    carried: bool = False
    """The numbers are the messages' own."""
    sent_at_last: int | None = None
    frames_each: float | None = None
    moved_at: float | None = None
    moved_after: float | None = None
    announced_at: float | None = None
    all_counted: bool = True
    """Each message of the stream, by its socket's count, is in one of its lanes."""
    counted_from: int | None = 0

    @property
    def messages(self) -> int:
        return self.sent - self.unused


@dataclass(frozen=True, slots=True)
class Receipt:
    """The last word of a receiver on a lane. ``since`` is what came behind the last stamp, where stamps are sparse."""

    stream: str
    lane: int
    receiver: str
    count: int = 0
    first: int = 0
    next: int = 0
    since: int = 0
    newest_sent_at: float | None = None
    moved_at: float | None = None
    got_first_at: float | None = None
    by_count: bool = False
    """No number is known to have come: counts by topic tell how many did."""
    final: bool = False


@dataclass(frozen=True, slots=True)
class Totals:
    """A socket's last word on its counters."""

    socket: str
    sent: int = 0
    sent_more_frames: int = 0
    sent_bytes: int = 0
    received: int = 0
    onsets: int = 0
    unroutable: int = 0
    proxied_in_frames: int = 0
    proxied_at: float | None = None


@dataclass(frozen=True)
class Case:
    """Streams that meet, their ways and all that is known of those. ``ends_at`` is the newest moment known; a lane that moved within ``guard``
    seconds of it is not closed.
    """

    ends_at: float
    guard: float
    sockets: Mapping[str, Socket]
    links: Mapping[Edge, Link]
    ways: tuple[Way, ...]
    lanes: tuple[Lane, ...]
    receipts: tuple[Receipt, ...]
    totals: Mapping[str, Totals]
    gaps: tuple[Gap, ...] = ()
    onsets: tuple[Onset, ...] = ()
    progress: tuple[Progress, ...] = ()
    reads: tuple[Read, ...] = ()
    counted: tuple[Counted, ...] = ()
    subscribed: tuple[Subscribed, ...] = ()
    swallowed: tuple[Swallowed, ...] = ()
    readings: tuple[Reading, ...] = ()
    accepted: tuple[Accepted, ...] = ()
    not_checked: frozenset[tuple[str, str, int]] = frozenset()
    """Lanes (stream, receiver, lane) that cannot be checked."""
    unknown_downs: Mapping[str, tuple[Down, ...]] = field(default_factory=dict)
    """By sender: when connections of it were down of which nobody knows where they led."""
    window: frozenset[str] | None = None
    """The streams that are told of; None: all."""
    unreadable: bool = False
    """A file of some host could not be read."""
