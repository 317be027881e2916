"""Connections, what waits on them, and why they went down."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class EndedView:
    """Why a connection went down. ``how``: closed, exited, died, killed_for_memory (the other end, or its process), let_go (by an application's
    disconnect), cut (both ends are still there) or unknown.
    """

    how: str
    text: str


@dataclass(frozen=True)
class PlaceOfMessages:
    """``place``: sender or receiver (their pipes in libzmq; ``socket_name``, and the ``mark`` that bounds it), or kernel (both ends' buffers, ``bytes``)."""

    place: str
    socket_name: str | None
    mark: int | None
    at_most: int
    bytes: int | None


@dataclass(frozen=True)
class WaitingView:
    """Messages that wait on a connection, and where they may be."""

    at_least: int
    at_most: int
    places: list[PlaceOfMessages]


@dataclass(frozen=True)
class ConnectionView:
    """One connection, with its socket, and the one at its other end where that is this agent's too."""

    socket: str
    socket_name: str
    host: str
    peer: str | None
    peer_name: str | None
    connection: int | None
    endpoint: str
    local: str | None
    remote: str | None
    accepted: bool
    state: str
    since: datetime
    reason: str | None
    ended: EndedView | None
    waiting: WaitingView | None
    tcp: dict[str, Any] | None
