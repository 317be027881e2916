"""What hopwatch knows about one instrumented socket."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.alive import Alive
from hopwatch.finding import Finding, two_threads
from hopwatch.ids import as_text
from hopwatch.interruptions import raised_by_signal_handler
from hopwatch.journal.counters import Slot, private_slot, snapshot
from hopwatch.journal.journal import Journal, NoJournal
from hopwatch.lanes.receiving import ReceivingLanes
from hopwatch.lanes.sending import SendingLanes, write_lanes
from hopwatch.lanes.sequenced import SequencedLanes
from hopwatch.lanes.subscriptions import Subscriptions
from hopwatch.lanes.unstamped import TopicCounts
from hopwatch.native_threads import Lock, reentrant_lock
from hopwatch.rules.judge import judge
from hopwatch.rules.setup import Kind, Moment, SetUp
from hopwatch.sockets.attaching import Attaching
from hopwatch.sockets.backend import DONTWAIT, MAXMSGSIZE
from hopwatch.sockets.counts import Incoming, Outgoing
from hopwatch.sockets.first_calls import Callers, FirstCalls
from hopwatch.sockets.numbering import Numbering
from hopwatch.sockets.unrouted import Unrouted
from hopwatch.sockets.ways import Methods, Way
from hopwatch.stamp import SIZE as STAMP_SIZE
from hopwatch.words import (
    COUNTER_NAMES,
    LANE_SOCKET,
    PENDING_SENDS,
    SENT,
    SOCKET,
    SOCKET_SLOT_WORDS,
    WAITED_NS,
    WAITED_SENDS,
)

if TYPE_CHECKING:
    from hopwatch.sockets.hooks import HookedSocket
    from hopwatch.sockets.receives import Receives
    from hopwatch.sockets.sends import Sends


WIDEST = (1 << 63) - 1 - STAMP_SIZE
"""A ZMQ_MAXMSGSIZE above this is left as it is."""

Within = tuple[int, str]
"""An inproc endpoint: its context's address, and its name."""


