"""When counts began, and what they have grown by: told so that a restart of the agent is neither a reset nor a surge."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from hopwatch_agent.telemetry.agent_identity import Identity
from hopwatch_agent.telemetry.signals import MetricsSignal
from hopwatch_agent.telemetry.snapshot import take
from journal_writer import JournalWriter
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    MetricExporter,
    MetricExportResult,
    MetricsData,
    NumberDataPoint,
    Sum,
)

SOCKET = "00000000000000a1"
OPENED = 1_700_000_000_000_000_000
Alive = Callable[[JournalWriter], AbstractContextManager[None]]


class Kept(MetricExporter):
    """An exporter whose receiver is this object; ``works`` says whether it is there."""

    def __init__(self) -> None:
        super().__init__()
        self.works = True
        self.told: list[MetricsData] = []

    def export(self, metrics_data: MetricsData, *_more: Any, **_others: Any) -> MetricExportResult:
        self.told.append(metrics_data)
        return MetricExportResult.SUCCESS if self.works else MetricExportResult.FAILURE

    def force_flush(self, *_more: Any) -> bool:
        return True

    def shutdown(self, *_more: Any, **_others: Any) -> None:
        pass

    def newest(self, name: str) -> tuple[NumberDataPoint, AggregationTemporality]:
        """The only point of a counter."""
        (resource,) = self.told[-1].resource_metrics
        (metric,) = [m for scope in resource.scope_metrics for m in scope.metrics if m.name == name]
        assert isinstance(metric.data, Sum)
        (point,) = metric.data.data_points
        return point, metric.data.aggregation_temporality


def signal(bench: Any, exporter: Kept, *, differences: bool) -> MetricsSignal:
    return MetricsSignal(exporter, Identity("box-1", "x"), lambda: take(bench.board), differences=differences)


def test_a_counters_beginning_is_that_of_its_first_socket_also_after_a_restart(
    bench: Any, alive: Alive
) -> None:
    writer = bench.writer()
    writer.event("opened", t=OPENED, socket=SOCKET, name="quotes", type="PUB", slot=[0, 0])
    writer.set_counters(SOCKET, 0, sent=5)
    with alive(writer):
        bench.tick()
        for _ in range(2):
            exporter = Kept()
            signal(bench, exporter, differences=False).push()
            point, temporality = exporter.newest("messaging.client.sent.messages")
            assert (point.value, point.start_time_unix_nano) == (5, OPENED)
            assert temporality is AggregationTemporality.CUMULATIVE
            bench.reopen()


def test_differences_leave_out_what_was_counted_before_and_keep_what_could_not_be_told(
    bench: Any, alive: Alive
) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    writer.set_counters(SOCKET, 0, sent=5)
    exporter = Kept()
    with alive(writer):
        bench.tick()
        told = signal(bench, exporter, differences=True)
        grown = []
        for sent, works in ((7, True), (8, False), (10, True), (10, True)):
            writer.set_counters(SOCKET, 0, sent=sent)
            bench.tick()
            exporter.works = works
            assert told.push() is works
            point, temporality = exporter.newest("messaging.client.sent.messages")
            assert temporality is AggregationTemporality.DELTA
            grown.append((point.value, point.start_time_unix_nano))
    values, starts = zip(*grown, strict=True)
    assert values == (2, 1, 3, 0)
    assert starts[1] == starts[2] < starts[3]


def test_what_is_as_it_is_now_is_no_difference(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    exporter = Kept()
    with alive(writer):
        bench.tick()
        told = signal(bench, exporter, differences=True)
        for _ in range(2):
            told.push()
            point, temporality = exporter.newest("hopwatch.sockets")
            assert (point.value, temporality) == (1, AggregationTemporality.CUMULATIVE)
