"""What the kernel tells of the TCP connections of each series.

The kernel counts by connection, from when it came up. What these counts have grown by is added up here, from one collection to the
next, since the agent was started: what a connection counts after the last collection before its end is left out.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from hopwatch_agent.kernel.records import Tcp, TcpState
from hopwatch_agent.live.state import ConnectionKey
from hopwatch_agent.telemetry.attributes import LIMIT, Attributes
from hopwatch_agent.telemetry.snapshot import Taken


@dataclass(frozen=True)
class Grown:
    """A counter of each series, or, with ``more`` attributes, a part of one."""

    name: str
    unit: str
    text: str
    read: Callable[[Tcp], float | None]
    more: Attributes = field(default_factory=dict)


OWN_RECEIVER = "own_receiver"
"""It is this end that does not read: the other one is told to be limited by its receiver."""
_LIMITED = "Time with data to send in which something else than the network kept it waiting."
GROWN = (
    Grown("hopwatch.tcp.sent.segments", "{segment}", "Segments sent.", lambda tcp: tcp.segments_sent),
    Grown(
        "hopwatch.tcp.retransmissions",
        "{segment}",
        "Segments that were sent again.",
        lambda tcp: tcp.retransmissions,
    ),
    Grown("hopwatch.tcp.busy.time", "s", "Time with data to send.", lambda tcp: _seconds(tcp.busy_us)),
    Grown(
        "hopwatch.tcp.limited.time",
        "s",
        _LIMITED,
        lambda tcp: _seconds(tcp.receiver_limited_us),
        {LIMIT: "receiver"},
    ),
    Grown(
        "hopwatch.tcp.limited.time",
        "s",
        _LIMITED,
        lambda tcp: _seconds(tcp.send_buffer_limited_us),
        {LIMIT: "send_buffer"},
    ),
)
"""The parts of one name stand together."""


def _seconds(microseconds: int | None) -> float | None:
    return None if microseconds is None else microseconds / 1e6


@dataclass
class TcpNow:
    """The connections of one series at this moment. Seconds and bytes; ``limits``: how many are limited by what."""

    longest_rtt: float | None = None
    send_queue: int = 0
    receive_queue: int = 0
    limits: Counter[str] = field(default_factory=Counter)

    def add(self, state: TcpState) -> None:
        """One more connection."""
        rtt = _seconds(state.tcp.rtt_us)
        if rtt is not None:
            self.longest_rtt = max(rtt, self.longest_rtt or 0.0)
        self.send_queue += state.tcp.send_queue
        self.receive_queue += state.tcp.receive_queue
        self.limits[OWN_RECEIVER if state.limit.here else state.limit.by] += 1


class TcpSums:
    """Follows the connections from one collection to the next."""

    def __init__(self) -> None:
        self.now: dict[str, TcpNow] = {}
        self.grown: dict[int, dict[str, float]] = {place: {} for place in range(len(GROWN))}
        """By place in ``GROWN`` and series."""
        self._last: dict[ConnectionKey, list[float | None]] = {}

    def update(self, taken: Taken) -> None:
        """Takes the newest readings."""
        series = {socket.socket: socket.series for socket in taken.sockets}
        came_up = {(each.socket, str(each.connection)): each.since for each in taken.connections}
        now: defaultdict[str, TcpNow] = defaultdict(TcpNow)
        # of one that could not be read just now the next reading goes on from the last
        last = {key: values for key, values in self._last.items() if key in came_up}
        for key, state in taken.kernel.tcp.items():
            if key[0] in series:
                now[series[key[0]]].add(state)
                values = [grown.read(state.tcp) for grown in GROWN]
                is_new = came_up.get(key, 0) >= taken.progress.started_at
                self._grow(series[key[0]], values, self._last.get(key), is_new=is_new)
                last[key] = values
        self.now, self._last = dict(now), last
        known = {*series.values(), *taken.totals}
        self.grown = {
            place: {of: value for of, value in sums.items() if of in known}
            for place, sums in self.grown.items()
        }

    def _grow(
        self, series: str, values: list[float | None], before: list[float | None] | None, *, is_new: bool
    ) -> None:
        if before is None:
            # what an older connection counted was told by the agent that ran before
            before = [0.0] * len(values) if is_new else values
        for place, (value, then) in enumerate(zip(values, before, strict=True)):
            if value is not None:
                sums = self.grown[place]
                sums[series] = sums.get(series, 0) + max(0, value - (then or 0))
