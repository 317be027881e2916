"""One process's journal: slots for counters, and the event log."""

import os
import platform
import sys
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import zmq

from hopwatch.errors import JournalError
from hopwatch.ids import as_text, new_id
from hopwatch.journal.counters import EVENTS_LOST_WORD, FAULTS_WORD, CountersFile, Slot, Slots, private_slot
from hopwatch.journal.events import EventLog
from hopwatch.journal.files import ProcessLock, prepare_directory
from hopwatch.native_threads import reentrant_lock
from hopwatch.ownership import opened_folder
from hopwatch.settings import Settings
from hopwatch.version import VERSION
from hopwatch.words import LANE_SLOT_WORDS, SOCKET_SLOT_WORDS

FORMAT = 2


class Journal:
    """Where instrumented sockets write what they do. No method raises. This one counts in private memory, and forgets events."""

    def event(self, event: str, **fields: Any) -> None:
        """Write one event."""

    def event_later(self, event: str, **fields: Any) -> None:
        """Write one event before any that comes after it; until then a killed process leaves no trace of it."""

    def write_waiting(self) -> None:
        """Write what was to come later."""

    def socket_slot(self) -> Slot:
        """A slot for the counters of one socket."""
        return private_slot(SOCKET_SLOT_WORDS)

    def lane_slot(self) -> Slot:
        """A slot for one end of one lane."""
        return private_slot(LANE_SLOT_WORDS)

    def give_back(self, socket_slot: Slot, lane_slots: list[Slot], still_used: object = None) -> None:
        """Free the slots of a socket that is closed, at once; or of one that is bare again and ``still_used``.

        Then another thread may be in a method that counts in them: each is free once its view, which the method holds, is gone, or
        the socket is.
        """
        for slot in (socket_slot, *lane_slots):
            if still_used is None:
                slot.give_back()
            elif slot.place is not None:
                at_the_sockets_end = weakref.finalize(still_used, slot.give_back)
                at_the_sockets_end.atexit = False
                weakref.finalize(slot.words, at_the_sockets_end).atexit = False

    def give_back_lanes(self, lane_slots: list[Slot]) -> None:
        """Free slots of a socket that lives, and touches them no more."""
        for slot in lane_slots:
            slot.give_back()

    def count_fault(self) -> None:
        """Count a fault of ours."""

    def abandon(self) -> None:
        """Let go of the files, in a forked child."""


class NoJournal(Journal):
    """For where no journal can be had."""


class FileJournal(Journal):
    """The journal in the directory; raises JournalError if it cannot be opened, and never afterwards."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process = new_id()
        self.process = as_text(self._process)
        self._started = time.time_ns()
        self._keeping = reentrant_lock()
        prepare_directory(settings.directory, settings.directory_is_default)
        self._lock = ProcessLock(settings.directory, self.process, settings.file_mode)
        try:
            where, mode = settings.directory, settings.file_mode
            self._slots = Slots(lambda index: CountersFile(where, self._process, index, mode))
            self._log = EventLog(where, self.process, self._segment_line, self._lost, mode)
        except JournalError:
            self._remove_files()
            raise

    def event(self, event: str, **fields: Any) -> None:
        self._log.write(event, fields)

    def event_later(self, event: str, **fields: Any) -> None:
        self._log.write_later(event, fields)

    def write_waiting(self) -> None:
        self._log.write_due()

    def socket_slot(self) -> Slot:
        return self._slots.take(SOCKET_SLOT_WORDS)

    def lane_slot(self) -> Slot:
        return self._slots.take(LANE_SLOT_WORDS)

    def count_fault(self) -> None:
        self._slots.header[FAULTS_WORD] += 1

    def abandon(self) -> None:
        """Let go of the files, in a forked child; POSIX locks are not inherited, so the parent keeps its own."""
        self._log.abandon()
        self._lock.let_go()

    def keep_up(self) -> None:
        """Write anew what somebody removed or cut short, and copy the counters. What cannot be done now may be done the next time."""
        prepare = partial(prepare_directory, self._settings.directory, self._settings.directory_is_default)
        saves = (file.memory.save for file in self._slots.files)
        self._each(prepare, self._lock.keep, self._log.keep_up, *saves)

    def end(self, *, nobody_counts: bool) -> None:
        """Leave the last counts in the files, as far as that can be done, when the interpreter ends."""
        memories = [file.memory for file in self._slots.files]
        self._each(*(memory.free if nobody_counts else memory.save for memory in memories))

    def _each(self, *steps: Callable[[], None]) -> None:
        """Do all of these, whichever fails. The thread that keeps up may be at it while the interpreter ends."""
        with self._keeping:
            for step in steps:
                with suppress(JournalError, OSError):
                    step()

    def _lost(self, count: int) -> None:
        self._slots.header[EVENTS_LOST_WORD] += count

    def _remove_files(self) -> None:
        self._lock.let_go()
        with opened_folder(self._settings.directory) as folder:
            for name in ("0000.events", "0000.counters", "lock"):
                with suppress(FileNotFoundError):
                    os.unlink(f"{self.process}.{name}", dir_fd=folder)

    def _segment_line(self, index: int, first: int) -> dict[str, Any]:
        place = {"place": dict(self._settings.place)} if self._settings.place else {}
        return {
            "event": "segment",
            "format": FORMAT,
            "process": self.process,
            "index": index,
            "first": first,
            "host": self._settings.host,
            "pid": os.getpid(),
            "command": " ".join(sys.orig_argv or sys.argv)[:1000],
            "started": self._started,
            "hopwatch": VERSION,
            "python": platform.python_version(),
            "pyzmq": zmq.__version__,
            "libzmq": zmq.zmq_version(),
            "counts_in": "shared memory" if self._slots.files[0].memory.in_shared_memory else "file",
            **place,
        }
