"""What is wrong or risky in a socket's set-up."""

from dataclasses import dataclass
from datetime import datetime

from hopwatch_agent.live.answers.owners import ProcessView


@dataclass(frozen=True)
class FindingView:
    """Something wrong or risky in a socket's set-up."""

    rule: str
    text: str
    advice: str


@dataclass(frozen=True)
class SocketFindingView:
    """A finding, with its socket."""

    socket: str
    socket_name: str
    type: str
    host: str
    process: ProcessView
    closed_at: datetime | None
    rule: str
    text: str
    advice: str
