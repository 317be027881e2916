"""What can be asked of a running agent, answered from its board."""

import time

from hopwatch_agent.live.answers import (
    ConnectionView,
    EventView,
    IncidentView,
    LaneView,
    LiveView,
    SocketFindingView,
    SocketView,
    StatusView,
)
from hopwatch_agent.live.board import Board
from hopwatch_agent.live.moving import moving_sockets
from hopwatch_agent.live.shaping import (
    connection_view,
    finding_views,
    has_ended,
    lane_view,
    next_events,
    socket_view,
)
from hopwatch_agent.live.state import ConnectionState
from hopwatch_agent.live.status import Status
from hopwatch_agent.settings.sections import AgentSettings

STUCK_SECONDS = 60.0
LIVE_EVENTS = 200
NOT_READY = "the journals are not read and kept at the moment: errors in /v1/status say why"
"""For whoever asks: paths and what a database says are for those who may ask for the status."""


class AgentView:
    """Answers from one agent's board. May be used by any thread."""

    def __init__(self, board: Board, settings: AgentSettings, version: str) -> None:
        self._board = board
        self._status = Status(board, settings, version)

    def failure(self) -> str | None:
        """Why the agent does not work any more; None while its loop runs."""
        progress = self._board.progress
        if not progress.alive:
            return "the loop has ended"
        if progress.heartbeat is not None and time.monotonic() - progress.heartbeat > STUCK_SECONDS:
            return f"no tick has ended for more than {STUCK_SECONDS:.0f} seconds"
        return None

    def not_ready(self) -> str | None:
        """Why the agent has nothing true to show yet; None if it has."""
        progress = self._board.progress
        if not progress.alive:
            return "the loop has ended"
        return None if progress.not_ready is None else NOT_READY

    def status(self) -> StatusView:
        """The agent itself."""
        return self._status.view()

    def incidents(self) -> list[IncidentView]:
        """Losses so far, grouped; the oldest first."""
        with self._board.held() as shown:
            return shown.incidents.views(shown.tables)

    def live(self, after: int) -> LiveView:
        """What is pushed to who watches and has the events up to ``after``."""
        status = self.status()
        with self._board.held() as shown:
            events = next_events(shown.events, after, LIVE_EVENTS)
            newest = shown.events[-1][0] if shown.events else after
            sockets, left_out = moving_sockets(shown)
        last = events[-1].id if events else after
        return LiveView(status, sockets, left_out, events, max(0, newest - last))

    def sockets(self) -> list[SocketView]:
        """Every socket, the oldest first; those that ended some minutes ago are not shown any more."""
        with self._board.held() as shown:
            peers: dict[str, list[ConnectionState]] = {}
            for connection in shown.tables.connections.values():
                peers.setdefault(connection.socket, []).append(connection)
            ordered = sorted(shown.tables.sockets.values(), key=lambda socket: socket.opened_at)
            return [socket_view(socket, peers.get(socket.socket, []), shown) for socket in ordered]

    def socket(self, identity: str) -> SocketView | None:
        """One socket; None if there is none of this id."""
        with self._board.held() as shown:
            socket = shown.tables.sockets.get(identity)
            if socket is None:
                return None
            connections = shown.tables.connections.values()
            return socket_view(socket, [c for c in connections if c.socket == identity], shown)

    def findings(self) -> list[SocketFindingView]:
        """What was found of the sockets that are shown, the oldest socket first."""
        with self._board.held() as shown:
            ordered = sorted(shown.tables.sockets.values(), key=lambda socket: socket.opened_at)
            return [view for socket in ordered for view in finding_views(socket, shown)]

    def connections(self) -> list[ConnectionView]:
        """The connections of sockets in use, with the last ones that went down."""
        with self._board.held() as shown:
            views = []
            for connection in shown.tables.connections.values():
                socket = shown.tables.sockets.get(connection.socket)
                if socket is not None and not has_ended(socket, shown):
                    views.append(connection_view(connection, socket, shown))
            return views

    def lanes(self) -> list[LaneView]:
        """Every lane at each of its ends."""
        with self._board.held() as shown:
            return [lane_view(lane, shown) for lane in shown.tables.lanes.values()]

    def events(self, after: int, limit: int) -> list[EventView]:
        """The next events after a number, oldest first; of the newest 10,000."""
        with self._board.held() as shown:
            return next_events(shown.events, after, limit)
