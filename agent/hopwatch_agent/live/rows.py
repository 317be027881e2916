"""Events to rows of the landed tables."""

from functools import singledispatch

from msgspec.structs import asdict

from hopwatch_agent import records
from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.state import SocketState, Values
from hopwatch_agent.records import INT64_MAX

NO_STREAM = "0" * 16

Rows = list[tuple[str, Values]]


@singledispatch
def rows_of(event: records.Event) -> Rows:
    """(kind, columns of that kind) of each row that an event makes."""
    raise NotImplementedError(type(event).__name__)


def socket_row(state: str, socket: SocketState, unread: bool | None = None) -> tuple[str, Values]:
    """A socket's opening or closing, with the columns of the opening."""
    return "socket", {
        "socket": socket.socket,
        "state": state,
        "name": socket.name,
        "type": socket.type,
        "sequence": socket.sequence,
        "probed": socket.probed,
        "proxy": socket.proxy,
        "options": socket.options,
        "unread": unread,
    }


def counters_row(socket: str, counts: tuple[int, ...], *, final: bool) -> tuple[str, Values]:
    """A reading of a socket's counters."""
    return "counters", {"socket": socket, "final": final, **dict(zip(COUNTERS, counts, strict=True))}


def lane_row(socket: str, stream: str, lane: int, state: str, numbers: tuple[int, ...]) -> tuple[str, Values]:
    """A reading of a lane at one of its ends; ``numbers`` are words 3 to 7 of its slot."""
    count, more, first, following, newest = numbers
    role = role_of(socket, stream)
    sending = role == "send"
    return "lane", {
        "socket": socket,
        "stream": stream,
        "lane": lane,
        "role": role,
        "state": state,
        "count": count,
        "frames": _as_int64(count + more) if sending else None,
        "since": None if sending else more,
        "first": first,
        "next": following,
        "newest_sent_at": newest or None,
    }


def _as_int64(number: int) -> int:
    # of numbers that a journal gives, none is too big; of their sum, that is not known
    return min(number, INT64_MAX)


def role_of(socket: str, stream: str) -> str:
    """What a socket is to a lane: "send", "receive", or "count" where messages of no lane are counted."""
    if stream == NO_STREAM:
        return "count"
    return "send" if stream == socket else "receive"


def process_row(state: str, **columns: str | int | None) -> tuple[str, Values]:
    """A process's start or end."""
    return "process", {"state": state, **columns}


def place_row(place: records.Place) -> tuple[str, Values]:
    """Where a process runs."""
    return "place", asdict(place)


@rows_of.register
def _(event: records.OptionSet) -> Rows:
    return [("option", {"socket": event.socket, "option": event.option, "value": str(event.value)})]


@rows_of.register
def _(event: records.EndpointEvent) -> Rows:
    action = type(event).__name__.lower()
    return [("endpoint", {"socket": event.socket, "action": action, "endpoint": event.endpoint})]


@rows_of.register(records.Subscribe)
@rows_of.register(records.Unsubscribe)
def _(event: records.Subscribe | records.Unsubscribe) -> Rows:
    action = type(event).__name__.lower()
    return [("subscription", {"socket": event.socket, "action": action, "topic": event.topic})]


@rows_of.register
def _(event: records.Monitor) -> Rows:
    return [("connection", {"socket": event.socket, "action": f"monitor_{event.state}"})]


@rows_of.register
def _(event: records.ConnectionEvent) -> Rows:
    values: Values = {
        "socket": event.socket,
        "action": type(event).__name__.lower(),
        "connection": event.connection,
        "endpoint": event.endpoint,
        "local": records.as_ipv4(event.local),
        "remote": records.as_ipv4(event.remote),
        "accepted": event.accepted,
        "sent": event.sent,
        "received": event.received,
    }
    return [("connection", values)]


