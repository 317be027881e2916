"""Lanes at their ends."""

from dataclasses import dataclass
from datetime import datetime

from hopwatch_agent.backlog.shown import Backlog


@dataclass(frozen=True)
class LaneView:
    """One lane at one of its ends; ``lost`` are the numbers missing below ``next``, at a receiver.

    ``sender_name``: None where this agent knows no socket of the stream.
    ``backlog``: None unless both ends are open and this agent's.
    """

    socket: str
    socket_name: str
    stream: str
    sender_name: str | None
    lane: int
    role: str
    topic: str | None
    count: int
    first: int
    next: int
    lost: int | None
    newest_sent_at: datetime | None
    final: bool
    backlog: Backlog | None
