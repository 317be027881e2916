"""hopwatch for OpenTelemetry's auto-instrumentation: ``opentelemetry-instrument`` finds this by its entry point."""

from hopwatch_otel.instrumentor import HopwatchInstrumentor

__all__ = ["HopwatchInstrumentor"]
