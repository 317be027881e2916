"""Instruments of what the kernel tells of TCP connections, by series."""

from collections.abc import Iterator
from functools import partial
from itertools import groupby

from opentelemetry.metrics import CallbackOptions, Meter, Observation

from hopwatch_agent.live.series import parts_of
from hopwatch_agent.telemetry.attributes import LIMIT, Attributes, attributes_of
from hopwatch_agent.telemetry.tcp_metrics import GROWN, Grown, TcpSums

Observations = Iterator[Observation]


class TcpInstruments:
    """Over ``sums``, which somebody else updates before they are read."""

    def __init__(self, sums: TcpSums) -> None:
        self._sums = sums

    def register(self, meter: Meter) -> None:
        """Makes the instruments."""
        for name, group in groupby(enumerate(GROWN), key=lambda placed: placed[1].name):
            parts = list(group)
            (_, first), *_ = parts
            callback = partial(self._grown, parts)
            meter.create_observable_counter(name, [callback], unit=first.unit, description=first.text)
        meter.create_observable_gauge(
            "hopwatch.tcp.rtt", [self._rtt], unit="s", description="Longest round trip of its connections."
        )
        for name, unit, text, read in (
            ("hopwatch.tcp.send.queue", "By", "Sent, and not acknowledged by the other end.", self._unsent),
            ("hopwatch.tcp.receive.queue", "By", "Arrived, and not read by libzmq.", self._unread),
            (
                "hopwatch.tcp.limited.connections",
                "{connection}",
                "Connections, by what limits how fast data gets to the other end.",
                self._limited,
            ),
        ):
            meter.create_observable_up_down_counter(name, [read], unit=unit, description=text)

    def _grown(self, parts: list[tuple[int, Grown]], _options: CallbackOptions) -> Observations:
        for place, part in parts:
            for series, value in self._sums.grown[place].items():
                yield Observation(value, _attributes(series) | part.more)

    def _rtt(self, _options: CallbackOptions) -> Observations:
        for series, now in self._sums.now.items():
            if now.longest_rtt is not None:
                yield Observation(now.longest_rtt, _attributes(series))

    def _unsent(self, _options: CallbackOptions) -> Observations:
        for series, now in self._sums.now.items():
            yield Observation(now.send_queue, _attributes(series))

    def _unread(self, _options: CallbackOptions) -> Observations:
        for series, now in self._sums.now.items():
            yield Observation(now.receive_queue, _attributes(series))

    def _limited(self, _options: CallbackOptions) -> Observations:
        for series, now in self._sums.now.items():
            for limit in sorted(now.limits):
                yield Observation(now.limits[limit], _attributes(series) | {LIMIT: limit})


def _attributes(series: str) -> Attributes:
    return attributes_of(parts_of(series))
