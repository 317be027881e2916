"""An incident as a small record: all that its evidence and advice are written from."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from hopwatch_judge.place import Place

Evidence = dict[str, Any]
"""A fact: its ``kind``, its ``text``, and figures."""

NOBODY = "nobody"
"""The name of the receiving end of a hop that leads nowhere."""

NO_PEER = "a peer that was not there"
"""The name of whom a ROUTER had nowhere to send to."""

UNKNOWN_TRANSPORT = "unknown"
"""Of a hop of whose connection no event tells."""

PEERS_NAMED = 5
"""So many peers that a ROUTER could not reach are named. One more is kept: it shows that there are others."""
PEERS_KEPT = PEERS_NAMED + 1


@dataclass(frozen=True)
class KilledForMemory:
    """A process vanished when the kernel killed for memory: the one that was killed, or one of so many that vanished then.

    ``limit``: bytes that its cgroup may use; None if it has no limit.
    """

    of: int
    limit: int | None


@dataclass(frozen=True)
class Brief:
    """Labels of an incident's ends and streams: names alone, where these tell who is meant."""

    sender: str
    receiver: str
    streams: tuple[str, ...]


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
    sndbuf: int | None = None
    """ZMQ_SNDBUF of the sender, and ``rcvbuf``: ZMQ_RCVBUF of the receiver, in bytes; -1: the kernel's own, which grow."""
    rcvbuf: int | None = None
    mean_rate: float | None = None
    """Of the sender; ``asked_rate``: of all that send to the receiver, as far as it is sent their messages."""
    asked_rate: float | None = None
    asked_bytes: float | None = None
    """Of such a message, on average."""
    capacity: float | None = None
    overload_rate: float | None = None
    """What the receiver was sent for so long that it was no burst, and ``overload_read`` the most that it read then."""
    overload_read: float | None = None
    loss_share: float | None = None
    went_on: bool | None = None
    """The receiver got everything behind its last loss: more messages in a row than both marks let wait."""
    sent_on: float | None = None
    largest_burst: int | None = None
    """How many messages of all streams and lanes one burst lost on this hop of this cause, at most, in whatever incident: the mark that is advised holds them all."""
    mean_bytes: float | None = None
    """Of a message that is sent on this hop."""
    downs: int | None = None
    sender_connects: bool | None = None
    """The sender called, and the receiver is bound; else it is the other way round."""
    sent_when_connected: int | None = None
    receiver_left_first: bool | None = None
    linger: int | None = None
    """LINGER of the sender."""
    immediate: int | None = None
    """ZMQ_IMMEDIATE of the sender: 1 where it keeps no queue for who is not connected."""
    left_unread: bool | None = None
    """Messages had reached the receiver that it had not received when it was closed."""
    watched: bool | None = None
    """An end of the connection was watched all the time."""
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
    """Whether what was sent when the receiver hung up is "proven" to have been too large, or "likely"; "silent": it never called again."""
    largest_then: int | None = None
    """Bytes of the largest message that was sent when the receiver hung up, where counts of bytes tell."""
    sender_place: Place | None = None
    receiver_place: Place | None = None
    peers: tuple[str, ...] = ()
    """Routing ids (hex) that a ROUTER could not reach."""
    reasons: tuple[str, ...] = ()
    brief: "Brief | None" = None

    def briefly(self) -> "Incident":
        """The same for a text below its heading, which has told all that tells its ends apart."""
        if self.brief is None:
            return self
        return replace(
            self,
            sender=self.brief.sender,
            receiver=self.brief.receiver,
            stream_labels=self.brief.streams,
            brief=None,
        )

    @property
    def hop(self) -> str:
        return f"{self.sender} → {self.receiver}"

    @property
    def is_dark(self) -> bool:
        """Whether what is between its ends is not known: messages came, and no event tells of their connection."""
        return self.transport == UNKNOWN_TRANSPORT

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
        """Whether the receiver is known to read faster than it is sent messages on average."""
        asked = self.mean_rate if self.asked_rate is None else self.asked_rate
        return asked is not None and self.capacity is not None and self.capacity > asked
