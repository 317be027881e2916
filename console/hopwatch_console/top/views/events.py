"""The tab of events: what happens, the newest first; agents that go and come back stand among them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from hopwatch_console.fleet.picture import AgentPicture, Picture
from hopwatch_console.lines import Line, wrapped
from hopwatch_console.plain import plain
from hopwatch_console.records import Event
from hopwatch_console.top.columns import Column
from hopwatch_console.top.event_words import event_words
from hopwatch_console.top.views.view import View
from hopwatch_console.words import clock, day_and_clock, in_utc

STYLES = {"gap": "bad", "unroutable": "bad", "onset": "warn", "finding": "warn", "agent": "head"}


@dataclass(frozen=True)
class EventItem:
    """One event, with its agent and the names of sockets by id; or a note of the agent's, which has no event. ``number`` orders those of one moment."""

    agent: AgentPicture
    number: int
    at: datetime
    event: Event | None
    note: str
    names: Mapping[str, str]

    @property
    def kind(self) -> str:
        return "agent" if self.event is None else self.event.kind

    @property
    def socket(self) -> str:
        return "" if self.event is None else self.names.get(str(self.event.values.get("socket")), "")

    @property
    def text(self) -> str:
        return self.note if self.event is None else event_words(self.event, self.names)


def _items(picture: Picture) -> list[EventItem]:
    return [item for agent in picture.agents for item in _of_agent(agent)]


def _of_agent(agent: AgentPicture) -> Iterator[EventItem]:
    names = {socket.id: socket.name for socket in agent.sockets}
    for number, note in enumerate(agent.notes):
        yield EventItem(agent, -1 - number, note.at, None, note.text, names)
    for event in agent.events:
        yield EventItem(agent, event.id, event.at, event, "", names)


def _newest(item: EventItem) -> tuple[float, int]:
    return in_utc(item.at).timestamp(), item.number


def _details(item: EventItem, _picture: Picture, width: int) -> Iterator[Line]:
    yield from wrapped(
        f"{plain(item.kind, 40)} at {day_and_clock(item.at)} UTC", width, later="  ", style="head"
    )
    if item.socket:
        yield from wrapped(plain(item.socket, 200), width, later="  ")
    yield from wrapped(plain(item.text), width, later="  ")
    yield from wrapped(f"told by {item.agent.address.url}", width, later="  ")
    if item.event is None:
        return
    yield Line()
    for name, value in item.event.values.items():
        if value is not None:
            yield from wrapped(f"{plain(name, 40)}: {plain(value, 1000)}", width, first="  ", later="    ")


COLUMNS = (
    Column[EventItem]("UTC", 11, lambda item: clock(item.at), _newest, falling=True),
    Column[EventItem](
        "Event",
        10,
        lambda item: plain(item.kind, 12),
        lambda item: item.kind,
        style=lambda item: STYLES.get(item.kind, ""),
    ),
    Column[EventItem](
        "Socket", 12, lambda item: plain(item.socket, 80), lambda item: item.socket, place=1, weight=1
    ),
    Column[EventItem]("What", 16, lambda item: plain(item.text), weight=4),
    Column[EventItem](
        "Agent", 15, lambda item: item.agent.name, lambda item: item.agent.name, of_several=True, place=2
    ),
)

EVENTS = View[EventItem](
    "Events",
    COLUMNS,
    _items,
    count=lambda picture: sum(len(agent.events) + len(agent.notes) for agent in picture.agents),
    key=lambda item: f"{item.agent.address.url} {item.number} {item.at.timestamp()}",
    details=_details,
    searched=lambda item: f"{item.kind} {item.socket} {item.text} {item.agent.name}",
    line=lambda item: item.text,
    empty="no events yet",
    newest=_newest,
)
