"""What OpenTelemetry's own variables say: where metrics and log events are sent, if anywhere.

Headers, certificates, compression and time-outs are read by the exporters themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from hopwatch_agent.errors import SettingsError

Protocol = Literal["grpc", "http/protobuf"]
_GRPC_PORT = 4317
_EXPORTERS = ("otlp", "prometheus", "none")
_PROTOCOLS: Mapping[str, Protocol] = {"grpc": "grpc", "http/protobuf": "http/protobuf"}


@dataclass(frozen=True)
class TelemetrySettings:
    """``metrics`` and ``logs``: the protocol by which they are pushed; None if they are not.

    ``differences``: counters are told as what they grew by (delta temporality).
    """

    metrics: Protocol | None = None
    logs: Protocol | None = None
    interval_seconds: float = 60.0
    differences: bool = False
    disabled: bool = False


def telemetry_from(environ: Mapping[str, str]) -> TelemetrySettings:
    """Raises ``SettingsError``."""
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return TelemetrySettings(disabled=True)
    preference = environ.get("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "").strip().lower()
    return TelemetrySettings(
        metrics=_protocol("METRICS", environ),
        logs=_protocol("LOGS", environ),
        interval_seconds=_milliseconds("OTEL_METRIC_EXPORT_INTERVAL", 60_000, environ) / 1000,
        differences=preference == "delta",
    )


def _protocol(signal: str, environ: Mapping[str, str]) -> Protocol | None:
    endpoint = _first(environ, f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
    if "otlp" not in _exporters(f"OTEL_{signal}_EXPORTER", "otlp" if endpoint else "none", environ):
        return None
    names = (f"OTEL_EXPORTER_OTLP_{signal}_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
    told = _first(environ, *names)
    if not told:
        # the specification's default, but for the port that is gRPC's everywhere
        return "grpc" if _port(endpoint) == _GRPC_PORT else "http/protobuf"
    if told not in _PROTOCOLS:
        name = next(name for name in names if environ.get(name))
        raise SettingsError(f"{name} is {told!r}: it must be {' or '.join(_PROTOCOLS)}")
    return _PROTOCOLS[told]


def _exporters(name: str, default: str, environ: Mapping[str, str]) -> list[str]:
    told = [word.strip() for word in (environ.get(name) or default).split(",")]
    known = _EXPORTERS if name == "OTEL_METRICS_EXPORTER" else ("otlp", "none")
    for word in told:
        if word not in known:
            raise SettingsError(f"{name} is {word!r}: the agent has {', '.join(known)}")
    return told


def _milliseconds(name: str, default: float, environ: Mapping[str, str]) -> float:
    told = environ.get(name) or str(default)
    try:
        value = float(told)
    except ValueError:
        value = 0.0
    if not 1 <= value <= 86_400_000:
        raise SettingsError(f"{name} is {told!r}: it must be milliseconds, from 1 to 86400000")
    return value


def _first(environ: Mapping[str, str], *names: str) -> str:
    return next((environ[name].strip() for name in names if environ.get(name, "").strip()), "")


def _port(endpoint: str) -> int | None:
    try:
        return urlsplit(endpoint if "://" in endpoint else f"//{endpoint}").port
    except ValueError:
        return None
