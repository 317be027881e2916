"""What hopwatch knows about one instrumented socket."""

from __future__ import annotations

import os
import weakref
from dataclasses import dataclass, field
from types import TracebackType

import zmq

from hopwatch.finding import Finding
from hopwatch.ids import as_text
from hopwatch.journal.counters import Slot, private_slot, snapshot
from hopwatch.journal.journal import Journal, NoJournal
from hopwatch.lanes.receiving import ReceivingLanes
from hopwatch.lanes.sending import SendingLanes, write_lanes
from hopwatch.lanes.subscriptions import Subscriptions
from hopwatch.sockets.numbering import Numbering
from hopwatch.words import COUNTER_NAMES, SOCKET, SOCKET_SLOT_WORDS


@dataclass
class Incoming:
    """Where a receiver stands within a multipart message."""

    held: zmq.Frame | None = None
    more: bool = False
    frames: int = 0
    first_frame: bytes | None = None
    multipart: bool = False


@dataclass(eq=False)
class SocketState:
    """One instrumented socket; holds no reference to it, so that it is collected as a bare one is."""

    identifier: int
    name: str
    type_name: str
    journal: Journal
    slot: Slot
    subscriptions: Subscriptions | None
    receiving: ReceivingLanes
    sending: SendingLanes | None = None
    numbering: Numbering | None = None
    onset_due: bool = False
    monitored: bool = False
    faulty: bool = False
    by_install: bool = False
    incoming: Incoming = field(default_factory=Incoming)
    findings: list[Finding] = field(default_factory=list)
    process: int = field(default_factory=os.getpid)

    def event(self, event: str, **fields: object) -> None:
        """Journal one event of this socket."""
        self.journal.event(event, socket=as_text(self.identifier), **fields)

    def find(self, finding: Finding | None) -> None:
        """Keep and journal a finding, each rule once."""
        if finding is None or any(known.rule == finding.rule for known in self.findings):
            return
        self.findings.append(finding)
        self.event("finding", rule=finding.rule, text=finding.text, advice=finding.advice)

    def stop_stamping(self, reason: Finding) -> None:
        """Number no more messages; a socket that numbers none is left alone."""
        if self.numbering is not None:
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

    def write_closed(self, still_used: object = None) -> None:
        """The last word on this socket, and its slots back: at once, or when nobody can be in one of its methods any more.

        The monitor thread may have a disconnection of this socket still to tell: it finds the last counts, not the next owner's.
        """
        sending = self.sending.slots if self.sending else []
        for slots in (sending, self.receiving.slots):
            write_lanes(self.journal, self.identifier, slots, final=True)
        slot, lanes = self.slot, [*sending, *self.receiving.slots]
        self._let_go(snapshot(slot))
        self.event("closed", counters=dict(zip(COUNTER_NAMES, self.slot.words[1:].tolist(), strict=False)))
        for taken in (slot, *lanes):
            taken.words[SOCKET] = 0
        if still_used is None:
            self.journal.give_back(slot, lanes)
        else:
            weakref.finalize(still_used, self.journal.give_back, slot, lanes).atexit = False

    def leave_to_parent(self) -> None:
        """In a forked child: the slots and files belong to the parent, so touch them no more."""
        self.journal = NoJournal()
        self._let_go(private_slot(SOCKET_SLOT_WORDS))

    def _let_go(self, slot: Slot) -> None:
        self.slot = slot
        self.receiving.slots = []
        if self.sending is not None:
            self.sending.slots = []


class Guard:
    """Keeps our faults from the application: an exception in its block is counted, not raised."""

    __slots__ = ("_state",)

    def __init__(self, state: SocketState) -> None:
        self._state = state

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if isinstance(error, Exception):
            self._state.fault(error)
            return True
        return False
