"""The two signals that are pushed: each collects what it tells, and knows what came of telling it."""

import os
from collections.abc import Callable

from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.metrics import AlwaysOffExemplarFilter, MeterProvider
from opentelemetry.sdk.metrics.export import (
    InMemoryMetricReader,
    MetricExporter,
    MetricExportResult,
    MetricsData,
)
from opentelemetry.sdk.resources import Resource

from hopwatch_agent.telemetry.agent_identity import Identity
from hopwatch_agent.telemetry.attributes import key_of
from hopwatch_agent.telemetry.instruments import Instruments, Memory
from hopwatch_agent.telemetry.log_events import EventBook
from hopwatch_agent.telemetry.log_records import record_of
from hopwatch_agent.telemetry.points import Differences, with_starts
from hopwatch_agent.telemetry.resource import resource_of
from hopwatch_agent.telemetry.snapshot import Taken
from hopwatch_agent.telemetry.socket_metrics import NAMES


class MetricsSignal:
    """All metrics, at each push."""

    def __init__(
        self, exporter: MetricExporter, identity: Identity, take: Callable[[], Taken], *, differences: bool
    ) -> None:
        """``take`` gives what to tell of; with ``differences``, what it gives now is not told."""
        self._exporter = exporter
        self._resource = resource_of(identity, os.environ)
        self._take = take
        self._make(None)
        self._differences = Differences(self._collect()) if differences else None

    def _make(self, memory: Memory | None) -> None:
        self._reader = InMemoryMetricReader()
        provider = MeterProvider(
            [self._reader], self._resource, AlwaysOffExemplarFilter(), shutdown_on_exit=False
        )
        self._instruments = Instruments(self._take, provider.get_meter("hopwatch_agent"), memory)

    def push(self) -> bool:
        """Collects and exports."""
        if self._instruments.is_worn:
            self._make(self._instruments.memory)
        data = self._collect()
        if data is None:
            return True
        told = data if self._differences is None else self._differences.of(data)
        done = self._exporter.export(told) is MetricExportResult.SUCCESS
        if done and self._differences is not None:
            self._differences.note(data)
        return done

    def close(self) -> None:
        """Ends a retry at once."""
        self._exporter.shutdown()

    def _collect(self) -> MetricsData | None:
        data = self._reader.get_metrics_data()
        if data is None:
            return None
        starts = self._instruments.starts()
        own = self._instruments.started_at
        return with_starts(data, lambda name, found: starts.get(key_of(found), own) if name in NAMES else own)


class EventsSignal:
    """What happened since the last push."""

    def __init__(self, exporter: LogRecordExporter, identity: Identity, book: EventBook) -> None:
        self._exporter = exporter
        self._end: Callable[[], None] = self._exporter.shutdown
        self._resource: Resource = resource_of(identity, os.environ)
        self._book = book

    def push(self) -> bool:
        """Exports what may be told; what cannot be exported waits for the next push."""
        told = self._book.take()
        if not told:
            return True
        done = False
        try:
            records = [record_of(happening, self._resource) for happening in told]
            done = self._exporter.export(records) is LogRecordExportResult.SUCCESS
        finally:
            if not done:
                self._book.put_back(told)
        return done

    def close(self) -> None:
        """Ends a retry at once."""
        self._end()