@dataclass(eq=False)
class SocketState:
    """One instrumented socket; holds no reference to it, so that it is collected as a bare one is.

    ``members`` are the Python objects that stand for it: the application's, and shadows of that; ``borrowers`` are shadows
    that use the ways of a member; ``methods``: what all who do its sends and receives have, and ``sends`` and ``receives``: where these lead; None once it is closed or unwrapped. ``in_use``: it was bound or connected, or may have been; no
    message can have come or gone before. ``stamp_room``: its ZMQ_MAXMSGSIZE is that of the application and room for a stamp.
    """

    identifier: int
    name: str
    type_name: str
    journal: Journal
    slot: Slot
    outgoing: Outgoing
    incoming: Incoming
    is_wrapped: Callable[[Within], bool]
    subscriptions: Subscriptions | None
    receiving: ReceivingLanes
    sending: SendingLanes | None = None
    numbering: Numbering | None = None
    readings: list[SequencedLanes] = field(default_factory=list)
    onset_due: bool = False
    sends_parts: bool = True
    bound_within: set[Within] = field(default_factory=set)
    connected_within: list[Within] = field(default_factory=list)
    unrouted: Unrouted | None = None
    monitored: bool = False
    detaching: Lock = field(default_factory=reentrant_lock)
    faulty: bool = False
    by_install: bool = False
    takes_stamps: bool = False
    stamp_room: bool = False
    way: Way = field(default_factory=Way)
    sends: Sends | None = None
    receives: Receives | None = None
    methods: Methods = field(default_factory=dict)
    members: Alive[HookedSocket] = field(default_factory=Alive)
    in_use: bool = False
    attaching: Attaching = field(default_factory=Attaching)
    borrowers: Alive[zmq.Socket[Any]] = field(default_factory=Alive)
    closed: bool = False
    findings: list[Finding] = field(default_factory=list)
    process: int = field(default_factory=os.getpid)
    setup: SetUp | None = None
    callers: Callers = field(default_factory=Callers)
    first_calls: FirstCalls = field(default_factory=FirstCalls)
    open_journal: Callable[[], Journal] | None = None
    """In a forked child: how to come by a journal of its own."""

    def event(self, event: str, **fields: object) -> None:
        """Journal one event of this socket."""
        self.journal.event(event, socket=as_text(self.identifier), **fields)

    def note(self, event: str, **fields: object) -> None:
        """Journal how the socket is set up: no later than what it is used for, and meanwhile no other thread gets a turn by this."""
        write = self.journal.event if self.in_use else self.journal.event_later
        write(event, socket=as_text(self.identifier), **fields)

    def find(self, finding: Finding | None) -> None:
        """Keep and journal a finding, each rule once; one that counts again with each higher count."""
        if finding is None:
            return
        known = next((known for known in self.findings if known.rule == finding.rule), None)
        if known is not None:
            if known.count >= finding.count:
                return
            self.findings.remove(known)
        self.findings.append(finding)
        self.note("finding", rule=finding.rule, text=finding.text, advice=finding.advice)

    def consider(self, kind: Kind, detail: str = "", value: int = 0) -> None:
        """Look at the set-up at this moment, and at who calls; never at a moment that comes with each message."""
        if self.callers.alternate():
            self.find(two_threads())
        if self.setup is not None:
            moment = Moment(kind, detail, value)
            self.setup = self.setup.after(moment)
            for finding in judge(self.setup, moment):
                self.find(finding)

    def with_stamp_room(self, option: int, value: Any) -> Any:
        """Return the value to set for one that the application sets."""
        bounded = option == MAXMSGSIZE and self.stamp_room and isinstance(value, int)
        return value + STAMP_SIZE if bounded and 0 <= value <= WIDEST else value

    def without_stamp_room(self, option: int, value: Any) -> Any:
        """Return what the application has set for the value that stands."""
        bounded = option == MAXMSGSIZE and self.stamp_room
        return value - STAMP_SIZE if bounded and 0 <= value <= WIDEST else value

    def leave_stamp_room(self, socket: Any) -> None:
        """Have the bound stand that the application has set, of a socket that takes stamps off no more."""
        if self.stamp_room and not socket.closed:
            bound = self.without_stamp_room(MAXMSGSIZE, BackendSocket.get(socket, MAXMSGSIZE))
            self.stamp_room = False
            BackendSocket.set(socket, MAXMSGSIZE, bound)

    def look_at_send(self, flags: int) -> None:
        """One of the first sends; ``flags`` are the application's, or of a library that waits in its place."""
        first = self.first_calls
        first.sends -= 1
        with Guard(self):
            if not first.begun:
                first.begun = True
                self.consider(Kind.FIRST_SEND)
            if flags & DONTWAIT and not first.at_once and not self.way.sends_deferred:
                first.at_once = True
                self.consider(Kind.SENT_AT_ONCE)
            self._look_at_caller()

    def look_at_receive(self) -> None:
        """One of the first receives that are looked at."""
        self.first_calls.receives -= 1
        with Guard(self):
            self._look_at_caller()

    def _look_at_caller(self) -> None:
        if self.callers.alternate():
            self.find(two_threads())
            self.first_calls.sends = self.first_calls.receives = 0

    def waits(self) -> None:
        """A blocking send has to wait, which may come with many messages: only what it may tell is looked at."""
        if self.type_name in {"PUB", "XPUB"}:
            self.consider(Kind.WAITED)
        elif self.callers.alternate():
            self.find(two_threads())

    def begin_wait(self) -> int:
        """A send begins to wait; returns when, for ``end_wait``."""
        self.slot.words[WAITED_SENDS] += 1
        self.slot.words[PENDING_SENDS] += 1
        return time.monotonic_ns()

    def end_wait(self, began: int) -> None:
        """It has ended; the socket may have been closed or unwrapped meanwhile, and have given its slot back."""
        words = self.slot.words
        words[WAITED_NS] += time.monotonic_ns() - began
        words[PENDING_SENDS] = max(words[PENDING_SENDS] - 1, 0)

    def conflates(self) -> None:
        """The socket keeps single frames from here on: what it counts by topic says nothing of what is sent. Numbers do."""
        self.sends_parts = False
        if self.numbering is not None and not self.numbering.stamps:
            self.numbering.stop()
            self.numbering = None

    def stop_stamping(self, reason: Finding) -> None:
        """Number no more messages; a socket that stamps none is left alone."""
        if self.numbering is not None and self.numbering.stamps:
            self.numbering.stop()
            self.numbering = None
            self.find(reason)

    def retire(self) -> None:
        """Track nothing more. Where the socket is bare again, methods of it that somebody holds leave their fast way, and find that out."""
        self.faulty = True
        if self.numbering is not None:
            self.numbering.stop()

    def fault(self, error: Exception) -> None:
        """A fault of ours: counted and journaled; what was being tracked is given up for this socket."""
        self.retire()
        self.journal.count_fault()
        self.event("fault", text=f"{type(error).__name__}: {error}"[:1000])

    def write_closed(self, unread: bool | None = None, still_used: object = None) -> None:
        """The last word on this socket, and its slots back: at once, or when nobody can be in one of its methods any more.

        ``unread``: messages had reached it that nobody received.

        The monitor thread may have a disconnection of this socket still to tell: it finds the last counts, not the next owner's.
        """
        if self.closed:
            return
        self.closed = self.in_use = True
        self.receiving.tell_impossible()
        self.attaching.after_close()
        if self.unrouted is not None:
            self.unrouted.end()
        slot, lanes = self.slot, [lane for laned in self._laned for lane in laned.slots]
        write_lanes(self.journal, slot.words, lanes, final=True)
        self._let_go(snapshot(slot))
        self.leave_hot_path()
        counters = dict(zip(COUNTER_NAMES, self.slot.words[SENT:], strict=True))
        self.event("closed", counters=counters, unread=unread)
        for lane in lanes:
            lane.words[LANE_SOCKET] = 0
        slot.words[SOCKET] = 0
        self.journal.give_back(slot, lanes, still_used)

    def give(self, methods: Methods) -> None:
        """Give all that do its sends and receives other functions for that."""
        if self.methods:
            self.methods.update(methods)
            for member in self.members:
                if "_hopwatch_send_now" in member.__dict__:
                    member.__dict__.update(methods)

    def leave_hot_path(self) -> None:
        """Send and receive this way no more, but for calls that are under way; and break the reference cycles."""
        self.outgoing.retire()
        self.incoming.retire()
        self.methods = {}
        self.sends = self.receives = None

    def leave_to_parent(self) -> None:
        """In a forked child: the slots and files belong to the parent, so touch them no more."""
        self.journal = NoJournal()
        self.in_use, self.attaching = True, Attaching()
        self.leave_hot_path()
        self._let_go(private_slot(SOCKET_SLOT_WORDS))

    @property
    def _laned(self) -> list[SendingLanes | SequencedLanes | ReceivingLanes | TopicCounts]:
        """What counts in slots of lanes."""
        senders = [] if self.sending is None else [self.sending]
        return [*senders, *self.readings, self.receiving, self.receiving.unstamped.topics]

    def _let_go(self, slot: Slot) -> None:
        self.slot = slot
        for laned in self._laned:
            laned.let_go()


class Guard:
    """Keeps our faults from the application: an exception in its block is counted, not raised, unless a signal handler raised it."""

    __slots__ = ("_state",)

    def __init__(self, state: SocketState) -> None:
        self._state = state

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if isinstance(error, Exception) and not raised_by_signal_handler(trace):
            self._state.fault(error)
            return True
        return False
