"""What the counters files of a process say last, once it is gone."""

from msgspec.structs import replace

from hopwatch_agent.journal.counters_file import CountersFile
from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.owners import claim_to_anothers
from hopwatch_agent.live.rows import counters_row, lane_row
from hopwatch_agent.live.state import LaneKey, LaneState, ProcessState
from hopwatch_agent.live.updates import with_numbers
from hopwatch_agent.sampling import lanes_of, with_claims, with_header
from hopwatch_agent.tail import report_once


def finish(counters: list[CountersFile], process: ProcessState, draft: Draft, now: int) -> ProcessState:
    """The last word on all that the process, which is gone, did not say itself. No row calls numbers final that are a copy's."""
    claims: list[str] = []
    if any(file.is_copy for file in counters):
        text = f"process {process.process} counted in shared memory that cannot be read: the counts of its last two seconds may be missing"
        process = report_once("copy", text, process, draft, now)
    for file in counters:
        for _, words in file.sockets:
            socket = f"{words[0]:016x}"
            if (claim := claim_to_anothers(socket, process, draft)) is not None:
                claims.append(claim)
            else:
                _finish_socket(socket, words[1:], process, draft, now, known=not file.is_copy)
        for key, numbers in lanes_of(file):
            if (claim := claim_to_anothers(key[0], process, draft)) is not None:
                claims.append(claim)
            else:
                _finish_lane(key, numbers, process, draft, now, known=not file.is_copy)
    return with_header(counters, with_claims(claims, process, draft, now))


def _finish_socket(
    identity: str, counts: tuple[int, ...], process: ProcessState, draft: Draft, now: int, *, known: bool
) -> None:
    socket = draft.sockets.get(identity)
    if socket is not None and socket.final:
        return
    if socket is not None:
        draft.sockets.put(identity, replace(socket, counters=counts, final=True))
    draft.add(*counters_row(identity, counts, final=known), process, now)


def _finish_lane(
    key: LaneKey, numbers: tuple[int, ...], process: ProcessState, draft: Draft, now: int, *, known: bool
) -> None:
    lane = draft.lanes.get(key) or LaneState(*key, process=process.process)
    if not lane.final:
        draft.lanes.put(key, with_numbers(lane, numbers, final=True))
        draft.add(*lane_row(*key, "final" if known else "sample", numbers), process, now)
