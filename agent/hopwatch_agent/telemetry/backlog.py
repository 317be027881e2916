"""Instruments of where messages are sitting now, by series: of what its sockets send, and of what they receive."""

from collections import defaultdict
from collections.abc import Callable, Iterator

from opentelemetry.metrics import CallbackOptions, Meter, Observation

from hopwatch_agent.backlog.shown import Backlog, summed
from hopwatch_agent.live.series import parts_of
from hopwatch_agent.telemetry.attributes import OPERATION, Attributes, attributes_of
from hopwatch_agent.telemetry.snapshot import Taken

Observations = Iterator[Observation]
_LEAST = "Messages on their way to a receiver of this host, at least: those that cannot have been dropped."
_MOST = "Messages on their way to a receiver of this host, at most: all that it has not seen."
_AGE = "How long the oldest of them has been on its way, at least; 0 where all may have been dropped."


class BacklogInstruments:
    """``taken`` gives what was taken for this collection."""

    def __init__(self, taken: Callable[[], Taken]) -> None:
        self._taken = taken
        self._of: tuple[Taken, list[tuple[Attributes, Backlog]]] | None = None

    def register(self, meter: Meter) -> None:
        """Makes the instruments."""
        for name, text, read in (
            ("hopwatch.backlog.at_least", _LEAST, self._at_least),
            ("hopwatch.backlog.at_most", _MOST, self._at_most),
        ):
            meter.create_observable_up_down_counter(name, [read], unit="{message}", description=text)
        meter.create_observable_gauge("hopwatch.backlog.age", [self._age], unit="s", description=_AGE)

    def _at_least(self, _options: CallbackOptions) -> Observations:
        for attributes, backlog in self._each():
            yield Observation(backlog.at_least, attributes)

    def _at_most(self, _options: CallbackOptions) -> Observations:
        for attributes, backlog in self._each():
            yield Observation(backlog.at_most, attributes)

    def _age(self, _options: CallbackOptions) -> Observations:
        for attributes, backlog in self._each():
            yield Observation(backlog.oldest_at_least, attributes)

    def _each(self) -> list[tuple[Attributes, Backlog]]:
        taken = self._taken()
        if self._of is None or self._of[0] is not taken:
            self._of = taken, list(_by_series(taken))
        return self._of[1]


def _by_series(taken: Taken) -> Iterator[tuple[Attributes, Backlog]]:
    series = {socket.socket: socket.series for socket in taken.sockets}
    for operation, shown in (("send", taken.backlog.sent), ("receive", taken.backlog.received)):
        of: defaultdict[str, list[Backlog]] = defaultdict(list)
        for socket, backlog in shown.items():
            if socket in series:
                of[series[socket]].append(backlog)
        for each, backlogs in of.items():
            yield attributes_of(parts_of(each)) | {OPERATION: operation}, summed(backlogs)
