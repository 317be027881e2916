"""To whom sockets are connected."""

from dataclasses import dataclass, field

from hopwatch_agent.live.draft import Tables

UP = frozenset({"connected", "ready"})


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
    ends = {
        (connection.local, connection.remote): connection.socket for connection in tables.connections.values()
    }
    found: dict[str, Peers] = {}
    for connection in tables.connections.values():
        if connection.state not in UP:
            continue
        peers = found.setdefault(connection.socket, Peers())
        peers.connections += 1
        peer = tables.sockets.get(ends.get((connection.remote, connection.local), ""))
        if peer is not None and peer.proxy is None:
            peers.here.add(peer.socket)
        elif connection.local is not None:
            peers.elsewhere_since = min(connection.since, peers.elsewhere_since or connection.since)
    return found
