"""The sums of each series: of the sockets that are kept, and of those that are not any more.

All is read off committed states. What was told once is in the database: after a kill of the agent no sum is lower.
"""

from collections import Counter
from dataclasses import dataclass, field

from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.series import Series, parts_of
from hopwatch_agent.live.state import ConnectionState, SocketState, TotalState
from hopwatch_agent.records import INT64_MAX
from hopwatch_agent.telemetry.attributes import Attributes, attributes_of
from hopwatch_agent.telemetry.snapshot import Taken

PENDING_SENDS = COUNTERS.index("pending_sends")
LOST, UNROUTABLE = COUNTERS.index("lost"), COUNTERS.index("unroutable")
SHOWN_STATES = ("connected", "ready", "retrying", "refused")


@dataclass
class Sums:
    """Of one series. ``parts``: None for all that there was no room for; ``since``: nanoseconds since 1970.

    ``counters`` (but for those that may fall) and ``connections`` only grow, in the order of ``COUNTERS`` and ``CONNECTION_COUNTS``; the rest is as it is now.
    """

    parts: Series | None
    attributes: Attributes
    since: int
    counters: list[int]
    connections: list[int]
    open_sockets: int = 0
    pending_sends: int = 0
    states: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)


def sums_of(taken: Taken) -> dict[str, Sums]:
    """The sums of every series, by its text."""
    found = {series: _begun(total) for series, total in taken.totals.items()}
    in_use: dict[str, Sums] = {}
    for socket in taken.sockets:
        sums = found.get(socket.series)
        if sums is None:
            sums = found[socket.series] = _begun(TotalState(socket.series, socket.opened_at))
        sums.counters = _added(sums.counters, socket.counters)
        sums.connections = _added(sums.connections, socket.connections)
        if taken.is_open(socket):
            in_use[socket.socket] = sums
            _add_present(sums, socket)
    for connection in taken.connections:
        _add_connection(in_use.get(connection.socket), connection)
    return found


def missing_by_cause(sums: Sums) -> dict[str, int]:
    """Messages missing, by the cause as far as one agent knows it: why a receiver misses one follows from both ends."""
    return {"unexplained": sums.counters[LOST], "unroutable": sums.counters[UNROUTABLE]}


def _begun(total: TotalState) -> Sums:
    parts = parts_of(total.series)
    return Sums(parts, attributes_of(parts), total.since, list(total.counters), list(total.connections))


def _added(before: list[int], more: tuple[int, ...]) -> list[int]:
    return [min(old + new, INT64_MAX) for old, new in zip(before, more, strict=True)]


def _add_present(sums: Sums, socket: SocketState) -> None:
    sums.open_sockets += 1
    sums.pending_sends = min(sums.pending_sends + socket.counters[PENDING_SENDS], INT64_MAX)
    sums.findings.update(finding.rule for finding in socket.findings)


def _add_connection(sums: Sums | None, connection: ConnectionState) -> None:
    if sums is not None and connection.state in SHOWN_STATES:
        sums.states[connection.state] += 1
