"""What the analysis found, as small records: all that report and verdict are written from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class Node:
    """One end of a hop: a socket, or a whole proxy."""

    host: str | None
    process: str | None
    socket: str
    name: str
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
        return f"{self.sender.name} → {self.receiver.name}"


@dataclass(frozen=True)
class LedgerRow:
    """Messages of one stream owed to one receiver (None: to one of several, not known which)."""

    stream: str
    name: str
    receiver: str | None
    receiver_name: str | None
    sent: int
    delivered: int
    lost: int
    in_flight: int
    unexplained: int
    causes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Incident:
    """Losses on one hop, of one cause, close in time. Rates are messages a second; marks as the sockets had them."""

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
    stream_names: tuple[str, ...]
    transport: str | None = None
    sndhwm: int | None = None
    rcvhwm: int | None = None
    mean_rate: float | None = None
    capacity: float | None = None
    loss_share: float | None = None
    downs: int | None = None
    sent_when_connected: int | None = None
    receiver_left_first: bool | None = None
    peers: tuple[str, ...] = ()
    """Routing ids (hex) that a ROUTER could not reach."""
    reasons: tuple[str, ...] = ()

    @property
    def hop(self) -> str:
        return f"{self.sender} → {self.receiver}"


@dataclass(frozen=True)
class Finding:
    """Something wrong or risky in a socket's set-up."""

    socket: str
    rule: str
    text: str
    advice: str


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
