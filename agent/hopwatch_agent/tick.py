"""One tick: list the directory, follow every process, commit, show; and cleaning up after it."""

import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from hopwatch_agent.backlog.read import LanesRead, Span
from hopwatch_agent.backlog.tracking import BacklogTracker
from hopwatch_agent.cleaning import Cleaner, Departures, forget_lanes_that_gave_way
from hopwatch_agent.errors import CleaningError, ForeignDirectoryError, StoreError
from hopwatch_agent.follow import follow, taken_up_again
from hopwatch_agent.journal.directory import ProcessFiles, scan
from hopwatch_agent.journal.hold import DirectoryHold
from hopwatch_agent.journal.lock import Lock
from hopwatch_agent.kernel.sampling import KernelSampler
from hopwatch_agent.live.board import Board
from hopwatch_agent.live.conditions import ConditionTracker
from hopwatch_agent.live.costs import Sizes, sizes
from hopwatch_agent.live.draft import BYTES_A_STEP, Draft, Tables
from hopwatch_agent.live.state import LaneKey, ProcessState
from hopwatch_agent.presence import Presence, lock_of
from hopwatch_agent.queue_risks import QueueRisks
from hopwatch_agent.sampling import Moment, Readings
from hopwatch_agent.settings.sections import JournalSettings
from hopwatch_agent.store.store import Store
from hopwatch_agent.unread import UnreadFiles
from hopwatch_agent.unwrapped_readers import UnwrappedReaders

Listing = dict[str, ProcessFiles]


def several(texts: list[str]) -> str | None:
    """The first of some texts, and how many there are besides."""
    if len(texts) < 2:
        return texts[0] if texts else None
    return f"{texts[0]}; and {len(texts) - 1} more"


