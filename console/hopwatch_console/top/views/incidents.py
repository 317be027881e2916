"""The tab of incidents: losses on one hop, close in time, the newest first."""

from collections.abc import Iterator
from dataclasses import dataclass

from hopwatch_console.fleet.picture import AgentPicture, Picture
from hopwatch_console.lines import Line
from hopwatch_console.plain import plain
from hopwatch_console.records import Incident
from hopwatch_console.top.columns import Column
from hopwatch_console.top.views.losses import cause_of, incident_lines
from hopwatch_console.top.views.view import View
from hopwatch_console.words import clock, day_and_clock, in_utc, number


@dataclass(frozen=True)
class IncidentItem:
    """One incident, with its agent."""

    agent: AgentPicture
    incident: Incident


def _items(picture: Picture) -> list[IncidentItem]:
    return [IncidentItem(agent, incident) for agent in picture.agents for incident in agent.incidents]


def _ended(item: IncidentItem) -> float:
    ended = item.incident.ended_at
    return 0.0 if ended is None else in_utc(ended).timestamp()


def _details(item: IncidentItem, _picture: Picture, width: int) -> Iterator[Line]:
    return incident_lines(item.incident, width)


def _advice(item: IncidentItem) -> str:
    told = item.incident.advice or tuple(evidence.text for evidence in item.incident.evidence)
    return plain(" ".join(told))


COLUMNS = (
    Column[IncidentItem](
        "Until (UTC)", 19, lambda item: day_and_clock(item.incident.ended_at), _ended, place=2, falling=True
    ),
    Column[IncidentItem](
        "Hop", 18, lambda item: plain(item.incident.hop, 120), lambda item: item.incident.hop, weight=2
    ),
    Column[IncidentItem](
        "Lost",
        9,
        lambda item: number(item.incident.lost),
        lambda item: item.incident.lost,
        right=True,
        style="bad",
        falling=True,
    ),
    Column[IncidentItem](
        "Cause", 24, lambda item: cause_of(item.incident), lambda item: item.incident.cause or "", place=1
    ),
    Column[IncidentItem]("From", 11, lambda item: clock(item.incident.started_at), place=5),
    Column[IncidentItem](
        "Told by", 8, lambda item: plain(item.incident.source, 12), lambda item: item.incident.source, place=4
    ),
    Column[IncidentItem]("What to do, or what was seen", 24, _advice, place=3, weight=4),
    Column[IncidentItem](
        "Agent", 15, lambda item: item.agent.name, lambda item: item.agent.name, of_several=True, place=6
    ),
)

INCIDENTS = View[IncidentItem](
    "Incidents",
    COLUMNS,
    _items,
    count=lambda picture: sum(len(agent.incidents) for agent in picture.agents),
    key=lambda item: (
        f"{item.agent.address.url} {item.incident.source} {item.incident.id} {item.incident.hop} {item.incident.started_at}"
    ),
    details=_details,
    searched=lambda item: " ".join(
        (item.incident.hop, item.incident.cause or "unknown", item.incident.host or "", item.agent.name)
    ),
    line=lambda item: f"{item.incident.hop}: {_advice(item) or cause_of(item.incident)}",
    empty="no incidents: these agents know of no loss",
    newest=_ended,
)
