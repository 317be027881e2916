"""The observable instruments: nothing is counted for them, they read the board when somebody collects."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

from opentelemetry.metrics import CallbackOptions, Meter, Observation

from hopwatch_agent.live.series import Series
from hopwatch_agent.telemetry.agent_metrics import OwnFigures
from hopwatch_agent.telemetry.attributes import CAUSE, RULE, STATE, Attributes, few
from hopwatch_agent.telemetry.backlog import BacklogInstruments
from hopwatch_agent.telemetry.snapshot import Taken
from hopwatch_agent.telemetry.socket_metrics import COUNTED, Counted
from hopwatch_agent.telemetry.sums import Sums, missing_by_cause, sums_of
from hopwatch_agent.telemetry.tcp_instruments import TcpInstruments
from hopwatch_agent.telemetry.tcp_metrics import TcpSums

RULES_TOLD = 50
GONE_REMEMBERED = 100
Observations = Iterator[Observation]


@dataclass
class Memory:
    """What has to be known of earlier collections, also by a meter that takes the place of another one.

    ``highest``: what was told, by metric, then by series, part and beginning; ``shown``: what was not 0, by metric and series.
    """

    tcp: TcpSums = field(default_factory=TcpSums)
    highest: defaultdict[str, dict[tuple[str, int, int], float]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    shown: dict[str, dict[str, set[str]]] = field(default_factory=dict)


class Instruments:
    """All instruments of one meter; ``take`` is asked once a collection. Collected by one thread at a time."""

    def __init__(self, take: Callable[[], Taken], meter: Meter, memory: Memory | None = None) -> None:
        self.memory = memory or Memory()
        self._take = take
        self._taken: Taken | None = None
        self._sums: dict[str, Sums] = {}
        self._ever: set[str] = set()
        # callbacks run in the order of registration: this one takes what all others tell
        meter.create_observable_gauge(
            "hopwatch.agent.ready",
            [self._begin],
            description="1 if the agent reads the journals, 0 if it cannot.",
        )
        OwnFigures(self.taken).register(meter)
        TcpInstruments(self.memory.tcp).register(meter)
        BacklogInstruments(self.taken).register(meter)
        self._register_series(meter)

    def taken(self) -> Taken:
        """What the newest collection took."""
        if self._taken is None:
            self._taken = self._take()
        return self._taken

    @property
    def is_worn(self) -> bool:
        """Whether the meter remembers many series that are gone: it never forgets one, so that a new meter is due."""
        return len(self._ever) > 2 * len(self._sums) + GONE_REMEMBERED

    def starts(self) -> dict[Series | None, int]:
        """When the counts of each series began, as of the last collection."""
        return {sums.parts: sums.since for sums in self._sums.values()}

    @property
    def started_at(self) -> int:
        """When the agent was started, and with it the counts of its own."""
        return self.taken().progress.started_at

    def _begin(self, _options: CallbackOptions) -> Observations:
        self._taken = self._take()
        self._sums = sums_of(self._taken)
        self.memory.tcp.update(self._taken)
        self._ever.update(self._sums)
        progress = self._taken.progress
        yield Observation(int(progress.alive and progress.not_ready is None))

    def _register_series(self, meter: Meter) -> None:
        for name, group in groupby(COUNTED, key=lambda counted: counted.name):
            parts = list(group)
            read = partial(self._counter, parts)
            meter.create_observable_counter(name, [read], unit=parts[0].unit, description=parts[0].text)
        meter.create_observable_gauge(
            "hopwatch.series.start_time",
            [self._start_times],
            unit="s",
            description="When the first socket of the series was opened, in seconds since 1970.",
        )
        for name, unit, text, callback in self._presents():
            meter.create_observable_up_down_counter(name, [callback], unit=unit, description=text)

    def _counter(self, parts: list[Counted], _options: CallbackOptions) -> Observations:
        before = self.memory.highest[parts[0].name]
        told: dict[tuple[str, int, int], float] = {}
        for series, sums in self._sums.items():
            for place, part in enumerate(parts):
                # two words of a socket are read a moment apart, so that their sum may be one less for once
                key = series, place, sums.since
                value = max(part.read(sums), before.get(key, 0))
                if value or (sums.parts is not None and sums.parts.type in part.from_zero):
                    told[key] = value
                    yield Observation(value, sums.attributes | part.more)
        self.memory.highest[parts[0].name] = told

    def _presents(self) -> Iterable[tuple[str, str, str, Callable[[CallbackOptions], Observations]]]:
        return (
            ("hopwatch.sockets", "{socket}", "Sockets that are open.", self._open_sockets),
            (
                "hopwatch.pending.sends",
                "{send}",
                "Sends that wait in the application now, for room or for a peer.",
                self._pending_sends,
            ),
            (
                "hopwatch.missing.messages",
                "{message}",
                "Messages that are missing as of now, by the cause so far.",
                self._missing,
            ),
            ("hopwatch.connections", "{connection}", "Connections of open sockets.", self._connections),
            ("hopwatch.findings", "{finding}", "Findings of open sockets.", self._findings),
        )

    def _start_times(self, _options: CallbackOptions) -> Observations:
        for sums in self._sums.values():
            yield Observation(sums.since / 1e9, sums.attributes)

    def _open_sockets(self, _options: CallbackOptions) -> Observations:
        for sums in self._sums.values():
            yield Observation(sums.open_sockets, sums.attributes)

    def _pending_sends(self, _options: CallbackOptions) -> Observations:
        yield from self._while_known("pending", lambda sums: {"": sums.pending_sends}, None)

    def _missing(self, _options: CallbackOptions) -> Observations:
        yield from self._while_known("missing", missing_by_cause, CAUSE)

    def _connections(self, _options: CallbackOptions) -> Observations:
        yield from self._while_known("connections", lambda sums: sums.states, STATE)

    def _findings(self, _options: CallbackOptions) -> Observations:
        yield from self._while_known("findings", lambda sums: dict(few(sums.findings, RULES_TOLD)), RULE)

    def _while_known(
        self, what: str, values: Callable[[Sums], Mapping[str, int]], label: str | None
    ) -> Observations:
        """What is not 0, and 0 for what was not at an earlier collection."""
        before = self.memory.shown.get(what, {})
        now: dict[str, set[str]] = {}
        for series, sums in self._sums.items():
            found = values(sums)
            now[series] = {name for name, value in found.items() if value} | before.get(series, set())
            for name in sorted(now[series]):
                more: Attributes = {label: name} if label else {}
                yield Observation(found.get(name, 0), sums.attributes | more)
        self.memory.shown[what] = now
