"""The JSON of what those who watch are pushed."""

from pydantic import Field

from hopwatch_api.model import Model
from hopwatch_api.v1.models import NUMBERED, UNRECEIVED, BacklogModel, Counters, EventModel, Rates
from hopwatch_api.v1.status_models import StatusModel
from hopwatch_api.v1.words import SocketState


class StatesModel(Model):
    """How many sockets in use there are of each state."""

    losing: int
    pressed: int
    quiet: int


class RevisionsModel(Model):
    """Numbers that change when a list does, the figures in it aside; they begin anew with the agent."""

    sockets: int
    connections: int
    findings: int
    incidents: int


class MovingSocketModel(Model):
    """A socket that loses, is pressed or moves, or has something on its way."""

    id: str
    name: str
    type: str
    state: SocketState
    state_text: str
    lost: int
    counters: Counters
    rates: Rates
    backlog_sent: BacklogModel | None
    backlog_received: BacklogModel | None
    numbered: bool | None = Field(description=NUMBERED)
    unreceived: int = Field(description=UNRECEIVED)


class LiveModel(Model):
    """What is pushed each second."""

    status: StatusModel
    states: StatesModel
    revisions: RevisionsModel
    sockets: list[MovingSocketModel]
    sockets_left_out: int = Field(description="further ones that do something")
    events: list[EventModel]
    events_left_out: int = Field(description="older ones that came since the last time, which /v1/events has")
    newest_event: int = Field(
        description="id of the newest event that is kept; 0 if none is. It falls where the agent's database is made anew"
    )
