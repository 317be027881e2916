"""What the analysis found, as small records: all that report and verdict are written from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from hopwatch_analysis.buckets import Timeline

Evidence = dict[str, Any]
"""A fact: its ``kind``, its ``text``, and figures."""

NOBODY = "nobody"
"""The name of the receiving end of a hop that leads nowhere."""


@dataclass(frozen=True)
class Node:
    """One end of a hop: a socket, or a whole proxy; nobody has no socket. ``label`` is its name, and more where others have
    that too.
    """

    host: str | None
    process: str | None
    socket: str | None
    name: str
    label: str
    type: str | None


@dataclass(frozen=True)
class Hop:
    """Messages that reached a hop, and what became of them there."""

    sender: Node
    receiver: Node
    transport: str
    sent: int
    delivered: int
    lost: int
    in_flight: int
    unexplained: int

    @property
    def label(self) -> str:
        return f"{self.sender.label} → {self.receiver.label}"


@dataclass(frozen=True)
class LedgerRow:
    """Messages of one stream owed to one receiver (None: to one of several, not known which)."""

    stream: str
    name: str
    label: str
    receiver: str | None
    receiver_name: str | None
    receiver_label: str | None
    sent: int
    delivered: int
    lost: int
    in_flight: int
    unexplained: int
    causes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class KilledForMemory:
    """A process vanished when the kernel killed for memory: the one that was killed, or one of so many that vanished then.

    ``limit``: bytes that its cgroup may use; None if it has no limit.
    """

    of: int
    limit: int | None


@dataclass(frozen=True)
class Incident:
    """Losses on one hop, of one cause, close in time. Sender, receiver and streams are told by their labels.

    Rates are messages a second; marks as the sockets had them.
    """

    sender: str
    receiver: str
    sender_type: str | None
    receiver_type: str | None
    sender_end: str | None
    receiver_end: str | None
    cause: str
    exact: bool
    started_at: datetime | None
    ended_at: datetime | None
    lost: int
    runs: int
    longest: int
    onsets: int
    streams: tuple[str, ...]
    stream_labels: tuple[str, ...]
    transport: str | None = None
    sndhwm: int | None = None
    rcvhwm: int | None = None
    mean_rate: float | None = None
    capacity: float | None = None
    loss_share: float | None = None
    went_on: bool | None = None
    """The receiver got everything behind its last loss: more messages in a row than both marks let wait."""
    sent_on: float | None = None
    downs: int | None = None
    sent_when_connected: int | None = None
    receiver_left_first: bool | None = None
    linger: int | None = None
    """LINGER of the sender."""
    left_unread: bool | None = None
    """Messages had reached the receiver that it had not received when it was closed."""
    window_was_full: bool | None = None
    """The kernel at the sending end said that the receiver was the limit."""
    rtt_us: int | None = None
    """The longest round trip while the network limited the connection; ``min_rtt_us``: the shortest ever."""
    min_rtt_us: int | None = None
    retransmissions: int | None = None
    """Of ``segments_sent``, on connections that the network limited."""
    segments_sent: int | None = None
    sender_killed: KilledForMemory | None = None
    receiver_killed: KilledForMemory | None = None
    took_over_at: datetime | None = None
    """When the receiver was connected to the sender, a proxy that came in another's place."""
    conflated_at: str | None = None
    """The end that has ZMQ_CONFLATE: "sender" or "receiver"."""
    maxmsgsize: int | None = None
    """ZMQ_MAXMSGSIZE of the receiver; -1 where it has none."""
    hung_up: str | None = None
    """Whether what was sent when the receiver hung up is "proven" to have been too large, or "likely"."""
    peers: tuple[str, ...] = ()
    """Routing ids (hex) that a ROUTER could not reach."""
    reasons: tuple[str, ...] = ()

    @property
    def hop(self) -> str:
        return f"{self.sender} → {self.receiver}"

    @property
    def took_over(self) -> bool:
        """Whether these are from before the receiver was connected to a proxy that came in another's place."""
        if self.started_at is None or self.took_over_at is None:
            return False
        return self.started_at <= self.took_over_at

    @property
    def thrown_away(self) -> bool:
        """Whether the sender was closed first, and with LINGER 0: then libzmq throws away what it still has queued, but
        over inproc. Not where the receiver left messages unread as well: it may have been either.
        """
        closed_first = self.sender_end == "closed" and not self.receiver_left_first
        without_linger = self.linger == 0 and self.transport in ("tcp", "ipc")
        return self.cause == "closed" and closed_first and without_linger and not self.left_unread

    @property
    def keeps_up(self) -> bool:
        """Whether the receiver is known to read faster than the sender sends on average."""
        return self.mean_rate is not None and self.capacity is not None and self.capacity > self.mean_rate


@dataclass(frozen=True)
class Finding:
    """Something wrong or risky in a socket's set-up."""

    socket: str
    label: str
    rule: str
    text: str
    advice: str


@dataclass(frozen=True)
class Fault:
    """A fault of the instrumentation, or input that an agent could not read."""

    at: datetime | None
    host: str | None
    process: str | None
    socket: str | None
    text: str


@dataclass(frozen=True)
class LostEvents:
    """How many of a process's events no agent has: ``unreadable`` of them were there, the others had gone before."""

    host: str | None
    process: str
    command: str | None
    events: int
    unreadable: int = 0


@dataclass(frozen=True)
class Unchecked:
    """Messages of which it cannot be told whether they were lost: ``reason`` is "unstamped", "routed" (unstamped, by a ROUTER),
    "partial", "filtered", "nobody" (was there to get them), "unreadable" (a file of an end's host) or "unknown_sender" (then there is no stream).

    ``sent`` by the sender in all, ``received`` by the receiver from all such senders (None: not known). ``missing_at_most`` is
    known where both have nobody else. ``shared_out``: each message went to one of several receivers.
    """

    reason: str
    stream: str | None
    name: str | None
    receiver: str | None
    receiver_name: str | None
    sent: int | None
    received: int | None
    missing_at_most: int | None = None
    shared_out: bool = False
    label: str | None = None
    receiver_label: str | None = None

    @property
    def agreed_on(self) -> int:
        """Where counts agree: what they are in sum, over all receivers that share a stream, or all senders of one receiver."""
        return max(self.sent or 0, self.received or 0)

    @property
    def sender_is_called(self) -> str | None:
        return self.label or self.name

    @property
    def receiver_is_called(self) -> str | None:
        return self.receiver_label or self.receiver_name


@dataclass(frozen=True)
class Analysis:
    """All that was found."""

    began_at: datetime | None
    ended_at: datetime | None
    hops: tuple[Hop, ...]
    ledger: tuple[LedgerRow, ...]
    incidents: tuple[Incident, ...]
    findings: tuple[Finding, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    unchecked: tuple[Unchecked, ...] = ()
    agreed: tuple[Unchecked, ...] = ()
    """Of those senders without stamps: all that was sent was received, by the counts."""
    faults: tuple[Fault, ...] = ()
    """The first of them."""
    fault_count: int = 0
    lost_events: tuple[LostEvents, ...] = ()
    clocks: Mapping[str, float] = field(default_factory=dict)
    """Seconds by which these hosts' clocks are ahead of the others'; all times are told by the others'."""
    timeline: Timeline | None = None

    @property
    def evidence_is_incomplete(self) -> bool:
        """Whether something is known to have happened that the files which could be used do not tell."""
        return bool(self.fault_count or self.lost_events or self.skipped)
