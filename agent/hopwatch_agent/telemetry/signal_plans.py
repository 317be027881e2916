"""Which signals the settings ask for. What they need is loaded when they are made, in the thread that pushes."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from hopwatch_agent.live.board import Board
from hopwatch_agent.settings import telemetry as settings
from hopwatch_agent.telemetry.agent_identity import Identity
from hopwatch_agent.telemetry.log_events import EventBook
from hopwatch_agent.telemetry.snapshot import Taken, take

EVENTS_SECONDS = 1.0
"""How often events are told."""


class Signal(Protocol):
    """What is pushed again and again by one thread. ``close`` may be called by another one."""

    def push(self) -> bool:
        """Whether it could be told."""

    def close(self) -> None:
        """Ends a push that waits for the receiver."""


@dataclass(frozen=True)
class Planned:
    """A signal to be pushed every so many seconds. ``make`` raises what its libraries raise."""

    name: str
    seconds: float
    make: Callable[[], Signal]


def planned(
    wanted: settings.TelemetrySettings, identity: Identity, board: Board, book: EventBook | None
) -> list[Planned]:
    """Nothing, if nothing is to be pushed."""
    plan = []
    if wanted.metrics is not None:
        source = _Source(board) if wanted.differences else partial(take, board)
        make = partial(_metrics, wanted.metrics, identity, source, differences=wanted.differences)
        plan.append(Planned("metrics", wanted.interval_seconds, make))
    if wanted.logs is not None and book is not None:
        plan.append(Planned("logs", EVENTS_SECONDS, partial(_events, wanted.logs, identity, book)))
    return plan


class _Source:
    """Takes off the board; the first time, what was taken when this was made: differences are told from there on."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._first: Taken | None = take(board)

    def __call__(self) -> Taken:
        first, self._first = self._first, None
        return take(self._board) if first is None else first


def _metrics(
    protocol: settings.Protocol, identity: Identity, source: Callable[[], Taken], *, differences: bool
) -> Signal:
    from hopwatch_agent.telemetry.exporters import metric_exporter
    from hopwatch_agent.telemetry.signals import MetricsSignal

    return MetricsSignal(metric_exporter(protocol), identity, source, differences=differences)


def _events(protocol: settings.Protocol, identity: Identity, book: EventBook) -> Signal:
    from hopwatch_agent.telemetry.exporters import log_exporter
    from hopwatch_agent.telemetry.signals import EventsSignal

    return EventsSignal(log_exporter(protocol), identity, book)
