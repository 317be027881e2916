"""What ``hopwatch status --json`` prints. ``format`` changes where a program that reads it would have to; keys may come to it without that."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec
from hopwatch.version import VERSION

from hopwatch_console.connection_records import Connection
from hopwatch_console.fleet.picture import AgentPicture, Picture
from hopwatch_console.fleet.standing import standing_of
from hopwatch_console.frames import Status
from hopwatch_console.records import (
    Backlog,
    Counters,
    Finding,
    Incident,
    OwnFinding,
    Peer,
    Process,
    Rates,
    Socket,
)
from hopwatch_console.states import STATES, UNKNOWN


class Trouble(msgspec.Struct, frozen=True):
    """Why an agent did not answer, and what to do next."""

    kind: str
    text: str
    advice: str


class SocketTold(msgspec.Struct, frozen=True):
    """One socket; ``state`` is losing, pressed, quiet or closed."""

    id: str
    name: str
    type: str
    state: str
    state_text: str
    host: str
    process: Process
    opened_at: datetime | None
    closed_at: datetime | None
    endpoints: tuple[str, ...]
    options: dict[str, int]
    counters: Counters
    rates: Rates
    backlog_sent: Backlog | None
    backlog_received: Backlog | None
    peers: tuple[Peer, ...]
    findings: tuple[OwnFinding, ...]
    left_behind: int | None
    numbered: bool | None
    unreceived: int
    died_with: int | None
    proxy: str | None


class AgentTold(msgspec.Struct, frozen=True):
    """One agent; without an answer ``status`` is null and the lists are empty. ``numbered``: whether anything that is numbered has come to one of
    its receivers: where nothing has, nobody counts what is lost.
    """

    agent: str
    answered: bool
    trouble: Trouble | None
    status: Status | None
    numbered: bool | None
    sockets: tuple[SocketTold, ...]
    connections: tuple[Connection, ...]
    findings: tuple[Finding, ...]
    incidents: tuple[Incident, ...]


class Totals(msgspec.Struct, frozen=True):
    """Sums over all agents that answered; ``lost``, ``unroutable`` and ``left_behind`` are messages of the sockets that are still shown."""

    agents: int
    answered: int
    sockets: int
    losing: int
    pressed: int
    quiet: int
    closed: int
    lost: int
    unroutable: int
    left_behind: int
    findings: int
    incidents: int


class Document(msgspec.Struct, frozen=True):
    """All of it."""

    hopwatch: str
    at: datetime
    totals: Totals
    agents: tuple[AgentTold, ...]
    format: Literal[1] = 1


def document_of(picture: Picture) -> Document:
    """What a picture comes to."""
    agents = tuple(map(_agent, picture.agents))
    return Document(VERSION, picture.at, _totals(agents), agents)


def schema() -> dict[str, object]:
    """The document's JSON Schema."""
    return msgspec.json.schema(Document)


def _agent(agent: AgentPicture) -> AgentTold:
    trouble = agent.contact.trouble
    return AgentTold(
        agent=agent.address.url,
        answered=trouble is None,
        trouble=None if trouble is None else Trouble(trouble.kind, trouble.text, trouble.advice),
        status=agent.status,
        numbered=agent.numbered,
        sockets=tuple(map(_socket, agent.sockets)),
        connections=agent.connections,
        findings=agent.findings,
        incidents=agent.incidents,
    )


def _socket(socket: Socket) -> SocketTold:
    standing = standing_of(socket)
    told = {
        name: getattr(socket, name)
        for name in SocketTold.__struct_fields__
        if name not in {"state", "state_text"}
    }
    return SocketTold(state=standing.state, state_text=standing.text, **told)


def _totals(agents: tuple[AgentTold, ...]) -> Totals:
    sockets = [socket for agent in agents for socket in agent.sockets]
    states = {state: sum(socket.state == state for socket in sockets) for state in STATES if state != UNKNOWN}
    return Totals(
        agents=len(agents),
        answered=sum(agent.answered for agent in agents),
        sockets=len(sockets),
        lost=sum(socket.counters.lost for socket in sockets),
        unroutable=sum(socket.counters.unroutable for socket in sockets),
        left_behind=sum(socket.left_behind or 0 for socket in sockets),
        findings=sum(len(agent.findings) for agent in agents),
        incidents=sum(len(agent.incidents) for agent in agents),
        **states,
    )
