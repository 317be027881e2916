"""One look at all agents, in words: the worst first."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from shlex import quote
from typing import TypeVar

from hopwatch_console.connection_text import connection_lines
from hopwatch_console.fleet.connected import Connected, connected, told_once
from hopwatch_console.fleet.picture import AgentPicture, Picture
from hopwatch_console.fleet.standing import standing_of
from hopwatch_console.frames import Status
from hopwatch_console.lines import Line, wrapped
from hopwatch_console.plain import plain
from hopwatch_console.socket_text import socket_lines
from hopwatch_console.states import CLOSED, LOSING, PRESSED, QUIET, STYLES
from hopwatch_console.status.connections import down, others, with_messages
from hopwatch_console.status.head import head_lines
from hopwatch_console.status.items import finding_lines, incident_lines, problem_lines
from hopwatch_console.traffic import traffic_of
from hopwatch_console.words import number

T = TypeVar("T")

SHOWN = 10
"""Of each kind, where not all are asked for."""
SHOWN_ABOVE = {LOSING, PRESSED, QUIET}


def status_lines(picture: Picture, width: int, *, everything: bool) -> Iterator[Line]:
    """Agent by agent."""
    connections = connected(picture)
    for place, agent in enumerate(picture.agents):
        if place:
            yield Line()
        own = told_once(item for item in connections if item.agent is agent)
        told = _Agent(agent, own, width, None if everything else SHOWN)
        if agent.status is None or agent.contact.trouble is not None:
            yield from told.no_answer()
        else:
            yield from head_lines(agent, agent.status, picture.at, width)
            yield from told.lists(agent.status)


class _Agent:
    def __init__(
        self, agent: AgentPicture, connections: list[Connected], width: int, shown: int | None
    ) -> None:
        self._agent = agent
        self._connections = connections
        self._width = width
        self._shown = shown

    def no_answer(self) -> Iterator[Line]:
        """What happened, and what to do."""
        trouble, width = self._agent.contact.trouble, self._width
        yield from wrapped(f"{self._agent.address.url}: no answer", width, later="  ", style="bad")
        if trouble is not None:
            yield from wrapped(plain(trouble.text), width, first="  ", later="  ")
            yield from wrapped(plain(trouble.advice), width, first="  → ", later="    ")

    def lists(self, status: Status) -> Iterator[Line]:
        """What there is of each kind."""
        yield from self._list("does not work", "bad", status.errors, problem_lines)
        yield from self._list("works, and is risky", "warn", status.warnings, problem_lines)
        yield from self._of_state(LOSING)
        yield from self._of_state(PRESSED)
        yield from self._incidents(status)
        yield from self._left_behind()
        yield from self._died_with_some()
        yield from self._list("findings", "warn", self._agent.findings, finding_lines)
        yield from self._list("connections that are down", "warn", down(self._connections), connection_lines)
        waiting = with_messages(self._connections)
        yield from self._list("messages wait on connections", "warn", waiting, connection_lines)
        if self._shown is None:
            yield from self._list("other connections", "good", others(self._connections), connection_lines)
            yield from self._of_state(QUIET)
            for state in sorted({standing_of(socket).state for socket in self._agent.sockets} - SHOWN_ABOVE):
                yield from self._of_state(state)

    def _of_state(self, state: str) -> Iterator[Line]:
        sockets = [socket for socket in self._agent.sockets if standing_of(socket).state == state]
        sockets.sort(
            key=lambda socket: (-socket.rates.lost, -socket.counters.lost, -traffic_of(socket), socket.name)
        )
        title = "ended" if state == CLOSED else plain(state, 20)
        yield from self._list(title, STYLES.get(state, "warn"), sockets, socket_lines)

    def _incidents(self, status: Status) -> Iterator[Line]:
        newest_first = tuple(reversed(self._agent.incidents))
        yield from self._list("incidents", "bad", newest_first, incident_lines)
        if status.landing and any(incident.cause is None for incident in newest_first):
            command = f"hopwatch analyze {quote(plain(status.landing, 300))} --out report"
            where = "" if "://" in status.landing else f"on {plain(status.host, 40) or 'its host'}; "
            text = f"why, and what to change: {command} ({where}an agent with --report report tells it here)"
            yield from wrapped(text, self._width, first="  → ", later="    ")

    def _left_behind(self) -> Iterator[Line]:
        left = [socket for socket in self._agent.sockets if socket.left_behind]
        left.sort(key=lambda socket: (-(socket.left_behind or 0), socket.name))
        yield from self._list("ended with messages not read", "bad", left, socket_lines)

    def _died_with_some(self) -> Iterator[Line]:
        died = [socket for socket in self._agent.sockets if socket.died_with]
        died.sort(key=lambda socket: (-(socket.died_with or 0), socket.name))
        yield from self._list("died with messages on their way", "bad", died, socket_lines)

    def _list(
        self, title: str, style: str, items: Sequence[T], told: Callable[[T, int], Iterable[Line]]
    ) -> Iterator[Line]:
        """What there is of one kind, under its title; nothing where there is none."""
        if not items:
            return
        yield Line()
        yield Line(f"{title.upper()} ({number(len(items))})", style)
        for item in items[: self._shown]:
            yield from told(item, self._width)
        if self._shown is not None and len(items) > self._shown:
            yield Line(f"  and {number(len(items) - self._shown)} more: --all shows them")
