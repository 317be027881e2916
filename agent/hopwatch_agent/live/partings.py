"""Why a connection went down, as far as both ends and the kernel tell."""

import time
from collections import defaultdict

from hopwatch_agent.live.answers import EndedView
from hopwatch_agent.live.draft import Tables
from hopwatch_agent.live.ends import Ends
from hopwatch_agent.live.state import ConnectionState, ProcessState, SocketState
from hopwatch_agent.live.times import moment

SETTLED_NS = 5_000_000_000
"""By then it is known whether the other end was closed, or its process is gone."""
AT_ONCE_NS = 1_000_000_000
"""What is written so much later than a connection went down may still have ended it: whoever closes a socket writes it down afterwards."""
FOUND_WITHIN_NS = 60_000_000_000
"""An agent that was not away finds in such a time that a process is gone."""


class Partings:
    """Of one moment."""

    def __init__(self, tables: Tables, ends: Ends) -> None:
        self._tables = tables
        self._ends = ends
        self._up: defaultdict[str, list[ConnectionState]] = defaultdict(list)
        for connection in tables.connections.values():
            if connection.is_up:
                self._up[connection.socket].append(connection)

    def ended(self, connection: ConnectionState) -> EndedView | None:
        """What is known of the end of a connection of a socket in use; None while it is up, or was never."""
        if connection.is_up or connection.connection is None:
            return None
        if connection.let_go_at is not None:
            return EndedView("let_go", f"its own application disconnected it from {connection.endpoint}")
        peer = self._ends.peer_of(connection)
        if peer is None:
            return EndedView("unknown", "which socket was at the other end is not known to this agent")
        if any(other.let_go_at is not None for other in self._ends.other_ends(connection)):
            return EndedView(
                "let_go", f"the application of {peer.name} disconnected it from {connection.endpoint}"
            )
        return self._of_peer(connection, peer, self._tables.processes.get(peer.process))

    def _of_peer(
        self, connection: ConnectionState, peer: SocketState, process: ProcessState | None
    ) -> EndedView:
        if _ended_it(connection, peer.closed_at):
            return EndedView("closed", f"{peer.name} was closed at {_at(peer.closed_at)}")
        if process is None:
            return EndedView("unknown", f"nothing is known of the process of {peer.name} any more")
        who = f"the process of {peer.name}" + ("" if process.pid is None else f" (pid {process.pid})")
        if _ended_it(connection, process.exited_at):
            return EndedView("exited", f"{who} ended at {_at(process.exited_at)} with it open")
        if process.gone_at is not None and process.exited_at is None and peer.closed_at is None:
            return _found_gone(connection, process, process.gone_at, who)
        if time.time_ns() - connection.since < SETTLED_NS:
            return EndedView("unknown", f"just now, and why is not known yet: {peer.name} is open")
        bound = _bound_of_size(peer, self._tables.sockets.get(connection.socket))
        text = f"{peer.name} was open then and its process lived: the connection was cut, or one end hung up{bound}"
        return EndedView("cut", f"{text}{self._again(connection)}")

    def _again(self, connection: ConnectionState) -> str:
        same = any(
            other.endpoint == connection.endpoint and other.since >= connection.since
            for other in self._up[connection.socket]
        )
        return f"; {connection.endpoint} has a connection again" if same else ""


def _ended_it(connection: ConnectionState, at: int | None) -> bool:
    """Whether what happened at that time was before the connection went down, or at about that time."""
    return at is not None and at <= connection.since + AT_ONCE_NS


def _found_gone(connection: ConnectionState, process: ProcessState, at: int, who: str) -> EndedView:
    """Of one that did not say that it would go, which is known by when it was found to be gone."""
    if at > connection.since + FOUND_WITHIN_NS:
        return EndedView("unknown", f"{who} was found to be gone at {_at(at)} only, some time after that")
    if process.killed_for_memory:
        return EndedView("killed_for_memory", f"{who} was killed by the kernel, for memory")
    return EndedView("died", f"{who} died without a word, by {_at(at)}")


def _bound_of_size(peer: SocketState, own: SocketState | None) -> str:
    bounds = [
        f"{socket.name} hangs up on messages larger than {socket.options['maxmsgsize']} bytes"
        for socket in (peer, own)
        if socket is not None and socket.options.get("maxmsgsize", -1) >= 0
    ]
    return f" ({'; '.join(bounds)})" if bounds else ""


def _at(nanoseconds: int | None) -> str:
    return "" if nanoseconds is None else f"{moment(nanoseconds):%H:%M:%S} UTC"
