"""The timeline of one hop as four tracks over the same time: what was lost, onsets, reconnections, and rates."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from hopwatch_analysis.page.wording import several
from hopwatch_analysis.terms.buckets import DAY, Buckets, Counts, HopHistory

LOST_HEIGHT, MARK_HEIGHT, RATE_HEIGHT, GAP = 40.0, 7.0, 34.0, 7.0
BASELINES = (
    GAP + LOST_HEIGHT,
    2 * GAP + LOST_HEIGHT + MARK_HEIGHT / 2,
    3 * GAP + LOST_HEIGHT + 1.5 * MARK_HEIGHT,
    4 * GAP + LOST_HEIGHT + 2 * MARK_HEIGHT + RATE_HEIGHT,
)
TALLEST = 4 * GAP + LOST_HEIGHT + 2 * MARK_HEIGHT + RATE_HEIGHT + 1


@dataclass(frozen=True)
class Bar:
    """One bucket's bar: ``bucket`` is its place, one wide."""

    bucket: int
    y: float
    height: float


@dataclass(frozen=True)
class Chart:
    """Tracks in units of one bucket across and one pixel down."""

    history: HopHistory
    lost: Sequence[Bar]
    onsets: Sequence[Bar]
    reconnects: Sequence[Bar]
    sent: str
    received: str
    top_lost: int
    top_rate: float
    summary: str

    @property
    def total(self) -> int:
        return sum(self.history.lost) + self.history.lost_at_other_times


def chart_of(history: HopHistory, buckets: Buckets) -> Chart:
    """What is drawn of one hop."""
    top_rate = max((*(history.sent or ()), *(history.received or ()), 0))
    below = GAP + LOST_HEIGHT + GAP
    rates = below + 2 * (MARK_HEIGHT + GAP)
    return Chart(
        history=history,
        lost=_bars(history.lost, GAP, LOST_HEIGHT),
        onsets=_marks(history.onsets, below),
        reconnects=_marks(history.reconnects, below + MARK_HEIGHT + GAP),
        sent=_line(history.sent, top_rate, rates),
        received=_line(history.received, top_rate, rates),
        top_lost=max(history.lost, default=0),
        top_rate=top_rate / buckets.seconds,
        summary=_summary(history, buckets),
    )


def ticks(buckets: Buckets) -> list[str]:
    """Labels for the beginning, the middle and the end of the window."""
    times = [
        buckets.begins_at,
        buckets.begins_at + (buckets.ends_at - buckets.begins_at) / 2,
        buckets.ends_at,
    ]
    return [_clock(time, buckets) for time in times]


def width_of(buckets: Buckets) -> str:
    """How long one bucket is, in words."""
    for seconds, unit in ((DAY, "day"), (3600, "hour"), (60, "minute")):
        if buckets.seconds % seconds == 0:
            return several(buckets.seconds // seconds, unit)
    return several(buckets.seconds, "second")


def rate(value: float) -> str:
    """Messages a second, with a figure behind the point only where it says something."""
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"


def _clock(time: datetime, buckets: Buckets) -> str:
    if buckets.seconds * buckets.count > DAY:
        return f"{time:%m-%d %H:%M}"
    return f"{time:%H:%M:%S}"


def _bars(counts: Counts, y: float, height: float) -> list[Bar]:
    """At least two pixels for what is not nothing."""
    top = max(counts, default=0)
    tall = [(bucket, max(2.0, height * count / top)) for bucket, count in enumerate(counts) if count]
    return [Bar(bucket, round(y + height - own, 1), round(own, 1)) for bucket, own in tall]


def _marks(counts: Counts, y: float) -> list[Bar]:
    return [Bar(bucket, y, MARK_HEIGHT) for bucket, count in enumerate(counts) if count]


def _line(counts: Counts | None, top: int, y: float) -> str:
    if not counts or not top:
        return ""
    points = [(bucket + 0.5, y + RATE_HEIGHT * (1 - count / top)) for bucket, count in enumerate(counts)]
    points = [(0.0, points[0][1]), *points, (float(len(counts)), points[-1][1])]
    return " ".join(f"{x:g},{y:.1f}" for x, y in points)


def _summary(history: HopHistory, buckets: Buckets) -> str:
    """The chart in a sentence, for who does not see it."""
    lossy = [bucket for bucket, count in enumerate(history.lost) if count]
    if not lossy:
        text = "nothing lost in this time"
    else:
        first, last = (_clock(buckets.start_of(bucket), buckets) for bucket in (lossy[0], lossy[-1] + 1))
        text = f"{several(sum(history.lost), 'message')} lost between {first} and {last}"
    return (
        f"{text}; {several(sum(history.onsets), 'onset')}; {several(sum(history.reconnects), 'reconnection')}"
    )
