"""The addresses of a connection that a monitor event tells of, and what the application calls its endpoint.

From the second connection on, libzmq (4.3.5, by ``tests/instrumentation/test_endpoint_names.py``) names an endpoint by the address that it was
resolved to: ``tcp://feed:5556`` becomes ``tcp://10.0.0.7:5556``, and another address again where the name was moved.
"""

import os
import socket
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from hopwatch.native_threads import original

TCP = "tcp://"
MOST_ADDRESSES = 1000
"""A name that is moved again and again must not fill the application's memory: the oldest are forgotten."""


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
    if not endpoint.startswith(TCP):
        return UNKNOWN
    try:
        with _socket_of(os.dup(descriptor)) as connection:
            local, remote = connection.getsockname(), connection.getpeername()
    except OSError:
        return UNKNOWN
    named = local if accepted else remote
    if not isinstance(named, tuple) or str(named[1]) != _port(endpoint):
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


@dataclass(eq=False)
class Called:
    """Of one socket: which names its connections had, and which address each was resolved to."""

    names: dict[str, bool] = field(default_factory=dict)
    """Whether it is known where the name led."""
    resolved: dict[str, str] = field(default_factory=dict)

    def name(self, endpoint: str, given: Collection[str]) -> str:
        """The endpoint as the application gave it; ``given``: those that it is known to have given."""
        if endpoint in given or not is_address(endpoint):
            return endpoint
        known = self.resolved.get(endpoint)
        if known is not None:
            return known
        port = _port(endpoint)
        candidates = [name for name, led in self.names.items() if not led and _port(name) == port]
        return candidates[0] if len(candidates) == 1 else endpoint

    def learn(self, name: str, remote: str | None) -> None:
        """A connection of this name came up, to such an address (None: not known)."""
        if not name.startswith(TCP) or is_address(name):
            return
        self.names[name] = self.names.get(name, False) or remote is not None
        if remote is not None:
            self.resolved.pop(TCP + remote, None)
            self.resolved[TCP + remote] = name
            if len(self.resolved) > MOST_ADDRESSES:
                del self.resolved[next(iter(self.resolved))]


def is_address(endpoint: str) -> bool:
    """Whether it is a TCP endpoint without a name that would have to be resolved."""
    host = endpoint.removeprefix(TCP).rpartition(":")[0]
    numbers = host.startswith("[") or not host.strip("0123456789.")
    return endpoint.startswith(TCP) and bool(host) and numbers


def _port(endpoint: str) -> str:
    return endpoint.rpartition(":")[2]
