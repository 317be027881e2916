"""The window cut into a bounded number of equal stretches of time, and what happened on each hop in each of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

MOST_BUCKETS = 60
MINUTE, HOUR, DAY = 60, 3600, 86400
WIDTHS = (
    *(1, 2, 5, 10, 15, 30),
    *(MINUTE * minutes for minutes in (1, 2, 5, 10, 15, 30)),
    *(HOUR * hours for hours in (1, 2, 3, 6, 12)),
)
"""Seconds that people count in; longer windows are cut into whole days."""

Counts = tuple[int, ...]


@dataclass(frozen=True)
class Buckets:
    """``count`` stretches of ``seconds`` each, from ``begins_at`` on."""

    begins_at: datetime
    seconds: int
    count: int

    @property
    def ends_at(self) -> datetime:
        return self.start_of(self.count)

    def start_of(self, bucket: int) -> datetime:
        return self.begins_at + timedelta(seconds=self.seconds * bucket)


@dataclass(frozen=True)
class HopHistory:
    """One hop's messages and events, by bucket; ``sent`` and ``received`` are None where nobody counted them."""

    hop: str
    lost: Counts
    onsets: Counts
    reconnects: Counts
    sent: Counts | None
    received: Counts | None
    lost_at_other_times: int = 0
    """Before the window, or nobody knows when."""


@dataclass(frozen=True)
class Timeline:
    """The hops that lost most, the worst first, and how many others there are."""

    buckets: Buckets
    hops: Sequence[HopHistory]
    hops_left_out: int


def buckets_of(begins_at: datetime, ends_at: datetime) -> Buckets:
    """Buckets that hold both moments, and begin at a time that a clock shows."""
    took = max((ends_at - begins_at).total_seconds(), 0.0)
    for width in (*WIDTHS, ceil(took / (MOST_BUCKETS - 1) / DAY) * DAY):
        start = begins_at.timestamp() // width * width
        count = int((ends_at.timestamp() - start) // width) + 1
        if count <= MOST_BUCKETS:
            break
    return Buckets(datetime.fromtimestamp(start, begins_at.tzinfo), width, max(count, 1))
