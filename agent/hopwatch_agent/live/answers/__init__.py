"""Answers to what can be asked of a running agent."""

from hopwatch_agent.live.answers.agent import (
    CostsView,
    DatabaseView,
    ErrorView,
    FaultView,
    LagView,
    StatusView,
)
from hopwatch_agent.live.answers.connections import ConnectionView, EndedView, PlaceOfMessages, WaitingView
from hopwatch_agent.live.answers.events import EventView
from hopwatch_agent.live.answers.findings import FindingView, SocketFindingView
from hopwatch_agent.live.answers.incidents import EndView, EvidenceView, IncidentView
from hopwatch_agent.live.answers.lanes import LaneView
from hopwatch_agent.live.answers.owners import ProcessView
from hopwatch_agent.live.answers.sockets import PeerView, SocketView
from hopwatch_agent.live.answers.watched import LiveView, MovingSocketView, StatesView

__all__ = [
    "ConnectionView",
    "CostsView",
    "DatabaseView",
    "EndView",
    "EndedView",
    "ErrorView",
    "EventView",
    "EvidenceView",
    "FaultView",
    "FindingView",
    "IncidentView",
    "LagView",
    "LaneView",
    "LiveView",
    "MovingSocketView",
    "PeerView",
    "PlaceOfMessages",
    "ProcessView",
    "SocketFindingView",
    "SocketView",
    "StatesView",
    "StatusView",
    "WaitingView",
]
