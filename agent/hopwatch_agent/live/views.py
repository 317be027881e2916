"""What can be asked of a running agent, answered from its board."""

import time

from hopwatch_agent.landing.address import without_secret
from hopwatch_agent.live.answers import (
    ConnectionView,
    ErrorView,
    EventView,
    LaneView,
    SocketFindingView,
    SocketView,
    StatusView,
)
from hopwatch_agent.live.board import Board, Shown
from hopwatch_agent.live.series import OTHER
from hopwatch_agent.live.shaping import (
    connection_view,
    fault_view,
    finding_views,
    has_ended,
    lane_view,
    moment,
    moment_or_none,
    next_events,
    socket_view,
)
from hopwatch_agent.live.state import ConnectionState
from hopwatch_agent.settings.sections import AgentSettings

STUCK_SECONDS = 60.0


class AgentView:
    """Answers from one agent's board. May be used by any thread."""

    def __init__(self, board: Board, settings: AgentSettings, version: str) -> None:
        self._board = board
        self._settings = settings
        self._version = version

    def failure(self) -> str | None:
        """Why the agent does not work any more; None while its loop runs."""
        with self._board.held() as shown:
            progress = shown.progress
        if not progress.alive:
            return "the loop has ended"
        if progress.heartbeat is not None and time.monotonic() - progress.heartbeat > STUCK_SECONDS:
            return f"no tick has ended for more than {STUCK_SECONDS:.0f} seconds"
        return None

    def not_ready(self) -> str | None:
        """Why the agent has nothing true to show yet; None if it has."""
        with self._board.held() as shown:
            return self.failure_of(shown) or shown.progress.not_ready

    @staticmethod
    def failure_of(shown: Shown) -> str | None:
        """Whether the loop has ended."""
        return None if shown.progress.alive else "the loop has ended"

    def status(self) -> StatusView:
        """The agent itself."""
        with self._board.held() as shown:
            progress, tables = shown.progress, shown.tables
            tick = progress.last_tick
            return StatusView(
                version=self._version,
                host=self._settings.journal.host,
                started_at=moment(progress.started_at),
                directory=str(self._settings.journal.directory),
                landing=without_secret(self._settings.landing.uri),
                ready=progress.not_ready is None,
                processes=sum(process.gone_at is None for process in tables.processes.values()),
                sockets=sum(not has_ended(socket, shown) for socket in tables.sockets.values()),
                lag_seconds=None if tick is None else time.monotonic() - tick,
                rows_waiting=progress.waiting,
                rows_landed=progress.landed_rows,
                last_landing=moment_or_none(progress.last_landing),
                events_lost=sum(process.all_events_lost for process in tables.processes.values()),
                faults=progress.faults,
                recent_faults=[fault_view(row) for _, row in shown.faults],
                errors=[
                    ErrorView(source, text, moment(since))
                    for source, (text, since) in sorted(progress.errors.items())
                ],
                usage=shown.kernel.own_usage,
                memory=shown.kernel.own_memory,
                rows_given_up=progress.given_up,
                gathered_sockets=sum(
                    socket.series == OTHER and not has_ended(socket, shown)
                    for socket in tables.sockets.values()
                ),
            )

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