@rows_of.register
def _(event: records.Handshake) -> Rows:
    values: Values = {
        "socket": event.socket,
        "action": "handshake",
        "endpoint": event.endpoint,
        "sent": event.sent,
        "received": event.received,
    }
    return [("connection", values)]


@rows_of.register
def _(event: records.Retried) -> Rows:
    return [("connection", {"socket": event.socket, "action": "retried", "endpoint": event.endpoint})]


@rows_of.register
def _(event: records.HandshakeFailed) -> Rows:
    values: Values = {
        "socket": event.socket,
        "action": "handshake_failed",
        "endpoint": event.endpoint,
        "reason": str(event.reason),
    }
    return [("connection", values)]


@rows_of.register
def _(event: records.LaneAnnounced) -> Rows:
    values: Values = {
        "socket": event.socket,
        "stream": event.stream,
        "lane": event.lane,
        "role": role_of(event.socket, event.stream),
        "state": "announced",
        "topic": event.topic,
        "sequence": event.sequence,
    }
    return [("lane", values)]


@rows_of.register
def _(event: records.Lanes) -> Rows:
    state = "final" if event.final else "sample"
    return [lane_row(event.socket, stream, lane, state, tuple(rest)) for stream, lane, *rest in event.lanes]


@rows_of.register
def _(event: records.Gap) -> Rows:
    values: Values = {
        "socket": event.socket,
        "stream": event.stream,
        "lane": event.lane,
        "action": "gap",
        "first": event.first,
        "last": event.last,
        "lost": _as_int64(event.last - event.first + 1) if event.lost is None else event.lost,
        "before": event.before,
        "after": event.after,
        "before_sent_at": event.before_sent_at,
        "after_sent_at": event.after_sent_at,
        "received": event.received,
    }
    return [("gap", values)]


def _gap_row(event: records.Late | records.Skipped, first: int, last: int) -> Rows:
    values: Values = {
        "socket": event.socket,
        "stream": event.stream,
        "lane": event.lane,
        "action": type(event).__name__.lower(),
        "first": first,
        "last": last,
    }
    return [("gap", values)]


@rows_of.register
def _(event: records.Late) -> Rows:
    return _gap_row(event, event.number, event.number)


@rows_of.register
def _(event: records.Skipped) -> Rows:
    return _gap_row(event, event.first, event.last)


@rows_of.register
def _(event: records.Onset) -> Rows:
    values: Values = {
        "socket": event.socket,
        "number": event.number,
        "lane": event.lane,
        "lane_number": event.lane_number,
    }
    return [("onset", values)]


@rows_of.register
def _(event: records.ProbingStopped) -> Rows:
    return [("socket", {"socket": event.socket, "state": "probing_stopped"})]


@rows_of.register
def _(event: records.Unroutable) -> Rows:
    values: Values = {
        "socket": event.socket,
        "number": event.number,
        "lane": event.lane,
        "lane_number": event.lane_number,
        "messages": event.messages,
        "reason": event.reason,
        "peer": event.peer,
    }
    return [("unroutable", values)]


@rows_of.register(records.ProxyStarted)
@rows_of.register(records.ProxyEnded)
def _(event: records.ProxyStarted | records.ProxyEnded) -> Rows:
    values: Values = {
        "state": "ended" if isinstance(event, records.ProxyEnded) else "started",
        "proxy": event.proxy,
        "name": event.name,
        "frontend": event.frontend,
        "backend": event.backend,
        "frontend_type": event.frontend_type,
        "backend_type": event.backend_type,
        "counted_at": event.counted_at if isinstance(event, records.ProxyEnded) else None,
    }
    return [("proxy", values)]


@rows_of.register
def _(event: records.FindingMade) -> Rows:
    values: Values = {
        "socket": event.socket,
        "rule": event.rule,
        "text": event.text,
        "advice": event.advice,
    }
    return [("finding", values)]


@rows_of.register
def _(event: records.FaultCaught) -> Rows:
    return [("fault", {"socket": event.socket, "text": event.text})]
