"""Reading on in one process's event log: from an offset to records, and to the next offset."""

from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from hopwatch_agent.errors import (
    ForbiddenFileError,
    ForeignFormatError,
    RefusedFileError,
    UnavailableFileError,
    UnreadableLineError,
)
from hopwatch_agent.journal.directory import ProcessFiles
from hopwatch_agent.journal.faults import Faults
from hopwatch_agent.journal.lines import Envelope, read_event, read_segment_line
from hopwatch_agent.journal.segments import LINE_LIMIT, Piece, read_piece
from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.ended_unseen import end_unlisted
from hopwatch_agent.live.limits import kept
from hopwatch_agent.live.owners import claim_to_anothers
from hopwatch_agent.live.rows import place_row, process_row
from hopwatch_agent.live.state import ProcessState
from hopwatch_agent.live.updates import apply_event
from hopwatch_agent.numbers import begun, counted_to, past_standing, taken
from hopwatch_agent.records import AnyEvent, Segment, Standing

PIECES_A_TICK = 4


@dataclass(frozen=True)
class Tailed:
    """The process after a reading, whether there is more to read at once, and whether there is what cannot be read just now."""

    process: ProcessState
    more: bool
    unavailable: bool = False


def tail_process(
    directory: Path, files: ProcessFiles, process: ProcessState, draft: Draft, now: int, *, alive: bool
) -> Tailed:
    """Reads on, at most 4 MiB, into the draft, or less where the step has no room for that.

    While the process lives, a line without an end is left for later. ``files`` must have been listed
    before the reading: a segment below the highest one listed is then known to be complete.
    """
    for _ in range(PIECES_A_TICK):
        if process.refusal is not None or draft.full:
            return Tailed(process, more=process.refusal is None)
        process, index = _at_listed_segment(process, files)
        if index is None:
            return Tailed(process, more=False)
        path = directory / files.events[index]
        complete = not alive or index < max(files.events)
        try:
            piece = read_piece(path, process.offset, skipping=process.skipping, most=draft.bytes_left)
        except (FileNotFoundError, UnavailableFileError) as error:
            # what is missing was dropped by its writer since it was listed, or is away with the directory: a later listing tells
            if isinstance(error, UnavailableFileError):
                draft.unavailable.append(str(error))
            return Tailed(process, more=False, unavailable=True)
        except ForbiddenFileError as error:
            return Tailed(report_once(path.name, str(error), process, draft, now), more=False)
        except RefusedFileError as error:
            process = report_once(path.name, str(error), process, draft, now)
            piece = Piece([], [], process.offset, False, b"", True, process.offset)
        draft.bytes_left -= max(0, piece.end - process.offset)
        process = _take(piece, path, process, draft, now, complete=complete)
        if not piece.at_end:
            continue
        if index == max(files.events):
            return Tailed(process if alive else counted_to(process.first, process), more=False)
        process = replace(process, segment=index + 1, offset=0, skipping=False)
    return Tailed(process, more=True)


def report_once(name: str, text: str, process: ProcessState, draft: Draft, now: int) -> ProcessState:
    """Adds a fault, unless one was added for this file before."""
    if name in process.reported:
        return process
    draft.add_fault(text, process, now)
    return replace(process, reported=(*process.reported, name))


def _at_listed_segment(process: ProcessState, files: ProcessFiles) -> tuple[ProcessState, int | None]:
    ahead = [index for index in files.events if index >= process.segment]
    if not ahead:
        return process, None
    index = min(ahead)
    if index > process.segment:
        dropped = process.segments_lost + index - process.segment
        process = replace(process, segment=index, offset=0, skipping=False, segments_lost=dropped)
    return process, index


def _take(
    piece: Piece, path: Path, process: ProcessState, draft: Draft, now: int, *, complete: bool
) -> ProcessState:
    faults = Faults(path)
    if piece.size < process.offset:
        faults.add(piece.size, f"the file was cut short; it had been read up to byte {process.offset}")
        piece = Piece([], [], piece.size, False, b"", True, piece.size)
    for offset in piece.overlong:
        faults.add(offset, f"a line of more than {LINE_LIMIT} bytes")
    for offset, line in piece.lines:
        process = _take_line(line, offset, process, draft, faults)
        if process.refusal is not None:
            draft.add_fault(f"{path}: {process.refusal}; the process is skipped", process, now)
            break
    end = piece.end
    if piece.rest and complete:
        faults.add(end, f"half a line, {len(piece.rest)} bytes without an end")
        end += len(piece.rest)
    for text in faults.told():
        draft.add_fault(text, process, now)
    return replace(process, offset=end, skipping=piece.skipping)


def _take_line(line: bytes, offset: int, process: ProcessState, draft: Draft, faults: Faults) -> ProcessState:
    try:
        if offset == 0:
            return _begin_segment(read_segment_line(line, process.process, process.segment), process, draft)
        event = read_event(line)
        if isinstance(event, Standing):
            return _end_head(event, process, draft)
    except UnreadableLineError as error:
        faults.add(offset, str(error))
        return process
    except ForeignFormatError as error:
        return replace(process, refusal=str(error))
    return _take_event(event, offset, process, draft, faults)


def _take_event(
    event: AnyEvent | Envelope, offset: int, process: ProcessState, draft: Draft, faults: Faults
) -> ProcessState:
    after = taken(event.n, process)
    if after is None:
        if event.n >= process.first:
            faults.add(offset, f"event {event.n} after event {process.next_n - 1}")
        return process
    process = after
    if isinstance(event, Envelope):
        return process
    claim = claim_to_anothers(getattr(event, "socket", None), process, draft)
    if claim is not None:
        faults.add(offset, claim)
        return process
    return apply_event(event, process, draft)


def _end_head(standing: Standing, process: ProcessState, draft: Draft) -> ProcessState:
    process = counted_to(process.first, process)
    if process.behind:
        end_unlisted(standing, process, draft)
    if standing.left_out:
        text = (
            f"process {process.process} has more sockets and lanes than its journal repeats: "
            f"an agent that comes late would lack {standing.left_out} events"
        )
        process = report_once("head", text, process, draft, standing.t)
    return past_standing(process, last=standing.last)


def _begin_segment(segment: Segment, process: ProcessState, draft: Draft) -> ProcessState:
    process = begun(segment.first, process)
    if process.started_at is not None:
        return process
    process = replace(
        process,
        host=segment.host,
        pid=segment.pid,
        command=kept(segment.command),
        hopwatch=kept(segment.hopwatch),
        pyzmq=kept(segment.pyzmq),
        libzmq=kept(segment.libzmq),
        counts_in=kept(segment.counts_in),
        place=segment.place,
        started_at=segment.started,
    )
    row = process_row(
        "started",
        pid=segment.pid,
        command=segment.command,
        hopwatch=segment.hopwatch,
        pyzmq=segment.pyzmq,
        libzmq=segment.libzmq,
    )
    draft.add(*row, process, segment.started)
    if segment.place is not None:
        draft.add(*place_row(segment.place), process, segment.started)
    return process
