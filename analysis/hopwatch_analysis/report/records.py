"""What the analysis found, as small records: all that report and verdict are written from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from hopwatch_judge import Incident, Place

from hopwatch_analysis.files.contradictions import SetAside
from hopwatch_analysis.terms.buckets import Timeline


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
    place: Place | None = None


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
class Finding:
    """Something wrong or risky in a socket's set-up."""

    socket: str
    label: str
    rule: str
    text: str
    advice: str


@dataclass(frozen=True)
class Fault:
    """A fault of the instrumentation (of the socket that ``label`` names, where it is of one), or input that an agent could not read."""

    at: datetime | None
    host: str | None
    process: str | None
    socket: str | None
    text: str
    label: str | None = None


@dataclass(frozen=True)
class LostEvents:
    """How many of a process's events no agent has: ``unreadable`` of them were there, the others had gone before."""

    host: str | None
    process: str
    command: str | None
    events: int
    unreadable: int = 0


@dataclass(frozen=True)
class HostBehind:
    """A host with open sockets of which nothing has landed that is as new as what others landed."""

    host: str
    heard_until: datetime
    seconds: float


@dataclass(frozen=True)
class Unchecked:
    """Messages of which it cannot be told whether they were lost: ``reason`` is "unstamped", "routed" (unstamped, by a ROUTER),
    "partial", "filtered", "nobody" (was there to get them), "unreadable" (a file of an end's host) or "unknown_sender" (then there is no stream).

    ``sent`` by the sender in all, ``received`` by the receiver from all such senders (None: not known). ``missing_at_most`` is
    known where both have nobody else. ``shared_out``: each message went to one of several receivers, of which all together got
    ``received_by_all`` (None: not known).
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
    received_by_all: int | None = None
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
    """Those that lost most, as many as are told of; ``more_incidents``: how many others there are."""
    findings: tuple[Finding, ...]
    more_incidents: int = 0
    skipped: tuple[tuple[str, str], ...] = ()
    contradictions: tuple[SetAside, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()
    agreed: tuple[Unchecked, ...] = ()
    """Of those senders without stamps: all that was sent was received, by the counts."""
    shared_with_strangers: frozenset[str] = frozenset()
    """Shared-out streams of which others than their known receivers may have got some messages."""
    faults: tuple[Fault, ...] = ()
    """The first of them."""
    fault_count: int = 0
    lost_events: tuple[LostEvents, ...] = ()
    behind: tuple[HostBehind, ...] = ()
    clocks: Mapping[str, float] = field(default_factory=dict)
    """Seconds by which these hosts' clocks are ahead of the others'; all times are told by the others'."""
    timeline: Timeline | None = None

    @property
    def incident_count(self) -> int:
        """How many there are in all."""
        return len(self.incidents) + self.more_incidents

    @property
    def evidence_is_incomplete(self) -> bool:
        """Whether something is known to have happened that the files which could be used do not tell."""
        return bool(
            self.fault_count or self.lost_events or self.skipped or self.contradictions or self.behind
        )
