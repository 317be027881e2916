"""What may go: read segments, files of processes that are gone, and state that nobody asks for any more."""

from pathlib import Path

from hopwatch_agent.follow import lives
from hopwatch_agent.journal.directory import ProcessFiles
from hopwatch_agent.live.draft import Draft, Tables
from hopwatch_agent.live.state import ProcessState, SocketState

SHOW_GONE_SECONDS = 300
CLOSED_SOCKETS_SHOWN = 1000


def unlink_read(directory: Path, listed: dict[str, ProcessFiles], tables: Tables, oldest_row: int) -> None:
    """Unlinks what the database has: segments of the living, everything of the gone that was landed.

    What this agent could not read stays: another one may know its format.

    Raises ``OSError``.
    """
    for process, files in listed.items():
        state = tables.processes.get(process)
        if state is None:
            _unlink_leftover(directory, process, files)
        elif state.refusal is not None:
            continue
        elif state.gone_at is None:
            for index, name in files.events.items():
                if index < state.segment and index < max(files.events):
                    (directory / name).unlink(missing_ok=True)
        elif state.last_row < oldest_row:
            _unlink_landed(directory, process, files, unread=state.reported)


def _unlink_landed(directory: Path, process: str, files: ProcessFiles, unread: tuple[str, ...]) -> None:
    kept = set(files.counters.values()) & set(unread)
    for name in files.all_but_lock():
        if name not in kept:
            (directory / name).unlink(missing_ok=True)
    if not kept:
        # last, since files without a lock would be those of a process that has to be read
        (directory / f"{process}.lock").unlink(missing_ok=True)


def _unlink_leftover(directory: Path, process: str, files: ProcessFiles) -> None:
    if files.lock and not files.events and not files.counters and not lives(directory, process):
        for name in files.unfinished:
            (directory / name).unlink(missing_ok=True)
        (directory / f"{process}.lock").unlink(missing_ok=True)


def forget_old(tables: Tables, listed: dict[str, ProcessFiles], draft: Draft, now: int) -> None:
    """Drops processes that went some minutes ago, and sockets that were closed then or are too many."""
    before = now - SHOW_GONE_SECONDS * 1_000_000_000
    for process in tables.processes.values():
        if process.process not in listed and _is_before(process, before):
            draft.forget_process(process.process)
    closed = sorted((s for s in tables.sockets.values() if s.closed_at is not None), key=_closing)
    for place, socket in enumerate(closed):
        if _closing(socket) < before or place < len(closed) - CLOSED_SOCKETS_SHOWN:
            draft.forget_socket(socket.socket)
    draft.drop_idle_series()


def _is_before(process: ProcessState, before: int) -> bool:
    return process.gone_at is not None and process.gone_at < before


def _closing(socket: SocketState) -> int:
    return socket.closed_at or 0
