"""What was told of lanes, sockets and connections over time: rows of a case, of which there may be millions. Times and numbers are as in case.py."""

from typing import NamedTuple


class Gap(NamedTuple):
    """A row of a receiver on a lane. ``action``: "gap", "late" (came after all) or "skipped" (was not owed)."""

    stream: str
    receiver: str
    lane: int
    action: str
    first: int
    last: int
    lost: int | None = None
    before: int | None = None
    """Numbers of the stream's messages around it, and when those were sent; ``at``: when the receiver saw it."""
    after: int | None = None
    before_sent_at: float | None = None
    after_sent_at: float | None = None
    received: int | None = None
    at: float | None = None
    sparse: bool = False
    """Its numbers stand for others: how many are missing is known, and not which."""


class Onset(NamedTuple):
    """A message that met a full pipe: its number in the stream, and in its lane where that is known."""

    stream: str
    number: int
    lane: int | None
    lane_number: int | None
    at: float


class Progress(NamedTuple):
    """How far a sender had numbered a lane: one past the last number. ``kind``: "sample", "final", or "got" (told by what a receiver had)."""

    stream: str
    lane: int
    at: float
    kind: str
    n: int | None
    numbered: int
    messages: int | None = None
    """Of the lane, by its sender; None where a receiver tells."""


class Read(NamedTuple):
    """A receiver's sample of a lane: at that time its newest message had been sent then."""

    stream: str
    receiver: str
    at: float
    newest_sent_at: float


class Counted(NamedTuple):
    """A sample of a socket's counters."""

    socket: str
    at: float
    sent: int
    received: int
    waits: int
    """Receives that found nothing, and ``blocked``: those of them that waited."""
    blocked: int
    unroutable: int


class Subscribed(NamedTuple):
    """A filtering receiver subscribed to a topic (hex), or ``subscribes`` no more."""

    receiver: str
    topic: str
    subscribes: bool
    at: float
    n: int | None


class Swallowed(NamedTuple):
    """A run of messages that a ROUTER took and had nowhere to send to; ``lane`` is None where they have none, and then the numbers are the stream's."""

    stream: str
    lane: int | None
    first: int
    last: int
    at: float | None


class Reading(NamedTuple):
    """What the kernel at the sending end said limited a connection: "network", "receiver", "neither" or "unknown"."""

    from_socket: str
    to_socket: str
    at: float
    limited_by: str | None


class Accepted(NamedTuple):
    """A connection of a ROUTER that numbers its messages; ``peer`` is None where it is not known."""

    router: str
    accepted: bool
    peer: str | None
