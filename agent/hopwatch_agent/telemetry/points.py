"""Collected metrics with the times at which counts really began, and as differences for those who want these.

The SDK takes the first collection for the beginning. The counts are older: they outlive the agent.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Metric,
    MetricsData,
    NumberDataPoint,
    Sum,
)

Start = Callable[[str, Mapping[str, object]], int]
"""When what a metric of this name and these attributes counts began, in nanoseconds since 1970."""
Key = tuple[str, frozenset[tuple[str, object]]]


def with_starts(data: MetricsData, start: Start) -> MetricsData:
    """The same data with the true beginnings of its counters."""

    def started(metric: Metric, point: NumberDataPoint) -> NumberDataPoint:
        began = start(metric.name, point.attributes or {})
        return replace(point, start_time_unix_nano=min(began, point.time_unix_nano))

    return _changed(data, started, AggregationTemporality.CUMULATIVE)


class Differences:
    """What counters have grown by since the last export that went well, or since this object was made."""

    def __init__(self, data: MetricsData | None) -> None:
        """``data``: as of now, what is not to be told again."""
        self._since = 0
        self._told: dict[Key, float] = {}
        if data is not None:
            self.note(data)

    def of(self, data: MetricsData) -> MetricsData:
        """The same data, its counters as differences."""

        def difference(metric: Metric, point: NumberDataPoint) -> NumberDataPoint:
            before = self._told.get(_key(metric, point), 0)
            # a series that was forgotten and is there again has begun anew
            grown = point.value - before if point.value >= before else point.value
            since = self._since or point.start_time_unix_nano
            return replace(point, value=grown, start_time_unix_nano=min(since, point.time_unix_nano))

        return _changed(data, difference, AggregationTemporality.DELTA)

    def note(self, data: MetricsData) -> None:
        """These counters were told."""
        self._told = {_key(metric, point): point.value for metric, point in _counters(data)}
        self._since = max((point.time_unix_nano for _, point in _counters(data)), default=self._since)


def _key(metric: Metric, point: NumberDataPoint) -> Key:
    return metric.name, frozenset((point.attributes or {}).items())


def _counters(data: MetricsData) -> Iterator[tuple[Metric, NumberDataPoint]]:
    for resource in data.resource_metrics:
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                if isinstance(metric.data, Sum) and metric.data.is_monotonic:
                    yield from ((metric, point) for point in metric.data.data_points)


def _changed(
    data: MetricsData,
    change: Callable[[Metric, NumberDataPoint], NumberDataPoint],
    temporality: AggregationTemporality,
) -> MetricsData:
    """The same data with other points of its counters."""

    def of_metric(metric: Metric) -> Metric:
        if not isinstance(metric.data, Sum) or not metric.data.is_monotonic:
            return metric
        points = [change(metric, point) for point in metric.data.data_points]
        return replace(
            metric, data=replace(metric.data, data_points=points, aggregation_temporality=temporality)
        )

    resources = [
        replace(
            resource,
            scope_metrics=[
                replace(scope, metrics=[of_metric(metric) for metric in scope.metrics])
                for scope in resource.scope_metrics
            ],
        )
        for resource in data.resource_metrics
    ]
    return replace(data, resource_metrics=resources)
