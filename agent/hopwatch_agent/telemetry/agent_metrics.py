"""What the agent tells of itself."""

import os
import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from opentelemetry.metrics import CallbackOptions, Meter, Observation

from hopwatch_agent.records import INT64_MAX
from hopwatch_agent.telemetry.attributes import CPU_MODE, EVENT, SIGNAL, SOURCE
from hopwatch_agent.telemetry.snapshot import Taken

Observations = Iterator[Observation]
Figure = tuple[str, str, str, Callable[[CallbackOptions], Observations]]


class OwnFigures:
    """Instruments of the agent's own state; ``taken`` gives what was taken for this collection."""

    def __init__(self, taken: Callable[[], Taken]) -> None:
        self._taken = taken

    def register(self, meter: Meter) -> None:
        """Makes the instruments."""
        for name, unit, text, callback in self._counters():
            meter.create_observable_counter(name, [callback], unit=unit, description=text)
        for name, unit, text, callback in self._sums():
            meter.create_observable_up_down_counter(name, [callback], unit=unit, description=text)
        for name, unit, text, callback in self._gauges():
            meter.create_observable_gauge(name, [callback], unit=unit, description=text)

    def _counters(self) -> tuple[Figure, ...]:
        return (
            (
                "hopwatch.agent.rows.landed",
                "{row}",
                "Rows written to Parquet since the agent was started.",
                self._landed,
            ),
            (
                "hopwatch.agent.rows.given_up",
                "{row}",
                "Rows that were given up since the agent was started, because they were too many or too old.",
                self._given_up,
            ),
            (
                "hopwatch.agent.faults",
                "{fault}",
                "Faults met since the agent was started: input that could not be read, and faults of instrumentations.",
                self._faults,
            ),
            (
                "hopwatch.agent.events.lost",
                "{event}",
                "Journal events that went before they were read, as was found since the agent was started.",
                self._events_lost,
            ),
            (
                "hopwatch.agent.events.untold",
                "{event}",
                "Log events that were not exported: there were too many, or the receiver was gone for too long.",
                self._untold,
            ),
            (
                "hopwatch.agent.export.failures",
                "{export}",
                "OTLP exports that failed.",
                self._export_failures,
            ),
            ("process.cpu.time", "s", "CPU time of the agent.", self._cpu),
        )

    def _sums(self) -> tuple[Figure, ...]:
        return (
            ("hopwatch.agent.rows.waiting", "{row}", "Rows that wait to be landed.", self._waiting),
            ("hopwatch.agent.processes", "{process}", "Instrumented processes that live.", self._processes),
            ("hopwatch.agent.errors", "{error}", "What does not work at this moment.", self._errors),
            ("hopwatch.agent.series", "{series}", "Series of sockets that are told of.", self._series),
            (
                "hopwatch.agent.gathered.sockets",
                "{socket}",
                "Sockets that are gathered in one series, because there are too many series.",
                self._gathered,
            ),
            ("process.memory.usage", "By", "Resident memory of the agent.", self._memory),
        )

    def _gauges(self) -> tuple[Figure, ...]:
        return (
            ("hopwatch.agent.lag", "s", "Time since the last tick that went well.", self._lag),
            (
                "hopwatch.agent.landing.age",
                "s",
                "Time since everything that waited had last been landed, or since the agent was started.",
                self._landing_age,
            ),
        )

    def _landed(self, _options: CallbackOptions) -> Observations:
        yield Observation(self._taken().progress.landed_rows)

    def _given_up(self, _options: CallbackOptions) -> Observations:
        progress = self._taken().progress
        yield Observation(progress.given_up - progress.given_up_before)

    def _faults(self, _options: CallbackOptions) -> Observations:
        progress = self._taken().progress
        yield Observation(progress.faults - progress.faults_before)

    def _untold(self, _options: CallbackOptions) -> Observations:
        for event, count in self._taken().progress.events_untold.items():
            yield Observation(count, {EVENT: event})

    def _export_failures(self, _options: CallbackOptions) -> Observations:
        for signal, count in self._taken().progress.export_failures.items():
            yield Observation(count, {SIGNAL: signal})

    def _cpu(self, _options: CallbackOptions) -> Observations:
        used = resource.getrusage(resource.RUSAGE_SELF)
        yield Observation(used.ru_utime, {CPU_MODE: "user"})
        yield Observation(used.ru_stime, {CPU_MODE: "system"})

    def _waiting(self, _options: CallbackOptions) -> Observations:
        yield Observation(self._taken().progress.rows_waiting)

    def _processes(self, _options: CallbackOptions) -> Observations:
        yield Observation(self._taken().progress.processes)

    def _events_lost(self, _options: CallbackOptions) -> Observations:
        yield Observation(min(self._taken().progress.events_lost_so_far, INT64_MAX))

    def _errors(self, _options: CallbackOptions) -> Observations:
        for source in self._taken().progress.errors:
            yield Observation(1, {SOURCE: source})

    def _series(self, _options: CallbackOptions) -> Observations:
        yield Observation(len(self._taken().totals))

    def _gathered(self, _options: CallbackOptions) -> Observations:
        yield Observation(self._taken().progress.gathered_sockets)

    def _memory(self, _options: CallbackOptions) -> Observations:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        yield Observation(pages * os.sysconf("SC_PAGE_SIZE"))

    def _lag(self, _options: CallbackOptions) -> Observations:
        last_tick = self._taken().progress.last_tick
        if last_tick is not None:
            yield Observation(time.monotonic() - last_tick)

    def _landing_age(self, _options: CallbackOptions) -> Observations:
        progress = self._taken().progress
        at = progress.last_landing or progress.started_at
        yield Observation(max(0.0, (time.time_ns() - at) / 1e9))
