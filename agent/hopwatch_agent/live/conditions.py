"""The condition of every socket in use, once a second within a tick."""

from collections.abc import Mapping

from hopwatch_agent.backlog.shown import Backlog
from hopwatch_agent.live.board import Board, Counts, Shown
from hopwatch_agent.live.condition import (
    Condition,
    losing,
    pressed_by_absence,
    pressed_by_backlog,
    pressed_by_connections,
    pressed_by_sends,
)
from hopwatch_agent.live.died_with import DiedWith
from hopwatch_agent.live.draft import Tables
from hopwatch_agent.live.left_behind import left_behind, unreceived
from hopwatch_agent.live.recent_losses import LOSING_SECONDS, RecentLosses
from hopwatch_agent.pace import Pace
from hopwatch_agent.sampling import Moment

SECONDS = 1.0
SHARE = 0.003
TO_BE_READ_NS = 2_000_000_000
"""A receiver has so long to read what a sender had sent that has ended."""


class ConditionTracker:
    """Used by the thread that ticks, after all else is shown."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._losses = RecentLosses()
        self._died_with = DiedWith()
        self._before: tuple[dict[str, Counts], int] = {}, 0
        self._pace = Pace(SECONDS, SHARE)
        self._pace_of_ends = Pace(SECONDS, SHARE)

    def show(self, tables: Tables, counters: dict[str, Counts], moment: Moment) -> None:
        """Takes up the counters as just read, and shows how their sockets do, if it is time."""
        since = moment.wall - LOSING_SECONDS * 1e9
        new = {name for name, socket in tables.sockets.items() if socket.opened_at >= since}
        self._losses.note(moment.clock, counters, new)
        with self._board.held() as shown:
            self._died_with.note(shown.backlog.received, *self._before, tables)
        self._before = counters, moment.wall
        if self._pace_of_ends.is_due(moment):
            with self._pace_of_ends.kept(moment):
                self._show_ends(tables, moment)
        if self._pace.is_due(moment):
            with self._pace.kept(moment), self._board.held() as shown:
                self._show_deaths(shown, tables)
                shown.conditions = conditions(shown, self._losses)

    def _show_deaths(self, shown: Shown, tables: Tables) -> None:
        behind = shown.left_behind
        found = {
            socket: more
            for socket, messages in self._died_with.found(tables).items()
            if (more := messages - behind.get(socket, 0)) > 0
        }
        if found != shown.died_with:
            shown.revisions.renew("sockets")
        shown.died_with = found

    def _show_ends(self, tables: Tables, moment: Moment) -> None:
        with self._board.held() as shown:
            lanes = shown.lanes  # it is replaced, never changed
        found = left_behind(tables)
        absent = unreceived(tables, lanes, moment.wall - TO_BE_READ_NS)
        with self._board.held() as shown:
            if found != shown.left_behind:
                shown.revisions.renew("sockets")
            shown.left_behind, shown.unreceived = found, absent


def conditions(shown: Shown, losses: RecentLosses) -> dict[str, Condition]:
    """Those of the sockets in use that are not quiet. A loss is told before any pressure, and what the application feels before the rest."""
    found = {socket: pressed_by_absence(messages) for socket, messages in shown.unreceived.items()}
    found.update(pressed_by_connections(shown.kernel.tcp))
    found.update(_by_backlog(shown.backlog.received, "messages to it wait"))
    found.update(_by_backlog(shown.backlog.sent, "of its messages wait"))
    for socket, history in shown.history.items():
        condition = pressed_by_sends(history)
        if condition is not None:
            found[socket] = condition
    found.update((socket, losing(lost)) for socket, lost in losses.found().items())
    return {socket: condition for socket, condition in found.items() if socket in shown.counters}


def _by_backlog(backlogs: Mapping[str, Backlog], what: str) -> dict[str, Condition]:
    found = {socket: pressed_by_backlog(backlog, what) for socket, backlog in backlogs.items()}
    return {socket: condition for socket, condition in found.items() if condition is not None}
