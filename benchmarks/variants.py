"""The ways to count messages that are compared: none, by hand, and with hopwatch.

A variant turns a socket into the function that a program would call for each message. Bare and wrapped
sockets are called directly; the by-hand ones through the helper function that one would write.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import zmq
from load import SENDER, Load

Send = Callable[[bytes], object]
Receive = Callable[[], bytes]


class Counting(Protocol):
    """Called once in each process, after the socket was made and before it is bound or connected."""

    def sender(self, socket: zmq.Socket[bytes]) -> Send: ...

    def receiver(self, socket: zmq.Socket[bytes]) -> Receive: ...


class Bare:
    def sender(self, socket: zmq.Socket[bytes]) -> Send:
        return socket.send

    def receiver(self, socket: zmq.Socket[bytes]) -> Receive:
        return socket.recv


@dataclass(frozen=True)
class Wrapped:
    """`hopwatch.wrap` on one end or both."""

    at_sender: bool = True
    at_receiver: bool = True
    sequence: str | None = None
    stamp_every: int = 1

    def sender(self, socket: zmq.Socket[bytes]) -> Send:
        return self._wrap(socket).send if self.at_sender else socket.send

    def receiver(self, socket: zmq.Socket[bytes]) -> Receive:
        return self._wrap(socket).recv if self.at_receiver else socket.recv

    def _wrap(self, socket: zmq.Socket[bytes]) -> zmq.Socket[bytes]:
        import hopwatch

        return hopwatch.wrap(socket, name="benchmark", sequence=self.sequence, stamp_every=self.stamp_every)


class PrometheusByHand:
    """Two counters, their labels resolved once beforehand, as its documentation advises."""

    def sender(self, socket: zmq.Socket[bytes]) -> Send:
        messages, size = self._counters("sent")
        send = socket.send

        def send_counted(message: bytes) -> None:
            send(message)
            messages(1)
            size(len(message))

        return send_counted

    def receiver(self, socket: zmq.Socket[bytes]) -> Receive:
        messages, size = self._counters("received")
        receive = socket.recv

        def receive_counted() -> bytes:
            message = receive()
            messages(1)
            size(len(message))
            return message

        return receive_counted

    def _counters(self, direction: str) -> tuple[Callable[[float], None], Callable[[float], None]]:
        from prometheus_client import CollectorRegistry, Counter

        registry = CollectorRegistry()
        messages = Counter(f"messages_{direction}", "messages", ["socket"], registry=registry)
        size = Counter(f"bytes_{direction}", "bytes", ["socket"], registry=registry)
        return messages.labels(socket="benchmark").inc, size.labels(socket="benchmark").inc


class OpenTelemetryByHand:
    """Two counters of the SDK, read by a reader in memory, so that nothing is exported meanwhile."""

    def sender(self, socket: zmq.Socket[bytes]) -> Send:
        messages, size, attributes = self._counters("sent")
        send = socket.send

        def send_counted(message: bytes) -> None:
            send(message)
            messages(1, attributes)
            size(len(message), attributes)

        return send_counted

    def receiver(self, socket: zmq.Socket[bytes]) -> Receive:
        messages, size, attributes = self._counters("received")
        receive = socket.recv

        def receive_counted() -> bytes:
            message = receive()
            messages(1, attributes)
            size(len(message), attributes)
            return message

        return receive_counted

    def _counters(self, direction: str) -> tuple[Callable[..., None], Callable[..., None], dict[str, str]]:
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import InMemoryMetricReader

        meter = MeterProvider([InMemoryMetricReader()]).get_meter("benchmark")
        messages = meter.create_counter(f"messages.{direction}")
        size = meter.create_counter(f"bytes.{direction}", unit="By")
        return messages.add, size.add, {"messaging.destination.name": "benchmark"}


BARE = "bare pyzmq"
BARE_AGAIN = "bare pyzmq against itself"
PROMETHEUS = "prometheus_client by hand, both ends"
OPEN_TELEMETRY = "OpenTelemetry by hand, both ends"
COUNTING = "hopwatch, counting, both ends"
COUNTING_SENDER = "hopwatch, counting, sender alone"
COUNTING_RECEIVER = "hopwatch, counting, receiver alone"
STAMPING = "hopwatch, stamping, both ends"
STAMPING_16 = "hopwatch, stamping one in 16, both ends"
BY_HAND = (PROMETHEUS, OPEN_TELEMETRY)

VARIANTS: dict[str, Counting] = {
    BARE: Bare(),
    BARE_AGAIN: Bare(),
    COUNTING: Wrapped(),
    COUNTING_SENDER: Wrapped(at_receiver=False),
    COUNTING_RECEIVER: Wrapped(at_sender=False),
    STAMPING_16: Wrapped(sequence="stamp", stamp_every=16),
    STAMPING: Wrapped(sequence="stamp"),
    PROMETHEUS: PrometheusByHand(),
    OPEN_TELEMETRY: OpenTelemetryByHand(),
}


def suits(variant: str, load: Load) -> bool:
    """Whether a variant is measured with a load: by the sender's clock the receiver is bare, and by hand only blocking sockets are counted."""
    if load.bound == SENDER:
        return variant in {BARE_AGAIN, COUNTING, STAMPING, STAMPING_16}
    return not (load.asyncio and variant in BY_HAND)
