"""The two addresses of a connection, as monitors tell them, and as the kernel takes them."""

import socket
from functools import lru_cache
from typing import NamedTuple

_MAPPED = bytes(10) + b"\xff\xff"


class End(NamedTuple):
    """A packed address of 4 or 16 bytes, the port, and the index of the interface that a link-local one is of."""

    address: bytes
    port: int
    interface: int = 0


class Ends(NamedTuple):
    """A connection as one of its ends sees it."""

    local: End
    remote: End

    @property
    def seen_from_the_other(self) -> "Ends":
        """The same connection as its other end sees it."""
        return Ends(self.remote, self.local)


def ends_of(local: str | None, remote: str | None) -> Ends | None:
    """The ends of a connection whose addresses are "127.0.0.1:5555" or "[::1]:5555"; None if one of them is none."""
    near, far = _end(local), _end(remote)
    return Ends(near, far) if near and far and len(near.address) == len(far.address) else None


def _end(text: str | None) -> End | None:
    # the number of an interface may change under its name
    return _read_end(text) if text and "%" in text else _known_end(text)


@lru_cache(maxsize=8192)
def _known_end(text: str | None) -> End | None:
    return _read_end(text)


def _read_end(text: str | None) -> End | None:
    host, colon, port = (text or "").rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or not 0 < int(port[:6]) <= 0xFFFF:
        return None
    bare, _, scope = host.removeprefix("[").removesuffix("]").partition("%")
    family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
    try:
        packed = socket.inet_pton(family, bare)
        interface = socket.if_nametoindex(scope) if scope else 0
    except (OSError, ValueError):
        return None
    # the kernel keeps IPv4 on a socket of IPv6 among those of IPv4
    return End(packed.removeprefix(_MAPPED) if packed.startswith(_MAPPED) else packed, int(port), interface)
