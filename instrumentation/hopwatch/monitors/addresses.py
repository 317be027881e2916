"""The two addresses of the connection behind a descriptor that a monitor event names."""

import os
import socket
from typing import NamedTuple, cast

from hopwatch.native_threads import original


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
        with _socket_of(os.dup(descriptor)) as connection:
            local, remote = connection.getsockname(), connection.getpeername()
    except OSError:
        return UNKNOWN
    named = local if accepted else remote
    if not isinstance(named, tuple) or str(named[1]) != endpoint.rpartition(":")[2]:
        return UNKNOWN
    return Addresses(_text(local), _text(remote))


def _socket_of(descriptor: int) -> socket.socket:
    """The socket that owns this descriptor from now on; closes it and raises OSError if it is none of a socket."""
    try:
        return cast(socket.socket, original(socket, "socket")(fileno=descriptor))
    except OSError:
        os.close(descriptor)
        raise


def _text(address: tuple[str, int]) -> str:
    host = address[0]
    return f"[{host}]:{address[1]}" if ":" in host else f"{host}:{address[1]}"
