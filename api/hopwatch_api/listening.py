"""Where HTTP may be served: only this host, unless clients have to prove who they are."""

import errno
import ipaddress
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hopwatch_agent.errors import SettingsError
from hopwatch_agent.settings.sections import AccessSettings, ListenSettings

_BACKLOG = 2048
"""As many as may come while the ticks keep the one that accepts from its turn."""


@dataclass(frozen=True)
class Place:
    """An address of this machine that can be listened on."""

    family: socket.AddressFamily
    address: tuple[Any, ...]

    @property
    def is_loopback(self) -> bool:
        """Whether only this host reaches it."""
        return address_of(self.address[0]).is_loopback


def address_of(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """An address, IPv4 if it is one within IPv6; raises ``ValueError``."""
    address = ipaddress.ip_address(text)
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def place_of(listen: ListenSettings, access: AccessSettings) -> Place:
    """What the setting comes to. A name is asked for once, so that what was judged is what is listened on.

    Raises ``SettingsError`` if there is no such place, or if it is not safe.
    """
    place = _resolved(listen)
    if place.is_loopback or not access.for_this_host_alone or access.open_to_others != "nothing":
        return place
    raise SettingsError(
        f"refusing to serve other hosts at {listen.host}:{listen.port} without a token: "
        "set HOPWATCH_AGENT_TOKEN_FILE (or token, or tls_client_ca), or say --open-to-others probes, or --insecure"
    )


def _resolved(listen: ListenSettings) -> Place:
    try:
        host = str(address_of(listen.host))
    except ValueError:
        host = listen.host
    try:
        found = socket.getaddrinfo(host, listen.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise SettingsError(f"cannot listen on {listen.host}:{listen.port}: {error}") from error
    places = [Place(family, address) for family, _, _, _, address in found]
    # a name of several addresses: the one that fewest can reach
    return min(places, key=lambda place: (not place.is_loopback, place.family != socket.AF_INET))


def _reason(error: OSError) -> str:
    # create_server says the address once more in it
    text = os.strerror(error.errno) if error.errno else str(error)
    if error.errno == errno.EADDRINUSE:
        return (
            f"{text}: perhaps an agent runs there already; else choose another place with --listen HOST:PORT"
        )
    return text


@contextmanager
def listening(place: Place) -> Iterator[socket.socket]:
    """A socket that listens there. ``::`` takes IPv4 too. Raises ``SettingsError``."""
    host, port = place.address[:2]
    both = host == "::" and socket.has_dualstack_ipv6()
    try:
        listener = socket.create_server(
            place.address, family=place.family, backlog=_BACKLOG, dualstack_ipv6=both
        )
    except OSError as error:
        raise SettingsError(f"cannot listen on {host}:{port}: {_reason(error)}") from error
    with listener:
        # asyncio does it only for sockets that name their protocol; without it each answer waits for a delayed acknowledgement, 40 ms
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield listener
