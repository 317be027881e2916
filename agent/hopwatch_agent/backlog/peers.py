"""To whom sockets are connected."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hopwatch_agent.live.draft import Tables
from hopwatch_agent.live.state import SocketState


@dataclass
class Peers:
    """The sockets that a socket is connected to: this agent's own, and since when others, of which nothing is known.

    A proxy is one of the others: what is behind it may be.
    """

    here: set[str] = field(default_factory=set)
    elsewhere_since: int | None = None
    connections: int = 0


def peers_of(tables: Tables) -> dict[str, Peers]:
    """By socket, of those that have a connection now."""
    # by ipc there are no addresses
    ends: dict[tuple[str | None, str | None], str] = {
        (connection.local, connection.remote): connection.socket
        for connection in tables.connections.values()
        if connection.local is not None
    }
    found: dict[str, Peers] = {}
    for connection in tables.connections.values():
        if not connection.is_up:
            continue
        peers = found.setdefault(connection.socket, Peers())
        peers.connections += 1
        peer = tables.sockets.get(ends.get((connection.remote, connection.local), ""))
        if peer is not None and peer.proxy is None:
            peers.here.add(peer.socket)
        elif connection.local is not None:
            peers.elsewhere_since = min(connection.since, peers.elsewhere_since or connection.since)
    return found


def may_come_by_others(sender: SocketState, receiver: SocketState, peers: Mapping[str, Peers]) -> bool:
    """Whether a receiver is not known to have a sender's messages from itself: others on the way, as a proxy, may drop them."""
    told = peers.get(receiver.socket, Peers())
    if sender.socket in told.here:
        return False
    return told.elsewhere_since is not None or not set(sender.endpoints) & set(receiver.endpoints)
