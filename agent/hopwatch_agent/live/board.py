"""What the agent shows at any moment: written by its two loops, read by whoever asks."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice

from msgspec.structs import replace

from hopwatch_agent.kernel.records import KernelShown
from hopwatch_agent.landing.schemas import SAMPLES
from hopwatch_agent.live.backlog_shown import BacklogShown
from hopwatch_agent.live.draft import Draft, Tables
from hopwatch_agent.live.limits import ADVICE_LIMIT, OPTIONS_KEPT, kept
from hopwatch_agent.live.state import LaneKey, Row, Values

EVENTS_KEPT = 10_000
FAULTS_KEPT = 100
RATE_SECONDS = 2.0

Counts = tuple[int, ...]


@dataclass
class Progress:
    """How the loops are doing. Times are nanoseconds since 1970, ``last_tick`` and ``heartbeat`` monotonic seconds."""

    started_at: int
    last_tick: float | None = None
    not_ready: str | None = "the journal directory has not been read yet"
    heartbeat: float | None = None
    alive: bool = False
    waiting: int = 0
    faults: int = 0
    last_landing: int | None = None
    landed_rows: int = 0
    given_up: int = 0
    errors: dict[str, tuple[str, int]] = field(default_factory=dict)
    events_untold: dict[str, int] = field(default_factory=dict)
    """Log events that were not exported, by their name."""
    export_failures: dict[str, int] = field(default_factory=dict)
    """Exports that failed since the agent was started, by signal."""


@dataclass
class Shown:
    """All that the views are made from; to be touched only while the board is held."""

    tables: Tables
    progress: Progress
    events: deque[tuple[int, Row]] = field(default_factory=lambda: deque(maxlen=EVENTS_KEPT))
    faults: deque[tuple[int, Row]] = field(default_factory=lambda: deque(maxlen=FAULTS_KEPT))
    counters: dict[str, Counts] = field(default_factory=dict)
    lanes: dict[LaneKey, Counts] = field(default_factory=dict)
    history: dict[str, deque[tuple[float, Counts]]] = field(default_factory=dict)
    kernel: KernelShown = field(default_factory=KernelShown)
    backlog: BacklogShown = field(default_factory=BacklogShown)


class Board:
    """Guards what is shown."""

    def __init__(self, tables: Tables) -> None:
        self.listener: Callable[[Sequence[tuple[int, Row]]], None] | None = None
        """Is told of rows once they are shown, by the thread that publishes."""
        self._lock = threading.Lock()
        self._shown = Shown(tables, Progress(started_at=time.time_ns()))

    @contextmanager
    def held(self) -> Iterator[Shown]:
        """What is shown, for as long as the block runs: it should be short."""
        with self._lock:
            yield self._shown

    def publish(self, draft: Draft, rows: Sequence[tuple[int, Row]]) -> None:
        """Shows what a tick has committed."""
        with self.held() as shown:
            draft.apply(shown.tables)
            self._add(shown, rows)
        if self.listener is not None:
            self.listener(rows)

    def publish_rows(self, rows: Sequence[tuple[int, Row]]) -> None:
        """Shows rows that the agent has added of itself."""
        with self.held() as shown:
            self._add(shown, rows)

    def remember(self, rows: Sequence[tuple[int, Row]]) -> None:
        """Shows events that were committed by an earlier run."""
        with self.held() as shown:
            self._remember(shown, rows)

    def _add(self, shown: Shown, rows: Sequence[tuple[int, Row]]) -> None:
        shown.progress.waiting += len(rows)
        shown.progress.faults += sum(row.kind == "fault" for _, row in rows)
        self._remember(shown, rows)

    @staticmethod
    def _remember(shown: Shown, rows: Sequence[tuple[int, Row]]) -> None:
        for number, row in rows:
            if row.kind in SAMPLES:
                continue
            held = _held(row)
            shown.events.append((number, held))
            if row.kind == "fault":
                shown.faults.append((number, held))

    def show_numbers(self, counters: dict[str, Counts], lanes: dict[LaneKey, Counts], clock: float) -> None:
        """Shows the counters and lanes of sockets in use as just read, and their rates."""
        with self.held() as shown:
            shown.counters = counters
            shown.lanes = lanes
            shown.history = {
                socket: _longer(shown.history.get(socket), clock, counts)
                for socket, counts in counters.items()
            }

    def show_kernel(self, kernel: KernelShown) -> None:
        """Shows what the kernel has just told."""
        with self.held() as shown:
            shown.kernel = kernel

    def show_backlog(self, backlog: BacklogShown) -> None:
        """Shows what waits, as just counted."""
        with self.held() as shown:
            shown.backlog = backlog

    def set_error(self, source: str, text: str | None) -> None:
        """Notes that something does not work (since when is kept), or that it works again."""
        with self.held() as shown:
            errors = shown.progress.errors
            if text is None:
                errors.pop(source, None)
            else:
                errors[source] = (text, errors[source][1] if source in errors else time.time_ns())


def _held(row: Row) -> Row:
    values: Values = {}
    for name, value in row.values.items():
        if isinstance(value, str):
            values[name] = kept(value, ADVICE_LIMIT)
        elif isinstance(value, dict):
            values[name] = {kept(key): number for key, number in islice(value.items(), OPTIONS_KEPT)}
        else:
            values[name] = value
    return replace(row, values=values)


def _longer(
    history: deque[tuple[float, Counts]] | None, clock: float, counts: Counts
) -> deque[tuple[float, Counts]]:
    history = deque() if history is None else history
    history.append((clock, counts))
    while len(history) > 2 and clock - history[1][0] >= RATE_SECONDS:
        history.popleft()
    return history
