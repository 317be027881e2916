"""Which sockets are at both ends of a connection, also of one that went down."""

from collections import defaultdict
from collections.abc import Iterator

from hopwatch_agent.live.draft import Tables
from hopwatch_agent.live.state import ConnectionState, SocketState

TOLD_WITHIN_NS = 60_000_000_000
"""Both ends see that a connection is gone within such a time, or it is not one connection."""


class Ends:
    """Of the connections that are known now."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._by_addresses: dict[tuple[str | None, str | None], list[ConnectionState]] = {}
        self._by_path: defaultdict[tuple[str, str, bool], list[ConnectionState]] = defaultdict(list)
        for connection in tables.connections.values():
            if connection.connection is None:
                continue
            if connection.local is not None:
                ends = (connection.local, connection.remote)
                self._by_addresses.setdefault(ends, []).append(connection)
            else:
                self._by_path[self._path(connection, accepted=connection.accepted)].append(connection)

    def peer_of(self, connection: ConnectionState) -> SocketState | None:
        """The socket at the other end; None where it is not this agent's, or not the only one it may be."""
        sockets = {other.socket for other in self.other_ends(connection)}
        return self._tables.sockets.get(sockets.pop()) if len(sockets) == 1 else None

    def other_ends(self, connection: ConnectionState) -> list[ConnectionState]:
        """What the connection may be at its other end."""
        if connection.connection is None:
            return []
        if connection.local is not None:
            return list(self._mirrored(connection))
        # by ipc there are no addresses: of several connections at one path it is not known which is whose
        ours, theirs = (
            self._by_path[self._path(connection, accepted=accepted)]
            for accepted in (connection.accepted, not connection.accepted)
        )
        if connection.is_up:
            ours, theirs = ([one for one in ends if one.is_up] for ends in (ours, theirs))
        return theirs if len(ours) == len(theirs) == 1 else []

    def _mirrored(self, connection: ConnectionState) -> Iterator[ConnectionState]:
        """Ports are used again: of a connection that is up the other end is up, and of one that went down it went at about that time, or does not know yet."""
        for other in self._by_addresses.get((connection.remote, connection.local), ()):
            if connection.is_up:
                let_go = other.let_go_at is not None and other.let_go_at >= connection.since
                is_it = other.is_up or let_go
            elif other.is_up:
                is_it = other.since <= connection.since
            else:
                is_it = abs(other.since - connection.since) <= TOLD_WITHIN_NS
            if is_it:
                yield other

    def _path(self, connection: ConnectionState, *, accepted: bool) -> tuple[str, str, bool]:
        """A path of one container is not that of another."""
        process = self._tables.processes.get(connection.process)
        place = process.place if process else None
        return connection.endpoint, (place.container or "") if place else "", accepted
