"""What is pushed to who watches."""

from dataclasses import dataclass

from hopwatch_agent.backlog.shown import Backlog
from hopwatch_agent.live.answers.agent import StatusView
from hopwatch_agent.live.answers.events import EventView
from hopwatch_agent.live.revisions import Revisions


@dataclass(frozen=True)
class MovingSocketView:
    """A socket that loses, is pressed or moves, or has something on its way."""

    id: str
    name: str
    type: str
    state: str
    state_text: str
    lost: int
    counters: dict[str, float]
    rates: dict[str, float]
    backlog_sent: Backlog | None
    backlog_received: Backlog | None
    numbered: bool | None
    unreceived: int


@dataclass(frozen=True)
class StatesView:
    """How many sockets in use lose, are pressed, and are neither."""

    losing: int
    pressed: int
    quiet: int


@dataclass(frozen=True)
class LiveView:
    """What is pushed to who watches: the agent, the sockets that move, and events since the last time."""

    status: StatusView
    states: StatesView
    revisions: Revisions
    sockets: list[MovingSocketView]
    sockets_left_out: int
    events: list[EventView]
    events_left_out: int
    newest_event: int
