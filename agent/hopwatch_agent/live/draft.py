"""All that one tick will commit: rows to land and changes of the current state."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from hopwatch_agent.live.limits import Limits
from hopwatch_agent.live.overlay import Overlay
from hopwatch_agent.live.series import OTHER, with_socket
from hopwatch_agent.live.state import (
    ConnectionKey,
    ConnectionState,
    LaneKey,
    LaneState,
    ProcessState,
    Row,
    SocketState,
    TotalState,
    Values,
)

_TOLD = frozenset({"fault", "process"})
ROWS_A_STEP = 50_000
BYTES_A_STEP = 64 * 1024 * 1024


@dataclass
class Tables:
    """The current state."""

    processes: dict[str, ProcessState] = field(default_factory=dict)
    sockets: dict[str, SocketState] = field(default_factory=dict)
    lanes: dict[LaneKey, LaneState] = field(default_factory=dict)
    connections: dict[ConnectionKey, ConnectionState] = field(default_factory=dict)
    totals: dict[str, TotalState] = field(default_factory=dict)


class Draft:
    """Changes over the tables, and new rows, until they are committed."""

    def __init__(
        self, tables: Tables, limits: Limits | None = None, *, bytes_left: int = BYTES_A_STEP
    ) -> None:
        self.limits = limits or Limits()
        self.processes = Overlay(tables.processes)
        self.sockets = Overlay(tables.sockets, self.limits.sockets)
        self.lanes = Overlay(tables.lanes, self.limits.lanes)
        self.connections = Overlay(tables.connections, self.limits.connections)
        self.totals = Overlay(tables.totals)
        self.rows: list[Row] = []
        self.told: list[Row] = []
        """Those that the log tells of, too."""
        self.left_out: Counter[str] = Counter()
        """Sockets, lanes and connections that there was no room for, by that word, since the last ``take_left_out``."""
        self.bytes_left = bytes_left
        """How much more of journals may be read for this step."""
        self.unavailable: list[str] = []
        """Files that could not be read this time."""
        self._by_process: defaultdict[str, list[str]] | None = None
        self.forgotten_processes: set[str] = set()
        self.forgotten_sockets: set[str] = set()

    def add(self, kind: str, values: Values, process: ProcessState, at: int, n: int | None = None) -> None:
        """Adds a row of a process."""
        row = Row(kind, at, process.host, process.process, n, values)
        self.rows.append(row)
        if kind in _TOLD:
            self.told.append(row)

    def add_fault(self, text: str, process: ProcessState, at: int, socket: str | None = None) -> None:
        """Adds a fault: unreadable input that the agent met."""
        self.add("fault", {"socket": socket, "text": text}, process, at)

    def take_left_out(self) -> Counter[str]:
        """What there was no room for since this was last asked."""
        left_out, self.left_out = self.left_out, Counter()
        return left_out

    def forget_process(self, process: str) -> None:
        """Drops a process and all that belongs to it from the current state."""
        for socket in self._sockets_of(process):
            self.forget_socket(socket)
        self.processes.drop(process)
        self.forgotten_processes.add(process)

    def _sockets_of(self, process: str) -> list[str]:
        if self._by_process is None:
            self._by_process = defaultdict(list)
            for socket in self.sockets.values():
                self._by_process[socket.process].append(socket.socket)
        return self._by_process[process]

    def forget_socket(self, socket: str) -> None:
        """Drops a socket and all that belongs to it from the current state; its counts stay in its series' total."""
        self.keep_counts(socket)
        self.sockets.drop(socket)
        self.forgotten_sockets.add(socket)

    def keep_counts(self, socket: str) -> None:
        """Adds a socket that is about to be dropped or replaced to the total of its series."""
        state = self.sockets.get(socket)
        if state is not None:
            total = self.totals.get(state.series) or TotalState(state.series, state.opened_at)
            self.totals.put(state.series, with_socket(total, state))

    def join_series(self, wanted: str, at: int) -> str:
        """The series that a new socket counts in: the wanted one, or ``OTHER`` if there are too many."""
        series = wanted if self._has_room_for(wanted) else OTHER
        if self.totals.get(series) is None:
            self.totals.put(series, TotalState(series, at))
        return series

    def _has_room_for(self, series: str) -> bool:
        return self.totals.get(series) is not None or self._series() < self.limits.series

    def _series(self) -> int:
        return self.totals.size - (self.totals.get(OTHER) is not None)

    def drop_idle_series(self) -> None:
        """If there is no room for more series, forgets those of which no socket is kept."""
        if self._series() < self.limits.series:
            return
        used = {socket.series for socket in self.sockets.values()} | {OTHER}
        for series in [total.series for total in self.totals.values() if total.series not in used]:
            self.totals.drop(series)

    @property
    def full(self) -> bool:
        """True if no more should be read for this step."""
        return len(self.rows) >= ROWS_A_STEP or self.bytes_left <= 0

    @property
    def empty(self) -> bool:
        """True if there is nothing to commit."""
        return not (
            self.rows
            or self.processes.changed
            or self.sockets.changed
            or self.lanes.changed
            or self.connections.changed
            or self.totals.changed
            or self.forgotten_processes
            or self.forgotten_sockets
        )

    def apply(self, tables: Tables) -> None:
        """Writes the changes into the tables, once they are committed."""
        self.processes.apply(tables.processes)
        self.sockets.apply(tables.sockets)
        self.lanes.apply(tables.lanes)
        self.connections.apply(tables.connections)
        self.totals.apply(tables.totals)
        if not (self.forgotten_processes or self.forgotten_sockets):
            return
        gone, closed = self.forgotten_processes, self.forgotten_sockets
        for socket in [s for s in tables.sockets.values() if s.process in gone]:
            del tables.sockets[socket.socket]
        for lane_key, lane in list(tables.lanes.items()):
            if lane.process in gone or lane.socket in closed:
                del tables.lanes[lane_key]
        for key, connection in list(tables.connections.items()):
            if connection.process in gone or connection.socket in closed:
                del tables.connections[key]
