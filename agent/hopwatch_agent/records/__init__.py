"""The lines of a journal's event log, as FORMAT.md gives them."""

from typing import TypeAlias

from hopwatch_agent.records.connections import (
    Connected,
    ConnectionEvent,
    Disconnected,
    Handshake,
    HandshakeFailed,
    Retried,
    as_ipv4,
)
from hopwatch_agent.records.fields import FORMAT, INT64_MAX, Event, Int64, Place, Segment, Standing
from hopwatch_agent.records.lanes import (
    Gap,
    LaneAnnounced,
    Lanes,
    Late,
    Onset,
    ProbingStopped,
    Skipped,
    Unroutable,
)
from hopwatch_agent.records.sockets import (
    Bind,
    Closed,
    Connect,
    Disconnect,
    Endpoint,
    EndpointEvent,
    Exit,
    FaultCaught,
    FindingMade,
    Monitor,
    Opened,
    OptionSet,
    ProxyEnded,
    ProxyStarted,
    Subscribe,
    Unbind,
    Unsubscribe,
)

AnyEvent: TypeAlias = (
    Opened
    | OptionSet
    | Bind
    | Connect
    | Endpoint
    | Unbind
    | Disconnect
    | Subscribe
    | Unsubscribe
    | Monitor
    | Connected
    | Disconnected
    | Handshake
    | Retried
    | HandshakeFailed
    | LaneAnnounced
    | Lanes
    | Gap
    | Late
    | Skipped
    | Onset
    | ProbingStopped
    | Unroutable
    | ProxyStarted
    | ProxyEnded
    | FindingMade
    | FaultCaught
    | Closed
    | Exit
)

__all__ = [
    "FORMAT",
    "INT64_MAX",
    "AnyEvent",
    "Bind",
    "Closed",
    "Connect",
    "Connected",
    "ConnectionEvent",
    "Disconnect",
    "Disconnected",
    "Endpoint",
    "EndpointEvent",
    "Event",
    "Exit",
    "FaultCaught",
    "FindingMade",
    "Gap",
    "Handshake",
    "HandshakeFailed",
    "Int64",
    "LaneAnnounced",
    "Lanes",
    "Late",
    "Monitor",
    "Onset",
    "Opened",
    "OptionSet",
    "Place",
    "ProbingStopped",
    "ProxyEnded",
    "ProxyStarted",
    "Retried",
    "Segment",
    "Skipped",
    "Standing",
    "Subscribe",
    "Unbind",
    "Unroutable",
    "Unsubscribe",
    "as_ipv4",
]
