"""What agents tell of connections. As in ``records``, what an older one leaves out has a default."""

from datetime import datetime

import msgspec


class Tcp(msgspec.Struct, frozen=True):
    """What the kernel knows of a connection, as far as it is shown."""

    at: datetime | None = None
    limited_by: str = "unknown"
    evidence: tuple[str, ...] = ()
    rtt_us: int | None = None
    retransmissions: int | None = None
    unsent: int | None = None
    receive_queue: int | None = None


class Ended(msgspec.Struct, frozen=True):
    """Why a connection went down, as far as it is known."""

    how: str
    text: str


class PlaceOfMessages(msgspec.Struct, frozen=True):
    """Where messages may be: ``place`` is sender or receiver (its pipe, which ``mark`` bounds), or kernel (``bytes`` in the buffers of both ends)."""

    place: str
    at_most: int
    socket_name: str | None = None
    mark: int | None = None
    bytes: int | None = None


class Waiting(msgspec.Struct, frozen=True):
    """How many messages wait on a connection, and where they may be."""

    at_least: int
    at_most: int
    places: tuple[PlaceOfMessages, ...] = ()


class Connection(msgspec.Struct, frozen=True):
    """One connection, with its socket. ``ended`` is None while it is up, and where it never was; ``waiting`` where it is not known."""

    socket: str
    socket_name: str
    endpoint: str
    state: str
    host: str = ""
    connection: int | None = None
    local: str | None = None
    remote: str | None = None
    accepted: bool = False
    since: datetime | None = None
    reason: str | None = None
    ended: Ended | None = None
    waiting: Waiting | None = None
    tcp: Tcp | None = None
    peer: str | None = None
    peer_name: str | None = None

    @property
    def is_up(self) -> bool:
        """Whether messages can go over it."""
        return self.state in {"connected", "ready"}
