"""Following of one process: its events, its counters, and its end."""

import dataclasses
import time
from collections import Counter
from pathlib import Path

from msgspec.structs import replace

from hopwatch_agent.backlog.read import Span
from hopwatch_agent.journal.directory import ProcessFiles
from hopwatch_agent.last_words import finish
from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.rows import process_row
from hopwatch_agent.live.state import ProcessState
from hopwatch_agent.sampling import Moment, Readings, Sampler, read_counters
from hopwatch_agent.tail import report_once, tail_process


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
    # a process that is gone is done with once all that it left was read
    done = not alive and not tailed.more and not tailed.unavailable
    if process.refusal is None:
        began = time.monotonic()
        read = read_counters(directory, files, process, draft, moment.wall, readings)
        process, done = read.process, done and not read.unavailable
        # a count holds for any time after it was read, and for none before
        moment = dataclasses.replace(moment, wall=time.time_ns())
        unchanged = readings.settled and process == before and len(read.files) == len(readings.files)
        if alive:
            readings.span = Span(began, time.monotonic())
        if alive and (moment.forced or not unchanged):
            process = Sampler(readings, process, draft, moment).sample(read.files)
        elif done:
            process = finish(read.files, process, draft, moment.wall)
    process = _with_left_out(process, draft, moment.wall)
    lost = process.all_events_lost
    if lost > before.all_events_lost and process.refusal is None:
        draft.add(*process_row("events_lost", events_lost=lost), process, moment.wall)
    if done:
        if not files.lock:
            text = f"process {process.process} is taken for gone: its lock is not there"
            draft.add_fault(text, process, moment.wall)
        process = _gone(process, draft, moment.wall)
    if process != before or draft.processes.get(process.process) is None:
        draft.processes.put(process.process, process)
    return tailed.more


def _with_left_out(process: ProcessState, draft: Draft, now: int) -> ProcessState:
    counts = draft.take_left_out()
    for what in counts:
        text = f"process {process.process} has more {what} than there is room for: further ones are landed, but neither shown nor sampled"
        process = report_once(what, text, process, draft, now)
    return replace(process, left_out=dict(counts + Counter(process.left_out))) if counts else process


def _gone(process: ProcessState, draft: Draft, now: int) -> ProcessState:
    lost = process.all_events_lost
    if process.refusal is None:
        draft.add(*process_row("gone", events_lost=lost), process, now)
    return replace(process, gone_at=now, events_lost=lost)


def taken_up_again(process: ProcessState, draft: Draft, now: int) -> ProcessState:
    """A process that was taken for gone and lives: what was told as its sockets' last word was none."""
    open_sockets = set()
    for socket in list(draft.sockets.values()):
        if socket.process == process.process and socket.closed_at is None:
            open_sockets.add(socket.socket)
            draft.sockets.put(socket.socket, replace(socket, final=False))
    for lane in list(draft.lanes.values()):
        if lane.final and lane.process == process.process and lane.socket in open_sockets:
            draft.lanes.put((lane.socket, lane.stream, lane.lane), replace(lane, final=False))
    text = f"process {process.process} lives, and was taken for gone: its lock was not at its place"
    draft.add_fault(text, process, now)
    return replace(process, gone_at=None, unread_given_up=False)
