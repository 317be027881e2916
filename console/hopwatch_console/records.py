"""What agents tell, as far as these commands show it. What an older agent leaves out has a default; what a newer one adds is passed over."""

from datetime import datetime
from typing import Any

import msgspec

from hopwatch_console.connection_records import Tcp


class Place(msgspec.Struct, frozen=True):
    """Where a process runs in Kubernetes."""

    namespace: str | None = None
    pod: str | None = None
    container: str | None = None
    node: str | None = None
    owner: str | None = None


class Process(msgspec.Struct, frozen=True):
    """Who owns a socket."""

    pid: int | None = None
    command: str = ""
    gone_at: datetime | None = None
    place: Place | None = None


class Counters(msgspec.Struct, frozen=True):
    """Totals since a socket was opened; ``pending_sends`` is how many sends wait in the application now."""

    sent: int = 0
    sent_bytes: int = 0
    received: int = 0
    received_bytes: int = 0
    eagain_sends: int = 0
    eagain_receives: int = 0
    waited_sends: int = 0
    waited_seconds: float = 0
    onsets: int = 0
    unroutable: int = 0
    gaps: int = 0
    lost: int = 0
    duplicated: int = 0
    reordered: int = 0
    proxied_in_frames: int = 0
    proxied_out_frames: int = 0
    pending_sends: int = 0


class Rates(msgspec.Struct, frozen=True):
    """The same totals, per second."""

    sent: float = 0
    sent_bytes: float = 0
    received: float = 0
    received_bytes: float = 0
    eagain_sends: float = 0
    eagain_receives: float = 0
    waited_sends: float = 0
    waited_seconds: float = 0
    onsets: float = 0
    unroutable: float = 0
    gaps: float = 0
    lost: float = 0
    duplicated: float = 0
    reordered: float = 0
    proxied_in_frames: float = 0
    proxied_out_frames: float = 0


class Backlog(msgspec.Struct, frozen=True):
    """Messages on their way, and for how many seconds the oldest has waited."""

    at_most: int
    at_least: int
    oldest_at_least: float = 0.0
    oldest_at_most: float | None = None


class Peer(msgspec.Struct, frozen=True):
    """One connection of a socket."""

    state: str
    local: str | None = None
    remote: str | None = None
    since: datetime | None = None
    tcp: Tcp | None = None


class OwnFinding(msgspec.Struct, frozen=True):
    """A finding of the socket that it is told with."""

    rule: str
    text: str
    advice: str = ""


class Socket(msgspec.Struct, frozen=True):
    """One socket. ``state`` and ``state_text`` are None where an older agent does not tell them; ``left_behind``: messages that it had not got when it
    ended; ``died_with``: that were on their way to it, at least, when its process died; ``proxy``: the id of the proxy that it is an end of.
    """

    id: str
    name: str
    type: str
    host: str = ""
    process: Process = Process()
    opened_at: datetime | None = None
    closed_at: datetime | None = None
    endpoints: tuple[str, ...] = ()
    options: dict[str, int] = {}
    counters: Counters = Counters()
    rates: Rates = Rates()
    peers: tuple[Peer, ...] = ()
    findings: tuple[OwnFinding, ...] = ()
    backlog_sent: Backlog | None = None
    backlog_received: Backlog | None = None
    state: str | None = None
    state_text: str | None = None
    left_behind: int | None = None
    numbered: bool | None = None
    unreceived: int = 0
    died_with: int | None = None
    proxy: str | None = None

    @property
    def missing(self) -> int:
        """Messages that it lacks, or swallowed, so far."""
        return self.counters.lost + self.counters.unroutable + (self.left_behind or 0)

    @property
    def is_uncounted(self) -> bool:
        """Whether messages that it lacks would not be known: nothing that it got was numbered."""
        return self.numbered is False and not self.missing


class Finding(msgspec.Struct, frozen=True):
    """Something wrong or risky in a socket's set-up."""

    socket: str
    socket_name: str
    rule: str
    text: str
    advice: str = ""
    type: str = ""
    host: str = ""
    process: Process = Process()
    closed_at: datetime | None = None


class Evidence(msgspec.Struct, frozen=True):
    """What speaks for a loss's cause."""

    text: str
    kind: str = ""


class Incident(msgspec.Struct, frozen=True):
    """Losses on one hop, close in time; ``source`` is "agent", or "analysis", which has the last word."""

    hop: str
    lost: int
    id: int | str | None = None
    socket: str | None = None
    stream: str | None = None
    host: str | None = None
    cause: str | None = None
    certainty: str | None = None
    preliminary: bool = True
    started_at: datetime | None = None
    ended_at: datetime | None = None
    gaps: int | None = None
    evidence: tuple[Evidence, ...] = ()
    advice: tuple[str, ...] | None = None
    source: str = "agent"
    analysed_at: datetime | None = None


class Event(msgspec.Struct, frozen=True):
    """Something that happened to a socket or a process."""

    id: int
    kind: str
    at: datetime
    host: str = ""
    process: str | None = None
    values: dict[str, Any] = {}
