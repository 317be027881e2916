"""What happened, gathered into few events: a flood of gaps is one event a socket and stream, with their number.

An event is told once at most: the rows that it is made of are committed before, and a kill of the agent in the second between
leaves it untold. The counters and the landed rows have it then.
"""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from hopwatch_agent.live.draft import Tables
from hopwatch_agent.live.state import ConnectionState, ProcessState, Row, SocketState
from hopwatch_agent.records import INT64_MAX

EVENTS_A_MINUTE = 120
WAITING_KEPT = 1000

LOSS = "hopwatch.loss"
ONSET = "hopwatch.onset"
UNROUTABLE = "hopwatch.unroutable"
RECONNECT = "hopwatch.reconnect"
FINDING = "hopwatch.finding"
FAULT = "hopwatch.fault"
EVENTS = (LOSS, ONSET, UNROUTABLE, RECONNECT, FINDING, FAULT)

Key = tuple[str, ...]


@dataclass
class Happening:
    """Like things that happened to one socket between two times (nanoseconds since 1970, by its own clock).

    ``times``: how often; ``messages``: how many it was about; ``values``: the columns of the newest row. Faults may be of no socket, and of no process.
    """

    key: Key
    host: str
    process: ProcessState | None
    socket: SocketState | None
    first_at: int
    last_at: int
    times: int
    messages: int
    values: dict[str, object] = field(default_factory=dict)

    @property
    def event(self) -> str:
        """Its name."""
        return self.key[0]

    def add(self, other: "Happening") -> None:
        """One more of the same."""
        if other.last_at >= self.last_at:
            self.values, self.socket = other.values, other.socket
        self.first_at = min(self.first_at, other.first_at)
        self.last_at = max(self.last_at, other.last_at)
        self.times += other.times
        self.messages = min(self.messages + other.messages, INT64_MAX)


class EventBook:
    """Gathers what is committed until it is told. May be used by any thread."""

    def __init__(self, tables: Tables, clock: Callable[[], float] = time.monotonic) -> None:
        self._tables = tables
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: dict[Key, Happening] = {}
        self.untold = dict.fromkeys(EVENTS, 0)
        """How many there was no room for, by event."""
        self._allowed = float(EVENTS_A_MINUTE)
        self._refilled = clock()

    def note(self, rows: Sequence[tuple[int, Row]]) -> None:
        """Looks through rows that were committed."""
        found = [happening for _, row in rows if (happening := self._happening(row)) is not None]
        if found:
            with self._lock:
                self._keep(found)

    def take(self) -> list[Happening]:
        """What may be told now; what may not waits, and is gathered further."""
        with self._lock:
            now = self._clock()
            refill = (now - self._refilled) * EVENTS_A_MINUTE / 60
            self._allowed, self._refilled = min(EVENTS_A_MINUTE, self._allowed + refill), now
            keys = list(self._waiting)[: int(self._allowed)]
            self._allowed -= len(keys)
            return [self._waiting.pop(key) for key in keys]

    def put_back(self, happenings: Iterable[Happening]) -> None:
        """They could not be told."""
        with self._lock:
            self._keep(happenings)

    def _keep(self, happenings: Iterable[Happening]) -> None:
        for happening in happenings:
            known = self._waiting.get(happening.key)
            if known is not None:
                known.add(happening)
            elif len(self._waiting) < WAITING_KEPT:
                self._waiting[happening.key] = happening
            else:
                self.untold[happening.event] += happening.times

    def _happening(self, row: Row) -> Happening | None:
        told = _TOLD.get(row.kind)
        if told is None:
            return None
        event, action, columns, messages = told
        values = row.values
        socket = self._tables.sockets.get(str(values.get("socket")))
        if (socket is None and event != FAULT) or (action is not None and values.get("action") != action):
            return None
        if event == RECONNECT and not self._is_reconnect(socket, values.get("connection")):
            return None
        whose = (row.host, row.process or "") if socket is None else (socket.socket,)
        key = (event, *whose, *(str(values[column]) for column in columns))
        process = self._tables.processes.get(row.process or "")
        count = values.get(messages) if messages else 0
        messages_told = count if isinstance(count, int) else 0
        return Happening(key, row.host, process, socket, row.at, row.at, 1, messages_told, {**values})

    def _is_reconnect(self, socket: SocketState | None, connection: object) -> bool:
        if socket is None:
            return False
        state: ConnectionState | None = self._tables.connections.get((socket.socket, str(connection)))
        return state is not None and state.again


_TOLD: dict[str, tuple[str, str | None, tuple[str, ...], str | None]] = {
    "gap": (LOSS, "gap", ("stream",), "lost"),
    "onset": (ONSET, None, (), None),
    "unroutable": (UNROUTABLE, None, ("reason",), "messages"),
    "connection": (RECONNECT, "connected", ("endpoint",), None),
    "finding": (FINDING, None, ("rule",), None),
    "fault": (FAULT, None, (), None),
}
"""By kind of row: its event, the action that it must have, what tells events apart beside the socket, and the column of messages."""
