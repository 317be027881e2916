"""What the agent shows at any moment: written by its two loops, read by whoever asks."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from hopwatch_agent.backlog.shown import BacklogShown
from hopwatch_agent.kernel.records import KernelShown
from hopwatch_agent.landing.schemas import SAMPLES
from hopwatch_agent.live.condition import Condition
from hopwatch_agent.live.costs import Costs, Sizes
from hopwatch_agent.live.draft import Draft, Tables
from hopwatch_agent.live.incidents import KINDS as LOSSES
from hopwatch_agent.live.incidents import Incidents
from hopwatch_agent.live.remembered import remembered
from hopwatch_agent.live.revisions import Revisions
from hopwatch_agent.live.series import OTHER
from hopwatch_agent.live.state import LaneKey, ProcessState, Row
from hopwatch_agent.logs.events import EventLogger
from hopwatch_agent.report.findings import Analysed

EVENTS_KEPT = 10_000
GATHERED = "there are more series of sockets than max_series: metrics tell of the further sockets as one"
FAULTS_KEPT = 100
RATE_SECONDS = 2.0
_PROCESS_EVENTS = {"started": "process_seen", "exited": "process_exited", "gone": "process_gone"}

log = EventLogger(__name__)

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
    faults_before: int = 0
    given_up_before: int = 0
    """What had been counted when the agent was started."""
    given_up: int = 0
    errors: dict[str, tuple[str, int]] = field(default_factory=dict)
    """What does not work, by source, with the time since; replaced, never changed, and so are the warnings."""
    warnings: dict[str, tuple[str, int]] = field(default_factory=dict)
    recent_faults: tuple[Row, ...] = ()
    processes: int = 0
    sockets: int = 0
    events_lost: int = 0
    """Of the processes shown."""
    events_lost_so_far: int = 0
    """Of all processes since the agent was started: it never falls."""
    costs: Costs = field(default_factory=Costs)
    sizes: Sizes = field(default_factory=Sizes)
    tick_seconds: float = 0.0
    ticking_seconds: float = 0.0
    landing_seconds: float = 0.0
    events_untold: dict[str, int] = field(default_factory=dict)
    """Log events that were not exported, by their name."""
    gathered_sockets: int = 0
    """Open sockets that have no series of their own."""
    export_failures: dict[str, int] = field(default_factory=dict)
    """Exports that failed since the agent was started, by signal."""

    @property
    def rows_waiting(self) -> int:
        """Rows that are to be landed: ``waiting`` is below 0 for the moment in which rows have landed that no tick has told of yet."""
        return max(0, self.waiting)


@dataclass
class Shown:
    """All that the views are made from; to be touched only while the board is held."""

    tables: Tables
    progress: Progress
    events: deque[tuple[int, Row]] = field(default_factory=lambda: deque(maxlen=EVENTS_KEPT))
    counters: dict[str, Counts] = field(default_factory=dict)
    lanes: dict[LaneKey, Counts] = field(default_factory=dict)
    history: dict[str, deque[tuple[float, Counts]]] = field(default_factory=dict)
    incidents: Incidents = field(default_factory=Incidents)
    kernel: KernelShown = field(default_factory=KernelShown)
    backlog: BacklogShown = field(default_factory=BacklogShown)
    conditions: dict[str, Condition] = field(default_factory=dict)
    """Of the sockets in use that are not quiet."""
    left_behind: dict[str, int] = field(default_factory=dict)
    """Of receivers that have ended, and ``unreceived`` of open ones (see left_behind.py)."""
    unreceived: dict[str, int] = field(default_factory=dict)
    died_with: dict[str, int] = field(default_factory=dict)
    """Of receivers whose process died (see died_with.py)."""
    revisions: Revisions = field(default_factory=Revisions)
    report: Analysed | None = None
    """What an analysis has found, where its report is read; it is replaced, never changed."""


class Board:
    """Guards what is shown."""

    def __init__(self, tables: Tables) -> None:
        self.listener: Callable[[Sequence[tuple[int, Row]]], None] | None = None
        """Is told of rows once they are shown, by the thread that publishes."""
        self._lock = threading.Lock()
        self._shown = Shown(tables, Progress(started_at=time.time_ns()))
        _count(self._shown)

    @property
    def progress(self) -> Progress:
        """How the loops are doing, for reading without waiting for whoever holds the board."""
        return self._shown.progress

    @property
    def kernel(self) -> KernelShown:
        """What the kernel told last; it is replaced, never changed."""
        return self._shown.kernel

    @contextmanager
    def held(self) -> Iterator[Shown]:
        """What is shown, for as long as the block runs: it should be short."""
        with self._lock:
            yield self._shown

    def publish(self, draft: Draft, rows: Sequence[tuple[int, Row]]) -> None:
        """Shows what a tick has committed."""
        with self.held() as shown:
            shown.progress.events_lost_so_far += _newly_lost(draft, shown.tables)
            draft.apply(shown.tables)
            shown.revisions.forget(draft.forgotten_sockets, draft.forgotten_processes)
            self._add(shown, rows)
            _count(shown)
        self.set_warning("metrics", GATHERED if self.progress.gathered_sockets else None)
        if self.listener is not None:
            self.listener(rows)
        for row in draft.told:
            _log(row, draft.processes.get(row.process or ""))

    def publish_rows(self, rows: Sequence[tuple[int, Row]]) -> None:
        """Shows rows that the agent has added of itself."""
        with self.held() as shown:
            self._add(shown, rows)
        if self.listener is not None:
            self.listener(rows)
        for _, row in rows:
            _log(row)

    def remember(self, rows: Sequence[tuple[int, Row]]) -> None:
        """Shows events that were committed by an earlier run."""
        with self.held() as shown:
            self._remember(shown, rows)

    def _add(self, shown: Shown, rows: Sequence[tuple[int, Row]]) -> None:
        shown.progress.waiting += len(rows)
        shown.progress.faults += len(self._remember(shown, rows))

    @staticmethod
    def _remember(shown: Shown, rows: Sequence[tuple[int, Row]]) -> list[Row]:
        """Gives the faults among them."""
        faults: list[Row] = []
        events: deque[tuple[int, Row]] = deque(maxlen=EVENTS_KEPT)
        for numbered in rows:
            kind = numbered[1].kind
            if kind in SAMPLES:
                continue
            shown.revisions.note(kind)
            events.append(numbered)
            if kind in LOSSES:
                shown.incidents.add(*numbered)
            elif kind == "fault":
                faults.append(remembered(numbered[1]))
        shown.events.extend((number, remembered(row)) for number, row in events)
        if faults:
            progress = shown.progress
            progress.recent_faults = (*progress.recent_faults, *faults)[-FAULTS_KEPT:]
        return faults

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

    def show_report(self, report: Analysed) -> None:
        """Shows what an analysis has found. Incidents of before go on in new ones, so that what it judged and what is new stay apart."""
        with self.held() as shown:
            shown.report = report
            shown.incidents.part()
            shown.revisions.renew("incidents")

    def set_error(self, source: str, text: str | None) -> None:
        """Notes that something does not work (since when is kept), or that it works again."""
        if text is None and source not in self.progress.errors:
            return
        with self.held() as shown:
            before = shown.progress.errors.get(source)
            shown.progress.errors = _changed(shown.progress.errors, source, text)
        if text is not None and (before is None or before[0] != text):
            log.warning("failing", source=source, text=text)
        elif text is None and before is not None:
            log.info("works_again", source=source, seconds=round((time.time_ns() - before[1]) / 1e9, 3))

    def set_warning(self, source: str, text: str | None) -> None:
        """Notes that something is risky, or that it is not any more."""
        if text is None and source not in self.progress.warnings:
            return
        with self.held() as shown:
            before = shown.progress.warnings.get(source)
            shown.progress.warnings = _changed(shown.progress.warnings, source, text)
        if text is not None and (before is None or before[0] != text):
            log.warning("risky", source=source, text=text)


def _changed(texts: dict[str, tuple[str, int]], source: str, text: str | None) -> dict[str, tuple[str, int]]:
    others = {name: told for name, told in texts.items() if name != source}
    if text is None:
        return others
    since = texts[source][1] if source in texts else time.time_ns()
    return {**others, source: (text, since)}


def _newly_lost(draft: Draft, tables: Tables) -> int:
    more = 0
    for identity, state in draft.processes.changed.items():
        before = tables.processes.get(identity)
        if state is not None:
            more += max(0, state.all_events_lost - (before.all_events_lost if before is not None else 0))
    return more


def _count(shown: Shown) -> None:
    processes, progress = shown.tables.processes, shown.progress
    alive = {process.process for process in processes.values() if process.gone_at is None}
    progress.processes = len(alive)
    in_use = [
        socket
        for socket in shown.tables.sockets.values()
        if socket.closed_at is None and socket.process in alive
    ]
    progress.sockets = len(in_use)
    progress.gathered_sockets = sum(socket.series == OTHER for socket in in_use)
    progress.events_lost = sum(process.all_events_lost for process in processes.values())


def _log(row: Row, process: ProcessState | None = None) -> None:
    values = row.values
    if row.kind == "fault":
        log.warning("fault", text=values["text"], host=row.host, process=row.process)
    elif row.kind == "process" and values["state"] in _PROCESS_EVENTS:
        event = _PROCESS_EVENTS[str(values["state"])]
        pid, command = (None, None) if process is None else (process.pid, process.command)
        log.info(event, process=row.process, host=row.host, pid=pid, command=command)


def _longer(
    history: deque[tuple[float, Counts]] | None, clock: float, counts: Counts
) -> deque[tuple[float, Counts]]:
    history = deque() if history is None else history
    history.append((clock, counts))
    while len(history) > 2 and clock - history[1][0] >= RATE_SECONDS:
        history.popleft()
    return history