class Ticker:
    """Follows one journal directory. Used by one thread; ``tables`` are changed by it alone."""

    def __init__(
        self,
        journal: JournalSettings,
        store: Store,
        tables: Tables,
        board: Board,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._journal = journal
        self._store = store
        self._tables = tables
        self._board = board
        self._readings: dict[str, Readings] = {}
        self._listed: Listing = {}
        self._hold = DirectoryHold(journal.directory)
        self._presence = Presence(journal.directory)
        self._departures = Departures()
        self._unread = UnreadFiles()
        self._kernel = KernelSampler(journal, tables, board)
        self._queue_risks = QueueRisks(board)
        self._unwrapped_readers = UnwrappedReaders()
        self._backlog = BacklogTracker(tables, board)
        self._conditions = ConditionTracker(board)
        self._start_after = ""
        self.blind: str | None = None
        """Why nothing new is known of processes that live, though no tick fails."""
        self._waiting = 0

    def begin(self) -> None:
        """Holds the journal directory, if it is there yet.

        Raises ``DirectoryInUseError`` and ``ForeignDirectoryError``.
        """
        with suppress(OSError):
            self._hold.take()

    def run_once(self, *, forced: bool = False) -> bool:
        """True if there is more to read at once. ``forced``: sample whatever has changed.

        Raises ``OSError`` and ``DirectoryInUseError`` if the directory cannot be read and ``StoreError`` if nothing
        could be kept; the next tick then does the same again.
        """
        directory = self._journal.directory
        moment = Moment(wall=time.time_ns(), clock=self._clock(), forced=forced)
        listing = self._listing()
        self._listed = listing or {}
        # what a journal says takes some more room as rows than as it stands there
        bytes_left = min(BYTES_A_STEP, self._store.room() // 3)
        draft = Draft(self._tables, self._journal.limits, bytes_left=bytes_left)
        more = listing is not None and self._follow_all(directory, listing, draft, moment)
        self._kernel.sample(draft, moment)
        self._queue_risks.note(draft, moment)
        self._unwrapped_readers.note(draft, moment)
        self._backlog.note(draft, moment)
        if listing is not None:
            self._board.set_error("unread", self._unread.give_up(listing, draft, moment.wall))
            self._forget(listing, draft, moment)
        self._keep(draft)
        self._show(moment, more=more)
        self._board.set_error("files", several(draft.unavailable))
        self._board.set_error("limits", self._beyond_limits())
        return more

    def clean(self) -> None:
        """Unlinks the files that are not needed any more. Raises ``OSError``, ``CleaningError``, ``StoreError``."""
        cleaner = Cleaner(self._journal.directory)
        cleaner.unlink_read(self._listing() or {}, self._tables)
        if cleaner.failures:
            raise CleaningError(several(cleaner.failures))

    def sizes(self, data: Path) -> Sizes:
        """What was unread after the last tick, and what the database in ``data`` takes."""
        return sizes(data, self._journal.directory, self._listed, self._tables)

    def close(self) -> None:
        """Lets another agent have the journal directory, and asks the kernel no more."""
        self._hold.release()
        self._kernel.close()

    def _keep(self, draft: Draft) -> None:
        if draft.empty:
            return
        try:
            rows = self._store.commit(draft)
        except StoreError:
            self._sample_all()
            raise
        self._board.publish(draft, rows)

    def _sample_all(self) -> None:
        """The next samples have what the last ones had, and what there is room for now."""
        for readings in self._readings.values():
            readings.settled = False

    def _forget(self, listing: Listing, draft: Draft, moment: Moment) -> None:
        if self._departures.are_due(draft, moment.clock):
            self._departures.forget_old(self._tables, listing, draft, moment.clock)
            forget_lanes_that_gave_way(self._tables, draft)
            self._sample_all()
        self._departures.notice(draft)

    def _beyond_limits(self) -> str | None:
        told = []
        if self._waiting:
            told.append(
                f"{self._waiting} processes wait to be read: {self._journal.limits.processes} are (max_processes)"
            )
        left_out: Counter[str] = Counter()
        for state in self._tables.processes.values():
            if state.gone_at is None and state.left_out:
                left_out.update(state.left_out)
        if left_out:
            counts = ", ".join(f"{count} {what}" for what, count in sorted(left_out.items()))
            told.append(
                f"there was no room for {counts}: landed, but neither shown nor sampled (max_sockets, max_lanes)"
            )
        return "; ".join(told) or None

    def _listing(self) -> Listing | None:
        """What the directory holds; None while it is missing or another user's: then nobody is known of.

        It is not made here: it must belong to the user of the applications, who may be another one.
        """
        try:
            self._hold.take()
            listing = scan(self._journal.directory)
        except FileNotFoundError:
            self.blind = self._not_there()
            self._board.set_error(
                "journal", self.blind or f"{self._journal.directory} is not there yet: no journal to read"
            )
            return None
        except ForeignDirectoryError as error:
            self.blind = str(error)
            self._board.set_error("journal", self.blind)
            return None
        self.blind = None
        self._board.set_error("journal", None)
        return listing

    def _not_there(self) -> str | None:
        """None where nobody who lives has written into it."""
        living = sum(process.gone_at is None for process in self._tables.processes.values())
        if not living:
            return None
        who = "1 process" if living == 1 else f"{living:,} processes"
        return (
            f"{self._journal.directory} is not there any more: of {who} that wrote there nothing new is known"
        )

    def _follow_all(self, directory: Path, listing: Listing, draft: Draft, moment: Moment) -> bool:
        self._take_up_again(listing, draft, moment)
        known = [process.process for process in draft.processes.values() if process.gone_at is None]
        fresh = [
            process
            for process, files in listing.items()
            if process not in self._tables.processes and (files.events or files.counters)
        ]
        room = max(0, self._journal.limits.processes - len(known))
        self._waiting = max(0, len(fresh) - room)
        del fresh[room:]
        alive = self._presence.ask((*known, *fresh), moment.clock)
        # whatever a dead process wrote was there before it was found dead
        left = listing if all(alive.values()) else self._listing()
        if left is None:
            return False
        more = False
        for process in self._in_turn(alive):
            if draft.full:
                return True
            state = draft.processes.get(process) or ProcessState(process, self._journal.host)
            files = (listing if alive[process] else left).get(process) or ProcessFiles()
            more |= follow(
                directory,
                files,
                state,
                draft,
                readings=self._readings.setdefault(process, Readings()),
                moment=moment,
                alive=alive[process],
            )
            self._start_after = process
        return more

    def _take_up_again(self, listing: Listing, draft: Draft, moment: Moment) -> None:
        for process, files in listing.items():
            state = self._tables.processes.get(process)
            if state is None or state.gone_at is None or not files.lock:
                continue
            if lock_of(self._journal.directory, process) is Lock.HELD:
                draft.processes.put(process, taken_up_again(state, draft, moment.wall))

    def _in_turn(self, processes: dict[str, bool]) -> list[str]:
        ordered = sorted(processes)
        first = [process for process in ordered if process > self._start_after]
        return first + [process for process in ordered if process <= self._start_after]

    def _show(self, moment: Moment, *, more: bool) -> None:
        for process in list(self._readings):
            state = self._tables.processes.get(process)
            if state is None or state.gone_at is not None:
                del self._readings[process]
        counters: dict[str, tuple[int, ...]] = {}
        lanes: dict[LaneKey, tuple[int, ...]] = {}
        spans: dict[str, Span] = {}
        for process, readings in self._readings.items():
            counters.update(readings.sockets)
            lanes.update(readings.lanes)
            spans[process] = readings.span
        self._board.show_numbers(counters, lanes, moment.clock)
        self._backlog.show(LanesRead(lanes, spans), moment, more=more)
        self._conditions.show(self._tables, counters, moment)
