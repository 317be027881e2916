"""What can be asked of a running agent, answered from its board."""

import time
from collections import Counter
from dataclasses import replace

from hopwatch_agent.live import lists
from hopwatch_agent.live.answers import (
    ConnectionView,
    EventView,
    IncidentView,
    LaneView,
    LiveView,
    MovingSocketView,
    SocketFindingView,
    SocketView,
    StatesView,
    StatusView,
)
from hopwatch_agent.live.asking import (
    ALL_CONNECTIONS,
    ALL_FINDINGS,
    ALL_INCIDENTS,
    ALL_LANES,
    ALL_SOCKETS,
    ConnectionsAsked,
    FindingsAsked,
    IncidentsAsked,
    LanesAsked,
    Page,
    SocketsAsked,
)
from hopwatch_agent.live.board import Board, Shown
from hopwatch_agent.live.moving import SOCKETS_TOLD, moving_sockets
from hopwatch_agent.live.shaping import (
    newest_events,
    socket_view,
)
from hopwatch_agent.live.status import Status
from hopwatch_agent.report.told import told_incidents
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
        self._told: (
            tuple[tuple[float | None, int], tuple[tuple[list[MovingSocketView], int], StatesView]] | None
        ) = None

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

    def incidents(self, asked: IncidentsAsked = ALL_INCIDENTS) -> Page[IncidentView]:
        """What an analysis has found, and behind it what this agent knows that no analysis has judged; each the oldest first."""
        with self._board.held() as shown:
            own, report = shown.incidents.views(shown.tables), shown.report
        return told_incidents(own, report, asked)

    def live(self, after: int, most: int = SOCKETS_TOLD) -> LiveView:
        """What is pushed to who watches and has the events up to ``after``: of so many sockets at most."""
        status = self.status()
        with self._board.held() as shown:
            events, events_left_out = newest_events(shown.events, after, LIVE_EVENTS)
            newest = shown.events[-1][0] if shown.events else 0
            (sockets, left_out), states = self._moving_of_tick(shown, most)
            revisions = replace(shown.revisions)
        return LiveView(status, states, revisions, sockets, left_out, events, events_left_out, newest)

    def _moving_of_tick(
        self, shown: Shown, most: int
    ) -> tuple[tuple[list[MovingSocketView], int], StatesView]:
        """All who watch are told the same of a tick, which is worked out once. Asked for while the board is held."""
        of = (shown.progress.heartbeat, most)
        if self._told is None or self._told[0] != of:
            self._told = of, (moving_sockets(shown, most), _states(shown))
        return self._told[1]

    def sockets(self, asked: SocketsAsked = ALL_SOCKETS) -> Page[SocketView]:
        """Sockets, the oldest first; those that ended some minutes ago are not shown any more."""
        with self._board.held() as shown:
            return lists.sockets(shown, asked)

    def socket(self, identity: str) -> SocketView | None:
        """One socket; None if there is none of this id."""
        with self._board.held() as shown:
            socket = shown.tables.sockets.get(identity)
            if socket is None:
                return None
            connections = shown.tables.connections.values()
            return socket_view(socket, [c for c in connections if c.socket == identity], shown)

    def findings(self, asked: FindingsAsked = ALL_FINDINGS) -> Page[SocketFindingView]:
        """What was found of the sockets that are shown, the oldest socket first."""
        with self._board.held() as shown:
            return lists.findings(shown, asked)

    def connections(self, asked: ConnectionsAsked = ALL_CONNECTIONS) -> Page[ConnectionView]:
        """The connections of sockets in use, with the last ones that went down."""
        with self._board.held() as shown:
            return lists.connections(shown, asked)

    def lanes(self, asked: LanesAsked = ALL_LANES) -> Page[LaneView]:
        """Lanes at each of their ends."""
        with self._board.held() as shown:
            return lists.lanes(shown, asked)

    def events(
        self,
        after: int,
        limit: int,
        kind: str | None = None,
        socket: str | None = None,
        *,
        newest: bool = False,
    ) -> Page[EventView]:
        """The next events after a number, or the newest ones after it; oldest first; of the newest 10,000."""
        with self._board.held() as shown:
            return lists.events(shown, after, limit, kind, socket, newest=newest)


def _states(shown: Shown) -> StatesView:
    states = Counter(condition.state for condition in shown.conditions.values())
    losing, pressed = states["losing"], states["pressed"]
    return StatesView(losing, pressed, max(0, shown.progress.sockets - losing - pressed))
