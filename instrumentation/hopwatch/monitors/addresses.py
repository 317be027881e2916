"""The two addresses of the connection behind a descriptor that a monitor event names."""

import os
import socket
from typing import NamedTuple


class Addresses(NamedTuple):
    """``host:port`` of both ends; None where they cannot be told (ipc, or the connection is gone already)."""

    local: str | None
    remote: str | None


UNKNOWN = Addresses(None, None)


def addresses_of(descriptor: int, endpoint: str, accepted: bool) -> Addresses:
    """Addresses of a TCP connection.

    The descriptor may have been closed and given to another file since the event: the end that the event's endpoint names must
    have the endpoint's port.
    """
    if not endpoint.startswith("tcp://"):
        return UNKNOWN
    try:
        with _socket_of(descriptor) as connection:
            local, remote = connection.getsockname(), connection.getpeername()
    except OSError:
        return UNKNOWN
    named = local if accepted else remote
    if not isinstance(named, tuple) or str(named[1]) != endpoint.rpartition(":")[2]:
        return UNKNOWN
    return Addresses(_text(local), _text(remote))


def _socket_of(descriptor: int) -> socket.socket:
    """A socket object with a descriptor of its own. Raises OSError, which leaves none open."""
    duplicate = os.dup(descriptor)
    try:
        return socket.socket(fileno=duplicate)
    except OSError:  # it belongs to something else than a socket by now
        os.close(duplicate)
        raise


def _text(address: tuple[str, int]) -> str:
    host = address[0]
    return f"[{host}]:{address[1]}" if ":" in host else f"{host}:{address[1]}"
