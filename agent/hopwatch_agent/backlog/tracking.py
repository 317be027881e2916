"""The backlog of every lane, once a second within a tick; more seldom where it would take more than 0.3 % of a core."""

import time

from msgspec.structs import replace

from hopwatch_agent.backlog.ages import Ages, Now
from hopwatch_agent.backlog.peers import peers_of
from hopwatch_agent.backlog.read import LanesRead, TwoReadings
from hopwatch_agent.backlog.shown import Backlog, BacklogShown, summed
from hopwatch_agent.backlog.waiting import SHARING, Known, Onset, Onsets, waiting
from hopwatch_agent.live.board import Board
from hopwatch_agent.live.draft import Draft, Tables
from hopwatch_agent.live.rows import role_of
from hopwatch_agent.live.state import LaneKey, Row
from hopwatch_agent.pace import Pace
from hopwatch_agent.sampling import Moment

SAMPLE_SECONDS = 1.0
SHARE = 0.003
UNMATCHED_SECONDS = 10.0
"""A connection whose other end has not turned up in so long is one to somebody else."""


class BacklogTracker:
    """Used by one thread."""

    def __init__(self, tables: Tables, board: Board) -> None:
        self._tables = tables
        self._board = board
        self._began = time.time_ns()
        self._onsets: dict[str, Onsets] = {}
        self._ages = Ages()
        self._elsewhere: dict[str, float] = {}
        self._read: tuple[LanesRead, Now] | None = None
        self._pace = Pace(SAMPLE_SECONDS, SHARE)

    def note(self, draft: Draft, moment: Moment) -> None:
        """Takes from a tick's draft what is to be remembered, and adds what is to be kept."""
        for row in draft.rows:
            if row.kind == "onset":
                self._note_onset(row)
        if self._pace.is_due(moment):
            self._note_peers_elsewhere(draft, moment)

    def show(self, read: LanesRead, moment: Moment, *, more: bool) -> None:
        """Shows what waited at the tick before, if it is time: by now all is known that had happened then.

        ``more``: journals were not read to their ends.
        """
        before, self._read = self._read, (read, Now(time.monotonic(), time.time_ns()))
        if before is not None and self._pace.is_due(moment):
            with self._pace.kept(moment):
                readings = TwoReadings(before[0], read, self._tables.sockets)
                self._show(readings, before[1], complete=not more)

    def _show(self, readings: TwoReadings, then: Now, *, complete: bool) -> None:
        self._onsets = {name: found for name, found in self._onsets.items() if name in self._tables.sockets}
        found = waiting(Known(self._tables, readings, self._onsets, self._began, complete))
        self._board.show_backlog(_shown(self._ages.backlogs(found, readings, then)))

    def _note_onset(self, row: Row) -> None:
        socket, lane, number = (row.values[name] for name in ("socket", "lane", "lane_number"))
        place = (lane, number) if isinstance(lane, int) and isinstance(number, int) else None
        self._onsets.setdefault(str(socket), Onsets(self._began)).add(Onset(row.at, place))

    def _note_peers_elsewhere(self, draft: Draft, moment: Moment) -> None:
        found = {name for name, peers in peers_of(self._tables).items() if peers.elsewhere_since is not None}
        self._elsewhere = {name: self._elsewhere.get(name, moment.clock) for name in found}
        for name, since in self._elsewhere.items():
            socket = draft.sockets.get(name)
            if socket is None or socket.type not in SHARING or socket.shared_elsewhere:
                continue
            if moment.clock - since >= UNMATCHED_SECONDS:
                draft.sockets.put(name, replace(socket, shared_elsewhere=True))


def _shown(backlogs: dict[LaneKey, Backlog]) -> BacklogShown:
    return BacklogShown(
        lanes=backlogs,
        sent=_of_sockets(backlogs, "send"),
        received=_of_sockets(backlogs, "receive"),
    )


def _of_sockets(backlogs: dict[LaneKey, Backlog], role: str) -> dict[str, Backlog]:
    found: dict[str, list[Backlog]] = {}
    for key, backlog in backlogs.items():
        if role_of(*key[:2]) == role:
            found.setdefault(key[0], []).append(backlog)
    return {socket: summed(every) for socket, every in found.items()}
