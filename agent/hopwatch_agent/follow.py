"""Following of one process: its events, its counters, and its end."""

import dataclasses
import time
from pathlib import Path

from msgspec.structs import replace

from hopwatch_agent.errors import ForbiddenFileError, RefusedFileError
from hopwatch_agent.journal.directory import ProcessFiles
from hopwatch_agent.journal.lock import is_held
from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.rows import process_row
from hopwatch_agent.live.state import ProcessState
from hopwatch_agent.sampling import Moment, Readings, Sampler, finish, read_counters
from hopwatch_agent.tail import tail_process


def lives(directory: Path, process: str) -> bool:
    """Whether the process holds its lock. Something that is no regular file is not a lock.

    A process whose lock may not be asked is not known to be gone.
    """
    try:
        return is_held(directory / f"{process}.lock")
    except ForbiddenFileError:
        return True
    except RefusedFileError:
        return False


def follow(
    directory: Path,
    files: ProcessFiles,
    process: ProcessState,
    draft: Draft,
    *,
    readings: Readings,
    moment: Moment,
    alive: bool,
) -> bool:
    """Puts all that is new of a process into the draft; True if there is more to read at once.

    ``files`` must have been listed after a process that does not live was found dead, so that they are
    all it has left.
    """
    before = process
    tailed = tail_process(directory, files, process, draft, moment.wall, alive=alive)
    process = tailed.process
    if process.refusal is None:
        process, counters = read_counters(directory, files, process, draft, moment.wall)
        # a count holds for any time after it was read, and for none before
        moment = dataclasses.replace(moment, wall=time.time_ns())
        if alive:
            process = Sampler(readings, process, draft, moment).sample(counters)
        elif not tailed.more:
            process = finish(counters, process, draft, moment.wall)
    lost = process.all_events_lost
    if lost > before.all_events_lost and process.refusal is None:
        draft.add(*process_row("events_lost", events_lost=lost), process, moment.wall)
    if not alive and not tailed.more:
        process = _gone(process, draft, moment.wall)
    if process != before or draft.processes.get(process.process) is None:
        draft.processes.put(process.process, process)
    return tailed.more


def _gone(process: ProcessState, draft: Draft, now: int) -> ProcessState:
    lost = process.all_events_lost
    if process.refusal is None:
        draft.add(*process_row("gone", events_lost=lost), process, now)
    return replace(process, gone_at=now, events_lost=lost)
