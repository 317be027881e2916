"""Losses so far, grouped as an operator would tell of them: by receiver and stream, close in time.

The analysis has the last word: it sees every host, and what comes later.
"""

from collections import OrderedDict, deque
from dataclasses import dataclass, field

from hopwatch_agent.live.answers import EndView, EvidenceView, IncidentView
from hopwatch_agent.live.draft import Tables
from hopwatch_agent.live.state import Row, SocketState
from hopwatch_agent.live.times import moment

CLOSE_NANOSECONDS = 60 * 1_000_000_000
INCIDENTS_KEPT = 200
STREAMS_KEPT = 1000
ONSETS_KEPT = 1000
LANES_COUNTED = 10_000
SOURCE = "agent"
KINDS = frozenset({"gap", "unroutable", "onset"})

_Key = tuple[str, str]


@dataclass
class _Incident:
    number: int
    socket: str
    stream: str
    cause: str | None
    host: str
    first_at: int
    last_at: int
    lost: int = 0
    gaps: int = 0
    lanes: set[int] = field(default_factory=set)
    before: int | None = None
    after: int | None = None
    parted: bool = False
    """What comes next begins a new one."""


class Incidents:
    """The newest incidents of the events that it is told of."""

    def __init__(self) -> None:
        self._kept: deque[_Incident] = deque(maxlen=INCIDENTS_KEPT)
        self._open: OrderedDict[_Key, _Incident] = OrderedDict()
        self._onsets: OrderedDict[str, deque[int]] = OrderedDict()

    def add(self, number: int, row: Row) -> None:
        """Takes up an event of one of ``KINDS``."""
        values = row.values
        socket = str(values["socket"])
        if row.kind == "onset":
            self._add_onset(socket, _number(values["number"]))
        elif row.kind == "unroutable":
            incident = self._incident(number, row, (socket, socket), "unroutable")
            incident.lost += _number(values["messages"])
            incident.gaps += 1
            _with_lane(incident, values["lane"])
        elif values["action"] == "gap":
            incident = self._incident(number, row, (socket, str(values["stream"])), None)
            incident.lost += _number(values["lost"])
            incident.gaps += 1
            _with_lane(incident, values["lane"])
            _with_range(incident, values["before"], values["after"])
        elif values["action"] == "late":
            late = self._open.get((socket, str(values["stream"])))
            if late is not None and late.lost:
                late.lost -= 1

    def part(self) -> None:
        """What is lost from now on is of new incidents."""
        for incident in self._open.values():
            incident.parted = True

    def views(self, tables: Tables) -> list[IncidentView]:
        """All that lost something, the oldest first."""
        return [self._view(incident, tables) for incident in self._kept if incident.lost]

    def _incident(self, number: int, row: Row, key: _Key, cause: str | None) -> _Incident:
        incident = self._open.get(key)
        at = row.at
        if incident is None or incident.parted or abs(at - incident.last_at) > CLOSE_NANOSECONDS:
            incident = _Incident(number, *key, cause, row.host, at, at)
            self._kept.append(incident)
            self._open[key] = incident
            self._open.move_to_end(key)
            if len(self._open) > INCIDENTS_KEPT:
                self._open.popitem(last=False)
        elif at > incident.last_at:
            incident.last_at = at
        elif at < incident.first_at:
            incident.first_at = at
        return incident

    def _add_onset(self, stream: str, number: int) -> None:
        onsets = self._onsets.get(stream)
        if onsets is None:
            onsets = self._onsets[stream] = deque(maxlen=ONSETS_KEPT)
            if len(self._onsets) > STREAMS_KEPT:
                self._onsets.popitem(last=False)
        onsets.append(number)

    def _view(self, incident: _Incident, tables: Tables) -> IncidentView:
        receiver, sender = tables.sockets.get(incident.socket), tables.sockets.get(incident.stream)
        unroutable = incident.cause == "unroutable"
        alike = _are_two_of_one_name(sender, receiver)
        here = _called(receiver, incident.socket, with_type=alike)
        there = _called(sender, f"a sender unknown here (stream {incident.stream})", with_type=alike)
        return IncidentView(
            id=incident.number,
            hop=f"{here} → its peers" if unroutable else f"{there} → {here}",
            socket=incident.socket,
            stream=incident.stream,
            lanes=len(incident.lanes),
            host=incident.host,
            cause=incident.cause,
            certainty="exact" if incident.cause else None,
            preliminary=True,
            started_at=moment(incident.first_at),
            ended_at=moment(incident.last_at),
            lost=incident.lost,
            gaps=incident.gaps,
            evidence=[] if unroutable else self._evidence(incident),
            source=SOURCE,
            sender=_end(incident.stream, sender, tables),
            receiver=None if unroutable else _end(incident.socket, receiver, tables),
            streams=[incident.stream],
            advice=None,
            analysed_at=None,
        )

    def _evidence(self, incident: _Incident) -> list[EvidenceView]:
        first, last = incident.before, incident.after
        if first is None or last is None:
            return []
        # one that begins a gap has the number of the first message missing
        seen = sum(first < number <= last for number in self._onsets.get(incident.stream, ()))
        if not seen:
            return []
        times = "once" if seen == 1 else f"{seen} times"
        text = f"the sender's pipe was full {times} among its messages {first} to {last}"
        return [EvidenceView("onset", text)]


def _are_two_of_one_name(sender: SocketState | None, receiver: SocketState | None) -> bool:
    if sender is None or receiver is None or sender.socket == receiver.socket:
        return False
    return sender.name == receiver.name


def _called(socket: SocketState | None, otherwise: str, *, with_type: bool) -> str:
    if socket is None:
        return otherwise
    return f"{socket.name} ({socket.type})" if with_type else socket.name


def _end(identity: str, socket: SocketState | None, tables: Tables) -> EndView:
    if socket is None:
        return EndView(None, None, identity, None, None)
    process = tables.processes.get(socket.process)
    host, place = (process.host, process.place) if process is not None else (None, None)
    return EndView(host, socket.process, identity, socket.name, socket.type, place)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _with_lane(incident: _Incident, lane: object) -> None:
    lanes = incident.lanes
    if lane not in lanes and isinstance(lane, int) and len(lanes) < LANES_COUNTED:
        lanes.add(lane)


def _with_range(incident: _Incident, before: object, after: object) -> None:
    if isinstance(before, int) and (incident.before is None or before < incident.before):
        incident.before = before
    if isinstance(after, int) and (incident.after is None or after > incident.after):
        incident.after = after
