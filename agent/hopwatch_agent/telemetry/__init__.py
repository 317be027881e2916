"""What others' tools are told: OpenTelemetry metrics, by OTLP and on /metrics, and log events of what was lost."""
