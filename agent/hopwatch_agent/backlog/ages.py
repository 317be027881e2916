"""Since when messages have been waiting, by what the counts were a second ago, and before."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter

from msgspec import Struct

from hopwatch_agent.backlog.read import TwoReadings
from hopwatch_agent.backlog.shown import Backlog
from hopwatch_agent.backlog.waiting import Waiting
from hopwatch_agent.live.state import LaneKey

LANES_REMEMBERED = 1_000
MOST_REMEMBERED = 32
NOTHING = Backlog(0, 0, 0.0, 0.0)


class Sample(Struct, frozen=True, gc=False):
    """So many messages had been numbered at a moment between two (monotonic seconds)."""

    before: float
    after: float
    count: int


@dataclass(frozen=True)
class Now:
    """The moment up to which counts were read: of the monotonic clock (seconds), and the wall clock (nanoseconds since 1970)."""

    after: float
    wall: int


class Ages:
    """Remembers the counts of senders for as long as messages wait, more coarsely the longer ago."""

    def __init__(self) -> None:
        self._samples: dict[LaneKey, list[Sample]] = {}
        self._newest: dict[LaneKey, Sample] = {}

    def backlogs(
        self, waiting: Mapping[LaneKey, Waiting], readings: TwoReadings, now: Now
    ) -> dict[LaneKey, Backlog]:
        """What waits, with its age."""
        sending = {_sending(key) for key in waiting}
        busy = {_sending(key) for key, found in waiting.items() if found.at_most}
        counts = readings.first.lanes
        newest = {
            key: Sample(*span, counts[key][0])
            for key in sending
            if key in counts and (span := readings.span(key)) is not None
        }
        self._samples = {key: samples for key, samples in self._samples.items() if key in busy}
        for key in busy & newest.keys():
            self._remember(key, newest[key])
        self._newest = newest
        return {key: self._with_age(key, found, now) for key, found in waiting.items()}

    def _remember(self, key: LaneKey, sample: Sample) -> None:
        samples = self._samples.get(key)
        if samples is None:
            if len(self._samples) >= LANES_REMEMBERED:
                return
            before = self._newest.get(key)
            samples = self._samples[key] = [] if before is None else [before]
        if not samples or samples[-1].count != sample.count:
            samples.append(sample)
        if len(samples) > MOST_REMEMBERED:
            del samples[1 : MOST_REMEMBERED // 2 : 2]

    def _with_age(self, key: LaneKey, found: Waiting, now: Now) -> Backlog:
        if not found.at_most:
            return NOTHING
        samples = self._samples.get(_sending(key), [])
        # the counts only grow: up to this place the oldest message was not there yet
        place = bisect_right(samples, found.seen, key=attrgetter("count"))
        there = samples[place].after if place < len(samples) and found.at_least else now.after
        longest = [now.after - samples[place - 1].before] if place else []
        if found.newest_sent_at:
            longest.append((now.wall - found.newest_sent_at) / 1e9)
        at_most = max(0.0, min(longest)) if longest and not found.shared else None
        return Backlog(found.at_most, found.at_least, now.after - there, at_most)


def _sending(key: LaneKey) -> LaneKey:
    return (key[1], key[1], key[2])
