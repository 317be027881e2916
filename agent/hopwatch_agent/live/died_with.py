"""What was on its way to receivers whose process died: no gap shows what of it they have not got.

Counted last while they lived, less what they have received since: their last counts outlive them. What a sender keeps for a receiver's next connection is
among it. A socket that was closed, or whose process said that it ends, left what it left.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from hopwatch_agent.backlog.shown import Backlog
from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.draft import Tables
from hopwatch_agent.live.state import SocketState

Counts = tuple[int, ...]
_RECEIVED = COUNTERS.index("received")


@dataclass(frozen=True)
class _Waiting:
    """So many, at least, when the socket had received so many, and since when (nanoseconds since 1970) no connection of its own may have gone."""

    messages: int
    received: int
    since: int

    def left(self, counts: Counts) -> int:
        """How many of them it had not received when it had counted that."""
        return self.messages - (counts[_RECEIVED] - self.received)


class DiedWith:
    """Remembers what waits for as long as its receivers live. Used by one thread; a new agent knows of deaths that it has seen itself."""

    def __init__(self) -> None:
        self._counted: Mapping[str, Backlog] | None = None
        self._waiting: dict[str, _Waiting] = {}
        self._found: dict[str, int] = {}

    def note(
        self, counted: Mapping[str, Backlog], counters: Mapping[str, Counts], since: int, tables: Tables
    ) -> None:
        """Takes up what waits for receivers, where it has been counted anew; ``counters`` and ``since`` are of the tick before, of which that tells."""
        if counted is self._counted:
            return
        self._counted = counted
        for socket in self._waiting.keys() - counted.keys():
            if not self._is_dead(socket, tables):
                del self._waiting[socket]
        for socket, backlog in counted.items():
            counts, before = counters.get(socket), self._waiting.get(socket)
            if counts is not None and backlog.at_least:
                self._waiting[socket] = _Waiting(backlog.at_least, counts[_RECEIVED], since)
            elif before is not None and (counts is None or backlog.at_most < before.left(counts)):
                del self._waiting[socket]

    def found(self, tables: Tables) -> dict[str, int]:
        """Messages, at least, by receiver that died with any on their way."""
        if self._waiting:
            self._drop_cut_ones(tables)
        for socket in list(self._waiting):
            if self._is_dead(socket, tables):
                left = self._waiting.pop(socket).left(tables.sockets[socket].counters)
                if left > 0:
                    self._found[socket] = left
        self._found = {socket: left for socket, left in self._found.items() if self._is_dead(socket, tables)}
        return dict(self._found)

    def _drop_cut_ones(self, tables: Tables) -> None:
        """What was on its way by a connection that a receiver has seen go was lost before it died."""
        for connection in tables.connections.values():
            waiting = self._waiting.get(connection.socket)
            if (
                waiting is not None
                and connection.state == "disconnected"
                and connection.since >= waiting.since
            ):
                del self._waiting[connection.socket]

    @staticmethod
    def _is_dead(name: str, tables: Tables) -> bool:
        socket = tables.sockets.get(name)
        return socket is not None and _died(socket, tables)


def _died(socket: SocketState, tables: Tables) -> bool:
    process = tables.processes.get(socket.process)
    if process is None or socket.closed_at is not None:
        return False
    return process.gone_at is not None and process.exited_at is None
