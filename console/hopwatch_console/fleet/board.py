"""What one agent has told so far, kept up to date frame by frame."""

from collections import deque
from collections.abc import Mapping
from datetime import datetime

import msgspec

from hopwatch_console.addresses import Address
from hopwatch_console.connection_records import Connection
from hopwatch_console.errors import AgentError
from hopwatch_console.fleet.picture import AgentPicture, Contact, Note, Phase
from hopwatch_console.fleet.standing import unknown
from hopwatch_console.frames import Frame, MovingSocket, Revisions, Status
from hopwatch_console.records import Backlog, Event, Finding, Incident, Rates, Socket
from hopwatch_console.states import QUIET, UNKNOWN
from hopwatch_console.traffic import traffic_of
from hopwatch_console.words import lasting

EVENTS_KEPT = 1000
SECONDS_KEPT = 60
NOTES_KEPT = 100


class Board:
    """Of one agent. What it told before it went away stays."""

    def __init__(self, address: Address, now: datetime) -> None:
        self.address = address
        self.contact = Contact(Phase.ASKED, now)
        self.status: Status | None = None
        self.connections: tuple[Connection, ...] = ()
        self.findings: tuple[Finding, ...] = ()
        self.incidents: tuple[Incident, ...] = ()
        self.revisions = Revisions()
        self.numbered: bool | None = None
        self.stale = False
        """Whether a frame told of sockets what the last list of them does not."""
        self._notes: deque[Note] = deque(maxlen=NOTES_KEPT)
        self._sockets: dict[str, Socket] = {}
        self._moving: frozenset[str] = frozenset()
        self._events: deque[Event] = deque(maxlen=EVENTS_KEPT)
        self._events_left_out = 0
        self._last_event: int | None = None
        self._history: Mapping[str, tuple[float, ...]] = {}

    @property
    def last_event(self) -> int | None:
        """The number of the newest event that was told."""
        return self._last_event

    def begin(self, status: Status) -> None:
        """The agent answers. Another one than before, or one begun anew, may number its events anew."""
        if self.status is None or status.started_at != self.status.started_at:
            self._events.clear()
            self._last_event = None
            self._events_left_out = 0
        self.status = status

    def is_here(self, now: datetime) -> None:
        """It has answered just now."""
        contact = self.contact
        if contact.phase is Phase.HERE:
            return
        away = (now - contact.since).total_seconds() if contact.phase is Phase.AWAY else None
        self.contact = Contact(Phase.HERE, now, away_for=away)
        if away is not None:
            self._notes.append(Note(now, f"{self.address.place} is back, after {lasting(away)}"))

    def is_away(self, now: datetime, trouble: AgentError, again_at: datetime) -> None:
        """It does not answer, and is asked again then."""
        since = self.contact.since if self.contact.phase is Phase.AWAY else now
        if self.contact.phase is not Phase.AWAY:
            self._notes.append(Note(now, f"{self.address.place} is away: {trouble.text}"))
        self._forget_what_moves(since)  # also what was fetched at a try that came to nothing
        self.contact = Contact(Phase.AWAY, since, trouble, again_at)

    def put_sockets(self, sockets: tuple[Socket, ...]) -> None:
        """The whole list of them."""
        self._sockets = {socket.id: socket for socket in sockets}
        self._history = {key: told for key, told in self._history.items() if key in self._sockets}
        self._moving |= {socket.id for socket in sockets if _may_come_to_rest(socket)}
        self.stale = False

    def take(self, frame: Frame) -> None:
        """What was pushed."""
        self.status = frame.status
        self.revisions = frame.revisions or Revisions()
        self._take_events(frame)
        if frame.status.tells_of_now:
            self._take_sockets(frame)
        else:
            self._history = {}  # what it says is of before, and nothing is known of the time since

    def _take_events(self, frame: Frame) -> None:
        self._events.extend(frame.events)
        self._events_left_out += frame.events_left_out
        if frame.events:
            self._last_event = frame.events[-1].id

    def _take_sockets(self, frame: Frame) -> None:
        moving = {told.id: told for told in frame.sockets}
        for told in frame.sockets:
            known = self._sockets.get(told.id)
            if known is None:
                self.stale = True
            else:
                self._sockets[told.id] = _moved(known, told)
        if frame.sockets_left_out:
            # of those that are not told of nothing is known until the next list
            self.stale = True
        else:
            self._rest(self._moving - moving.keys())
        self._moving = frozenset(moving)
        self._remember(moving, all_told=not frame.sockets_left_out)

    def picture(self) -> AgentPicture:
        """As it is now."""
        return AgentPicture(
            self.address,
            self.contact,
            self.status,
            tuple(self._sockets.values()),
            self.connections,
            self.findings,
            self.incidents,
            tuple(self._events),
            self._events_left_out,
            tuple(self._notes),
            self._history,
            self.numbered,
        )

    def _rest(self, resting: frozenset[str]) -> None:
        """Of these there was something to tell in the frame before, and now there is not."""
        for identity in resting:
            known = self._sockets.get(identity)
            if known is None:
                continue
            if known.state is None:
                self.stale = True
            ended = known.closed_at is not None or known.process.gone_at is not None
            self._sockets[identity] = msgspec.structs.replace(
                known,
                rates=Rates(),
                state=known.state if known.state is None or ended else QUIET,
                state_text="",
                unreceived=0,
                backlog_sent=_emptied(known.backlog_sent),
                backlog_received=_emptied(known.backlog_received),
            )

    def _forget_what_moves(self, since: datetime) -> None:
        """What it told of the moment is not known any more; totals, findings and incidents are as they were."""
        self._sockets = {identity: unknown(socket, since) for identity, socket in self._sockets.items()}
        self.connections = tuple(
            told
            if told.ended is not None
            else msgspec.structs.replace(told, state=UNKNOWN, since=since, waiting=None, tcp=None)
            for told in self.connections
        )
        self._history = {}
        self._moving = frozenset()

    def _remember(self, moving: Mapping[str, MovingSocket], *, all_told: bool) -> None:
        history = {}
        for identity in self._sockets:
            before = self._history.get(identity, ())
            if not all_told and identity not in moving:
                continue  # it may have moved, or not
            rate = traffic_of(self._sockets[identity]) if identity in moving else 0.0
            if rate or any(before):
                history[identity] = (*before[1 - SECONDS_KEPT :], rate)
        self._history = history


def _may_come_to_rest(socket: Socket) -> bool:
    """One that a frame may have told of at rest while the list was on its way, which has it as it was before. An older agent's states are read off the rates."""
    return socket.state is not None and socket.closed_at is None and socket.process.gone_at is None


def _emptied(backlog: Backlog | None) -> Backlog | None:
    return None if backlog is None else Backlog(0, 0)


def _moved(known: Socket, told: MovingSocket) -> Socket:
    counters = told.counters or msgspec.structs.replace(known.counters, lost=told.lost)
    return msgspec.structs.replace(
        known,
        rates=told.rates,
        counters=counters,
        state=told.state if told.state is not None else known.state,
        state_text=told.state_text if told.state is not None else known.state_text,
        backlog_sent=known.backlog_sent if told.backlog_sent is msgspec.UNSET else told.backlog_sent,
        backlog_received=(
            known.backlog_received if told.backlog_received is msgspec.UNSET else told.backlog_received
        ),
        numbered=known.numbered if told.numbered is msgspec.UNSET else told.numbered,
        unreceived=told.unreceived,
    )
