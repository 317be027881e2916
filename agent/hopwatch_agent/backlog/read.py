"""What was read of lanes at two ticks, and when: no two processes are read at the same moment, and some not at every tick.

What a sender has numbered and its receivers have seen are compared only where it is known which was read first.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from hopwatch_agent.live.state import LaneKey, SocketState

Numbers = tuple[int, ...]


class Span(NamedTuple):
    """Something was read between these moments (monotonic seconds)."""

    before: float
    after: float


NEVER = Span(0.0, 0.0)


@dataclass(frozen=True)
class LanesRead:
    """The numbers of the lanes in use as they were read last up to a tick, and by process when that was."""

    lanes: Mapping[LaneKey, Numbers]
    spans: Mapping[str, Span]


@dataclass(frozen=True)
class TwoReadings:
    """Those of a tick and of the one after it."""

    first: LanesRead
    second: LanesRead
    sockets: Mapping[str, SocketState]

    def span(self, key: LaneKey) -> Span | None:
        """When the lane's end was read for the first of the two; None: not known."""
        return self._span(key, self.first)

    def sent_by_then(self, sending: LaneKey, receiving: Iterable[LaneKey]) -> int | None:
        """No less than the sender had numbered when the first of the two was read of all its receivers; None: not known."""
        spans = [self.span(key) for key in receiving]
        latest = max((span.after for span in spans if span is not None), default=0.0)
        found = None if None in spans else self._not_before(latest, sending)
        return None if found is None else found[0]

    def received_by_then(self, receiving: LaneKey, sending: LaneKey) -> Numbers | None:
        """Of a receiver: no less than it had seen when the first of the two was read of its sender; None: not known."""
        span = self.span(sending)
        return None if span is None else self._not_before(span.after, receiving)

    def _not_before(self, moment: float, key: LaneKey) -> Numbers | None:
        for read in (self.first, self.second):
            span = self._span(key, read)
            if span is not None and span.before >= moment and key in read.lanes:
                return read.lanes[key]
        return None

    def _span(self, key: LaneKey, read: LanesRead) -> Span | None:
        socket = self.sockets.get(key[0])
        return None if socket is None else read.spans.get(socket.process)
