"""Findings about queues that have more room than their process has memory: told before they are full."""

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.board import Board
from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.state import Finding, SocketState
from hopwatch_agent.live.updates import FINDINGS_KEPT
from hopwatch_agent.pace import Pace
from hopwatch_agent.sampling import Moment

RULE = "queues_beyond_memory"
STALE_MARK = "mark_set_after_bind"
SECONDS = 1.0
SHARE = 0.001
FEWEST = 3
"""Messages of which the mean size says something."""
PART = 2
"""A queue should be full before so much of the memory is used, as one of two, three ..."""
WAYS = (("sndhwm", "sent", "sent_bytes"), ("rcvhwm", "received", "received_bytes"))


class QueueRisks:
    """Used by the thread that ticks."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._pace = Pace(SECONDS, SHARE)

    def note(self, draft: Draft, moment: Moment) -> None:
        """Adds what is found to the draft, if it is time: once a socket."""
        if not self._pace.is_due(moment):
            return
        with self._pace.kept(moment):
            memory = self._board.kernel.memory
            limited = {process for process, known in memory.items() if known.limit}
            peers = Counter(one.socket for one in draft.connections.values() if one.is_up)
            for socket in list(draft.sockets.values()) if limited else ():
                limit = memory[socket.process].limit if socket.process in limited else None
                if limit is not None and socket.closed_at is None and not _is_told(socket):
                    for finding in _risks(socket, max(1, peers[socket.socket]), limit):
                        _add(draft, socket, finding, moment)
                        break


def _is_told(socket: SocketState) -> bool:
    """Or what mark is in force is not known."""
    rules = {finding.rule for finding in socket.findings}
    return bool(rules & {RULE, STALE_MARK}) or len(socket.findings) >= FINDINGS_KEPT


def _risks(socket: SocketState, peers: int, limit: int) -> Iterator[Finding]:
    for option, counted, size in WAYS:
        mark = socket.options.get(option, 0)
        count = socket.counters[COUNTERS.index(counted)]
        if mark <= 0 or count < FEWEST:
            continue
        mean = socket.counters[COUNTERS.index(size)] / count
        full = mark * mean * peers
        if full > limit:
            yield Finding(
                rule=RULE,
                text=(
                    f"{option.upper()} of this {socket.type} is {mark}, and its messages have {mean:,.0f} bytes on average: a mark counts messages, whatever their "
                    f"size, and {'a full queue takes' if peers == 1 else f'{peers} full queues, one a peer, take'} {_megabytes(full)}. "
                    f"Its process's cgroup may use {_megabytes(limit)}, and the kernel kills who needs more."
                ),
                advice=(
                    f"Set {option.upper()} to {max(1, int(limit / PART / mean / peers))} at most before bind or connect, which takes half of that memory while it is full; give "
                    "the process more memory; or send large data in parts that are asked for one by one."
                ),
            )


def _add(draft: Draft, socket: SocketState, finding: Finding, moment: Moment) -> None:
    process = draft.processes.get(socket.process)
    if process is None:
        return
    told = {"rule": finding.rule, "text": finding.text, "advice": finding.advice}
    draft.add("finding", {"socket": socket.socket, **told}, process, moment.wall)
    draft.sockets.put(socket.socket, replace(socket, findings=(*socket.findings, finding)))


def _megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f} MB"
