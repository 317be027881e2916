"""What is read of a report.json; whatever else it has is passed over."""

from datetime import datetime

import msgspec
from msgspec import Raw, Struct, field

from hopwatch_agent.errors import ReportError
from hopwatch_agent.records import Place


class Window(Struct, frozen=True):
    """The time that was looked at; None: nothing had happened."""

    begins_at: datetime | None = field(name="from")
    ends_at: datetime | None = field(name="to")


class End(Struct, frozen=True):
    """One end of a hop; nobody has no socket."""

    host: str | None
    process: str | None
    socket: str | None
    name: str | None
    type: str | None
    place: Place | None = None


class Hop(Struct, frozen=True):
    """Where messages went."""

    hop: str
    sender: End = field(name="from")
    receiver: End = field(name="to")


class Entry(Struct, frozen=True):
    """Of the ledger: what became of a stream's messages at one receiver. None: at one of several, it is not known which."""

    stream: str
    lost: int
    in_flight: int
    unexplained: int
    receiver: str | None = None


class Evidence(Struct, frozen=True):
    """What speaks for a cause."""

    kind: str
    text: str


class Incident(Struct, frozen=True):
    """Losses on one hop, of one cause, close in time."""

    hop: str
    cause: str
    certainty: str
    started_at: datetime | None
    ended_at: datetime | None
    lost: int
    streams: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    advice: tuple[str, ...]


class HostBehind(Struct, frozen=True):
    """Of a host nothing had landed that was newer."""

    host: str
    newest_event: datetime | None


class Clock(Struct, frozen=True):
    """The clock of a host is ahead of the one that times are told by."""

    host: str
    ahead_by_ms: int


class Content(Struct, frozen=True):
    """One report."""

    window: Window
    hops: tuple[Hop, ...]
    ledger: tuple[Entry, ...]
    incidents: tuple[Incident, ...]
    hosts_behind: tuple[HostBehind, ...]
    clocks: tuple[Clock, ...]


class _Unread(Struct, frozen=True):
    window: Window
    hops: list[Raw]
    ledger: list[Raw]
    incidents: list[Raw]
    hosts_behind: tuple[HostBehind, ...] = ()
    clocks: tuple[Clock, ...] = ()


_unread = msgspec.json.Decoder(_Unread)
_hop = msgspec.json.Decoder(Hop)
_entry = msgspec.json.Decoder(Entry)
_incident = msgspec.json.Decoder(Incident)


def content_of(text: bytes) -> Content:
    """What a report says. Raises ``ReportError`` where it is none that this agent can read."""
    try:
        unread = _unread.decode(text)
        # one after the other: while all of them are read at one go, nothing else in this process runs
        return Content(
            unread.window,
            tuple(map(_hop.decode, unread.hops)),
            tuple(map(_entry.decode, unread.ledger)),
            tuple(map(_incident.decode, unread.incidents)),
            unread.hosts_behind,
            unread.clocks,
        )
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ReportError(f"it is no report of hopwatch analyze that this agent can read: {error}") from error
