"""Events of connections."""

from hopwatch_agent.records.fields import Count, Event, Id


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
