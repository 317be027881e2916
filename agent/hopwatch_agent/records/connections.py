"""Events of connections."""

import re

from hopwatch_agent.records.fields import Count, Event, Id

_MAPPED = re.compile(r"\[::ffff:([0-9.]+)\](:[0-9]+)")


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


def as_ipv4(address: str | None) -> str | None:
    """An address of IPv4 as its other end writes it, where a socket of IPv6 has it as "[::ffff:10.0.0.1]:5555"."""
    mapped = _MAPPED.fullmatch(address or "")
    return address if mapped is None else f"{mapped[1]}{mapped[2]}"
