"""How it stands with a socket, for agents that do not tell it themselves."""

from dataclasses import dataclass
from datetime import datetime

import msgspec

from hopwatch_console.records import Rates, Socket
from hopwatch_console.states import CLOSED, LOSING, PRESSED, QUIET, STATES, UNKNOWN
from hopwatch_console.words import counted, day_and_clock, per_second


@dataclass(frozen=True)
class Standing:
    """A state, and why."""

    state: str
    text: str


def standing_of(socket: Socket) -> Standing:
    """What the agent says; an older one says nothing, and then it is read off the rates."""
    if socket.state is not None:
        return Standing(socket.state, socket.state_text or "")
    if socket.closed_at is not None:
        return Standing(CLOSED, "it was closed")
    if socket.process.gone_at is not None:
        return Standing(CLOSED, "its process has ended")
    losses = _losses(socket.rates)
    if losses:
        return Standing(LOSING, ", ".join(losses))
    pressures = _pressures(socket)
    return Standing(PRESSED, ", ".join(pressures)) if pressures else Standing(QUIET, "")


def unknown(socket: Socket, since: datetime) -> Socket:
    """The same as it is known when its agent has gone away: totals as of then, and nothing of the present."""
    before = standing_of(socket)
    if before.state in {CLOSED, UNKNOWN}:
        return socket
    was = f"{before.state} ({before.text})" if before.text else before.state
    return msgspec.structs.replace(
        socket,
        state=UNKNOWN,
        state_text=f"its agent is away since {day_and_clock(since)} UTC; then it was {was}",
        rates=Rates(),
        backlog_sent=None,
        backlog_received=None,
    )


def rank(state: str) -> int:
    """0 is the worst."""
    return STATES.index(state if state in STATES else UNKNOWN)


def _losses(rates: Rates) -> list[str]:
    return [
        text.format(per_second(rate))
        for text, rate in (
            ("it misses {} messages/s", rates.lost),
            ("it meets a full pipe {} times/s", rates.onsets),
            ("it cannot route {} messages/s", rates.unroutable),
        )
        if rate > 0
    ]


def _pressures(socket: Socket) -> list[str]:
    rates = socket.rates
    told = [
        text.format(per_second(rate))
        for text, rate in (
            ("{} sends/s are refused (EAGAIN)", rates.eagain_sends),
            ("{} sends/s have to wait", rates.waited_sends),
        )
        if rate > 0
    ]
    waiting = socket.counters.pending_sends
    wait = "waits" if waiting == 1 else "wait"
    return [*told, f"{counted(waiting, 'send')} {wait} in the application"] if waiting else told
