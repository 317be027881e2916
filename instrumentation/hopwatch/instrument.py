"""What the instrumented sockets of one process share: a journal and the monitor thread."""

import atexit
import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from hopwatch.alive import Alive
from hopwatch.errors import JournalError
from hopwatch.journal.journal import FileJournal, Journal, NoJournal
from hopwatch.monitors.cgroup_handle import CgroupHandle
from hopwatch.monitors.room import Room, spare_descriptors
from hopwatch.monitors.thread import Chore, MonitorThread
from hopwatch.native_threads import lock
from hopwatch.settings import Settings
from hopwatch.sockets.forked import leave_to_parent
from hopwatch.sockets.state import SocketState, Within

logger = logging.getLogger("hopwatch")

OF_A_JOURNAL = 4
"""Descriptors: its lock, its events, its counters where they are mapped, and the one by which the monitor thread is woken."""

UPKEEP_SECONDS = 2.0


@dataclass
class Instrument:
    """One journal, one monitor thread, and the sockets that use them; ``lacks_room``: it has no journal, and may have one later.
    ``options_of_new``: what libzmq gives to a new socket, by its type.
    """

    settings: Settings
    journal: Journal
    monitors: MonitorThread = field(init=False)
    states: Alive[SocketState] = field(default_factory=Alive)
    room: Room = field(default_factory=Room)
    lacks_room: bool = False
    options_of_new: dict[int, dict[str, int]] = field(default_factory=dict)

    def has_bound(self, endpoint: Within) -> bool:
        """Whether one of its sockets is bound to this inproc endpoint."""
        return any(endpoint in state.bound_within and not state.closed for state in self.states)

    def __post_init__(self) -> None:
        """The first monitor thread."""
        self.monitors = self._new_monitors()

    @property
    def is_read(self) -> bool:
        """Whether anybody learns what its sockets do."""
        return isinstance(self.journal, FileJournal)

    def rest(self) -> None:
        """Let the monitor thread end if no socket is wrapped any more; the next one gets another."""
        if all(state.closed for state in self.states):
            monitors, self.monitors = self.monitors, self._new_monitors()
            monitors.end()

    def save(self) -> None:
        """Leave the last counts in the journal's files, when the interpreter ends."""
        if isinstance(self.journal, FileJournal):
            self.journal.end(nobody_counts=all(state.closed for state in self.states))

    def leave_to_parent(self, open_journal: Callable[[], Journal]) -> None:
        """In a forked child: the journal and its slots are the parent's."""
        for state in self.states:
            leave_to_parent(state, open_journal)
        self.monitors.abandon()
        self.journal.abandon()

    def _new_monitors(self) -> MonitorThread:
        monitors = MonitorThread(self.journal, self.room)
        if isinstance(self.journal, FileJournal):
            monitors.begin_with(_upkeep(self.journal))
            if self.settings.place:
                monitors.begin_with(CgroupHandle(self.settings.directory, self.journal.process).run)
        return monitors


class Instruments:
    """The instruments of this process, one for each distinct settings; a forked child begins with none."""

    def __init__(self) -> None:
        self._lock = lock()
        self._by_settings: dict[Settings, Instrument] = {}
        self._hooked_by = 0

    def instrument(self, settings: Settings) -> Instrument:
        """The instrument for these settings, opened when first asked for; without a journal where none can be had."""
        self._hook()
        with self._lock:
            known = self._by_settings.get(settings)
            if known is not None and not (known.lacks_room and spare_descriptors() >= OF_A_JOURNAL):
                return known
            for problem in settings.problems if known is None else ():
                logger.warning("hopwatch leaves out a setting: %s", problem)
            instrument = _open_instrument(settings)
            if known is not None:
                instrument.states = known.states
            self._by_settings[settings] = instrument
            return instrument

    def rest(self) -> None:
        """Keep no thread where no socket is wrapped any more. The journal stays: the process lives."""
        for instrument in list(self._by_settings.values()):
            instrument.rest()

    def _hook(self) -> None:
        """Before the lock is first taken: another thread may fork while it is held. Hooks that two threads register do no harm."""
        if not self._hooked_by:
            os.register_at_fork(after_in_child=self._after_fork)
            atexit.unregister(self._at_exit)
            atexit.register(self._at_exit)
            self._hooked_by = os.getpid()

    def _after_fork(self) -> None:
        self._lock, self._hooked_by = lock(), os.getpid()
        parents, self._by_settings = self._by_settings, {}
        for settings, instrument in parents.items():
            instrument.leave_to_parent(partial(self._own_journal, settings))

    def _own_journal(self, settings: Settings) -> Journal:
        return self.instrument(settings).journal

    def _at_exit(self) -> None:
        """A child that was forked without Python's knowledge has its parent's journal, and leaves it alone."""
        if os.getpid() != self._hooked_by:
            return
        for instrument in list(self._by_settings.values()):
            instrument.journal.event("exit")
            instrument.monitors.hand_over()
            instrument.save()


def _open_instrument(settings: Settings) -> Instrument:
    if spare_descriptors() < OF_A_JOURNAL:
        logger.warning(
            "hopwatch counts nothing yet: fewer than a tenth of the descriptors that this process may open are left"
        )
        return Instrument(settings, NoJournal(), lacks_room=True)
    try:
        journal: Journal = FileJournal(settings)
    except (JournalError, OSError) as error:
        logger.warning("hopwatch counts nothing in this process: %s", error)
        journal = NoJournal()
    return Instrument(settings, journal)


def _upkeep(journal: FileJournal) -> Chore:
    """Keep the files of the journal as they should be, whatever a cleaner of ``/tmp`` does to them."""
    since = time.monotonic()

    def keep_up() -> float:
        """Look after the files, which takes two descriptors for a moment: not while the application uses its reserve, or begins."""
        if time.monotonic() - since >= UPKEEP_SECONDS and spare_descriptors() >= 0:
            journal.keep_up()
        return UPKEEP_SECONDS

    return keep_up


PROCESS = Instruments()
