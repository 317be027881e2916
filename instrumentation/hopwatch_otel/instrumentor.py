"""The instrumentor: nothing but ``hopwatch.install`` and ``uninstall``, as OpenTelemetry asks for them."""

from collections.abc import Collection
from typing import Any

import hopwatch
from opentelemetry.instrumentation.instrumentor import BaseInstrumentor


class HopwatchInstrumentor(BaseInstrumentor):
    """Wraps every pyzmq socket; takes the arguments of ``hopwatch.install``, among those that other instrumentors are given."""

    def instrumentation_dependencies(self) -> Collection[str]:
        """The package without which there is nothing to instrument."""
        return ["pyzmq >= 25"]

    def _instrument(
        self, *, sequence: Any = None, stamp_every: int = 1, topic: object = None, **_others: Any
    ) -> None:
        hopwatch.install(sequence=sequence, stamp_every=stamp_every, topic=topic)

    def _uninstrument(self, **_others: Any) -> None:
        hopwatch.uninstall()
