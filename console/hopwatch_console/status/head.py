"""The lines that a look at an agent begins with: who it is, what it watches, and what keeps it from knowing how it stands."""

from collections.abc import Iterator
from datetime import datetime

from hopwatch.version import VERSION

from hopwatch_console.fleet.contact_words import NOT_COUNTED
from hopwatch_console.fleet.picture import AgentPicture
from hopwatch_console.fleet.standing import standing_of
from hopwatch_console.frames import Status
from hopwatch_console.lines import Line, wrapped
from hopwatch_console.plain import plain
from hopwatch_console.states import CLOSED, STATES
from hopwatch_console.words import counted, in_utc, lasting, number


def head_lines(agent: AgentPicture, status: Status, now: datetime, width: int) -> Iterator[Line]:
    """Of an agent that answers."""
    begun = status.started_at
    up = "" if begun is None else f", up {lasting((now - in_utc(begun)).total_seconds())}"
    who = f"{agent.address.url}: {plain(status.host, 40)}, hopwatch {_version(status.version)}{up}"
    yield from wrapped(who, width, later="  ", style="head")
    watched = f"{counted(status.processes, 'process', 'processes')}, {_sockets(agent, status.sockets)}"
    yield from wrapped(watched, width, first="  ", later="  ")
    for text, style in _not_known(agent, status):
        yield from wrapped(text, width, first="  ", later="  ", style=style)


def _not_known(agent: AgentPicture, status: Status) -> Iterator[tuple[str, str]]:
    if agent.counts_no_losses:
        yield NOT_COUNTED, "warn"
    if status.is_behind:
        yield f"it is behind: what follows is {lasting(status.lag_seconds or 0)} old", "bad"
    if not status.ready:
        yield "it does not read its journals at the moment: what follows is what it knew before", "bad"


def _sockets(agent: AgentPicture, in_use: int) -> str:
    states = [standing_of(socket).state for socket in agent.sockets]
    told = ", ".join(
        f"{number(states.count(state))} {state}" for state in STATES if state in states and state != CLOSED
    )
    ended = f"; {counted(states.count(CLOSED), 'socket')} ended" if CLOSED in states else ""
    return f"{counted(in_use, 'open socket')}{': ' if told else ''}{told}{ended}"


def _version(version: str) -> str:
    """Where it is another one than here, that too: an older agent tells less."""
    here = "" if version == VERSION else f" (here: {VERSION})"
    return f"{plain(version, 20)}{here}"
