"""All that is known of several agents at one moment. What is shown is a function of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

from hopwatch_console.addresses import Address
from hopwatch_console.connection_records import Connection
from hopwatch_console.errors import AgentError
from hopwatch_console.frames import Status
from hopwatch_console.records import Event, Finding, Incident, Socket


class Phase(Enum):
    """How it stands with an agent."""

    ASKED = "asked"
    """It has not answered yet."""
    HERE = "here"
    AWAY = "away"
    """It does not answer; what it told before is still shown."""


@dataclass(frozen=True)
class Contact:
    """Whether an agent answers. ``away_for`` are the seconds it was away for before it came back."""

    phase: Phase
    since: datetime
    trouble: AgentError | None = None
    again_at: datetime | None = None
    away_for: float | None = None


@dataclass(frozen=True)
class Note:
    """An agent went away, or came back."""

    at: datetime
    text: str


@dataclass(frozen=True)
class AgentPicture:
    """One agent. ``history``: messages per second of the last seconds, by socket; the newest is the last. ``numbered``: whether anything
    that is numbered has come to one of its receivers; None where that was not asked yet.
    """

    address: Address
    contact: Contact
    status: Status | None = None
    sockets: tuple[Socket, ...] = ()
    connections: tuple[Connection, ...] = ()
    findings: tuple[Finding, ...] = ()
    incidents: tuple[Incident, ...] = ()
    events: tuple[Event, ...] = ()
    events_left_out: int = 0
    notes: tuple[Note, ...] = ()
    history: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    numbered: bool | None = None

    @property
    def name(self) -> str:
        """What it is called on the screen."""
        return self.address.place

    @property
    def counts_no_losses(self) -> bool:
        """Whether it has sockets, and nobody counts what is lost between them."""
        return self.numbered is False and self.status is not None and self.status.sockets > 0


@dataclass(frozen=True)
class Picture:
    """All agents at one moment."""

    at: datetime
    agents: tuple[AgentPicture, ...]
