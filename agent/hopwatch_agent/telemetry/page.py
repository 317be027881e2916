"""``/metrics``: what Prometheus scrapes. Nothing of OpenTelemetry is loaded before the first scrape."""

import os
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hopwatch_agent.live.board import Board
from hopwatch_agent.telemetry.agent_identity import Identity
from hopwatch_agent.telemetry.snapshot import take

if TYPE_CHECKING:
    from collections.abc import Callable

    from prometheus_client import CollectorRegistry
    from prometheus_client.registry import Collector

    from hopwatch_agent.telemetry.instruments import Instruments, Memory


@dataclass(frozen=True)
class Answer:
    """One page; ``status`` is that of HTTP."""

    status: int
    content_type: str
    body: bytes


@dataclass
class _Made:
    registry: "CollectorRegistry"
    instruments: "Instruments"


@dataclass
class MetricsPage:
    """May be asked by any thread; scrapes wait for each other, since the library mixes those that come at once."""

    board: Board
    identity: Identity
    disabled: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _made: _Made | None = None

    def answer(self, accept: str) -> Answer:
        """The page in the format that the Accept header asks for."""
        if self.disabled:
            return Answer(503, "text/plain; charset=utf-8", b"OTEL_SDK_DISABLED is true\n")
        encoder, content_type = _encoder(accept)
        with self._lock:
            if self._made is None:
                self._made = _make(self.board, self.identity, None)
            elif self._made.instruments.is_worn:
                self._made = _make(self.board, self.identity, self._made.instruments.memory)
            return Answer(200, content_type, encoder(self._made.registry))


def _encoder(accept: str) -> "tuple[Callable[[Collector], bytes], str]":
    """Plain text where the header cannot be understood, as if there were none."""
    from prometheus_client.exposition import choose_encoder

    try:
        return choose_encoder(accept)
    except (TypeError, ValueError):  # what the library makes of a version that is none
        return choose_encoder("")


def _make(board: Board, identity: Identity, memory: "Memory | None") -> _Made:
    from opentelemetry.exporter.prometheus import PrometheusMetricReader
    from opentelemetry.sdk.metrics import AlwaysOffExemplarFilter, MeterProvider
    from prometheus_client import CollectorRegistry

    from hopwatch_agent.telemetry.instruments import Instruments
    from hopwatch_agent.telemetry.resource import resource_of

    registry = CollectorRegistry()
    # labels of the scope would make new series of all counters with each version
    reader = PrometheusMetricReader(scope_info_enabled=False, registry=registry)
    provider = MeterProvider(
        [reader], resource_of(identity, os.environ), AlwaysOffExemplarFilter(), shutdown_on_exit=False
    )
    return _Made(registry, Instruments(lambda: take(board), provider.get_meter("hopwatch_agent"), memory))
