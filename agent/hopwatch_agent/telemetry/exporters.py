"""Exporters of the SDK, by protocol. All else that they need, they read from OTEL_EXPORTER_OTLP_* themselves.

Each brings half a dozen packages, which nobody pays for who does not use it.
"""

from typing import TYPE_CHECKING

from hopwatch_agent.settings.telemetry import Protocol

if TYPE_CHECKING:
    from opentelemetry.sdk._logs.export import LogRecordExporter
    from opentelemetry.sdk.metrics.export import MetricExporter

POINTS_AT_ONCE = 5000
"""Receivers take 4 MiB at once by gRPC, unless told otherwise."""


def metric_exporter(protocol: Protocol) -> "MetricExporter":
    """Raises whatever the library finds wrong with its variables."""
    if protocol == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter as GrpcExporter

        return GrpcExporter(max_export_batch_size=POINTS_AT_ONCE)
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter as HttpExporter

    return HttpExporter(max_export_batch_size=POINTS_AT_ONCE)


def log_exporter(protocol: Protocol) -> "LogRecordExporter":
    """Raises whatever the library finds wrong with its variables."""
    if protocol == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcExporter

        return GrpcExporter()
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpExporter

    return HttpExporter()
