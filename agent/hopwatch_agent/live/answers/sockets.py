"""Sockets, with what they count and are connected to."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hopwatch_agent.backlog.shown import Backlog
from hopwatch_agent.live.answers.findings import FindingView
from hopwatch_agent.live.answers.owners import ProcessView


@dataclass(frozen=True)
class PeerView:
    """One connection of a socket. ``tcp``: what the kernel knows of it, as ``TcpModel`` has it."""

    local: str | None
    remote: str | None
    state: str
    since: datetime
    tcp: dict[str, Any] | None


@dataclass(frozen=True)
class SocketView:
    """One socket. None where it is not known: ``backlog_sent``, of what it sends, and ``backlog_received``, of what it receives; ``left_behind``: of
    one that has ended, what it had not got of what senders that ended before it had sent. ``numbered``: whether any message that it got was; None
    where it has got none. ``unreceived``: of one that is open, what it has not got of senders that have ended. ``died_with``: of one
    whose process died, how much was on its way to it, at least.
    """

    id: str
    name: str
    type: str
    host: str
    state: str
    state_text: str
    proxy: str | None
    process: ProcessView
    opened_at: datetime
    closed_at: datetime | None
    endpoints: list[str]
    options: dict[str, int]
    counters: dict[str, float]
    rates: dict[str, float]
    peers: list[PeerView]
    findings: list[FindingView]
    backlog_sent: Backlog | None
    backlog_received: Backlog | None
    left_behind: int | None
    numbered: bool | None
    unreceived: int
    died_with: int | None
