"""What may go: read segments, files of processes that are gone, and state that nobody asks for any more."""

import os
from contextlib import suppress
from pathlib import Path

from hopwatch.journal import shared_memory
from hopwatch.ownership import opened_folder

from hopwatch_agent.backlog.waiting import settle
from hopwatch_agent.journal.counters_file import segment_at
from hopwatch_agent.journal.directory import ProcessFiles, scan
from hopwatch_agent.journal.lock import Lock
from hopwatch_agent.live.draft import Draft, Tables
from hopwatch_agent.live.limits import share
from hopwatch_agent.live.state import ProcessState, SocketState
from hopwatch_agent.presence import lock_of
from hopwatch_agent.unread import unread

FORGET_EVERY_SECONDS = 10.0
SHOW_GONE_SECONDS = 300.0
ENDED_SOCKETS_SHOWN = 1000


class Cleaner:
    """Unlinks what the database has; a file that cannot be unlinked keeps none of the others."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.failures: list[str] = []

    def unlink_read(self, listed: dict[str, ProcessFiles], tables: Tables) -> None:
        """Unlinks segments of the living, and everything of the gone.

        What this agent could not read stays, up to a bound: another one may know its format.
        """
        self._unlink_leftovers(
            {process: files for process, files in listed.items() if process not in tables.processes}
        )
        for process, files in listed.items():
            state = tables.processes.get(process)
            if state is None:
                continue
            if state.gone_at is not None:
                if self._is_free(process, files):
                    self._unlink_read(files, state)
            elif state.refusal is None:
                self._unlink_segments(files, state)

    def _unlink_segments(self, files: ProcessFiles, state: ProcessState) -> None:
        for index, name in files.events.items():
            if index < state.segment and index < max(files.events) and name not in state.reported:
                self._unlink(name)

    def _unlink_read(self, files: ProcessFiles, state: ProcessState) -> None:
        names, kept = files.all_but_lock(), unread(files, state)
        unlinked = [self._unlink_with_memory(name) for name in names if name not in kept]
        if len(unlinked) == len(names) and all(unlinked):
            # last, since files without a lock would be those of a process that has to be read
            self._unlink(f"{state.process}.lock")

    def _unlink_leftovers(self, listed: dict[str, ProcessFiles]) -> None:
        """Of processes that ended before they had a journal: one that had none when listed may have written and ended since."""
        ended = [
            process
            for process, files in listed.items()
            if _is_lock_only(files) and self._is_free(process, files)
        ]
        left = scan(self._directory) if ended else {}
        for process in ended:
            files = left.get(process, ProcessFiles())
            if _is_lock_only(files):
                for name in (*files.unfinished, f"{process}.lock"):
                    self._unlink(name)

    def _is_free(self, process: str, files: ProcessFiles) -> bool:
        """Whether it is sure just now that nobody writes these files; a lock that has been listed may come back."""
        lock = lock_of(self._directory, process)
        return lock is Lock.FREE or (lock is Lock.MISSING and not files.lock)

    def _unlink_with_memory(self, name: str) -> bool:
        """Of counters, also the shared memory that they stand in; another user's can only be freed by that user's next process."""
        segment = segment_at(self._directory / name) if name.endswith(".counters") else None
        if segment is not None:
            with suppress(OSError):
                shared_memory.remove(segment)
        return self._unlink(name)

    def _unlink(self, name: str) -> bool:
        try:
            with suppress(FileNotFoundError), opened_folder(self._directory) as folder:
                os.unlink(name, dir_fd=folder)
        except OSError as error:
            self.failures.append(f"{self._directory / name}: {error.strerror}")
            return False
        return True


def _is_lock_only(files: ProcessFiles) -> bool:
    return files.lock and not files.events and not files.counters


class Departures:
    """How long ago each process and socket was seen to have ended, by a clock that does not jump."""

    def __init__(self) -> None:
        self._seen: dict[str, float] = {}
        self._asked_at = float("-inf")
        self._more = False

    def are_due(self, draft: Draft, clock: float) -> bool:
        """Whether to forget now: every few seconds, and at once where it is crowded and more has ended since."""
        due = clock - self._asked_at >= FORGET_EVERY_SECONDS or (self._more and _is_crowded(draft))
        if due:
            self._asked_at, self._more = clock, False
        return due

    def notice(self, draft: Draft) -> None:
        """Looks for what ends with this draft: once it is committed, it may be forgotten."""
        self._more = self._more or _ends_something(draft)

    def forget_old(self, tables: Tables, listed: dict[str, ProcessFiles], draft: Draft, clock: float) -> None:
        """Drops what ended some minutes ago, and the oldest of too many; ``clock`` in monotonic seconds."""
        gone = [process for process in tables.processes.values() if process.gone_at is not None]
        ended = [socket for socket in tables.sockets.values() if _has_ended(socket, tables)]
        self._note([*(process.process for process in gone), *(socket.socket for socket in ended)], clock)
        # the journal of one whose files are still there would be read anew
        unlisted = [process.process for process in gone if process.process not in listed]
        for process in self._too_old_or_many(unlisted, draft.limits.processes, clock):
            draft.forget_process(process)
        ended.sort(key=lambda socket: socket.closed_at or 0)
        shown = min(ENDED_SOCKETS_SHOWN, share(draft.limits.sockets) // 2)
        for socket in self._too_old_or_many([socket.socket for socket in ended], shown, clock):
            draft.forget_socket(socket)
        if draft.forgotten_processes or draft.forgotten_sockets:
            settle(draft)
        draft.drop_idle_series()

    def _note(self, ended: list[str], clock: float) -> None:
        self._seen = {identity: self._seen.get(identity, clock) for identity in ended}

    def _too_old_or_many(self, ended: list[str], shown: int, clock: float) -> list[str]:
        ordered = sorted(ended, key=self._seen.__getitem__)
        too_many = len(ordered) - shown
        return [
            identity
            for place, identity in enumerate(ordered)
            if place < too_many or clock - self._seen[identity] > SHOW_GONE_SECONDS
        ]


def forget_lanes_that_gave_way(tables: Tables, draft: Draft) -> None:
    """Drops lanes that their receiver follows no more, where lanes are many: announced again, they go on."""
    if draft.lanes.size > share(draft.limits.lanes) // 2:
        for key, lane in tables.lanes.items():
            if lane.gave_way:
                draft.lanes.drop(key)


def _has_ended(socket: SocketState, tables: Tables) -> bool:
    process = tables.processes.get(socket.process)
    return socket.closed_at is not None or process is None or process.gone_at is not None


def _is_crowded(draft: Draft) -> bool:
    """Whether what has ended should make room at once."""
    limits = draft.limits
    return (
        draft.sockets.size > share(limits.sockets) // 2
        or draft.lanes.size > share(limits.lanes) // 2
        or draft.connections.size > share(limits.connections) // 2
        # those that live, those that are shown for a while, and those whose files are kept
        or draft.processes.size > 3 * limits.processes
    )


def _ends_something(draft: Draft) -> bool:
    return (
        any(
            process is not None and process.gone_at is not None
            for process in draft.processes.changed.values()
        )
        or any(
            socket is not None and socket.closed_at is not None for socket in draft.sockets.changed.values()
        )
        or any(lane is not None and lane.gave_way for lane in draft.lanes.changed.values())
    )
