"""Streams of a large fleet as arrays: when messages are sent, which are lost on the way to a receiver, how far each end has got.

A stream's messages are numbered from 0 and go to its lanes in turn; nothing is kept of a single message.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Seconds = NDArray[np.float64]

NONE: Numbers = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Pace:
    """``burst`` messages at once, every ``every`` seconds, from ``begins`` to ``ends`` (seconds of the hour)."""

    every: float
    burst: int
    begins: float
    ends: float

    @property
    def total(self) -> int:
        return int((self.ends - self.begins) / self.every) * self.burst

    def sent_by(self, at: Seconds) -> Numbers:
        """How many messages were sent until then."""
        bursts = np.floor((at - self.begins) / self.every).astype(np.int64)
        return np.clip(bursts * self.burst, 0, self.total)

    def sent_at(self, number: Numbers) -> Seconds:
        """When a message was sent."""
        return self.begins + self.every * (number // self.burst + 1)


@dataclass(frozen=True)
class Drops:
    """Runs of numbers ``[first, last]`` that did not get through, in order and apart from one another."""

    first: Numbers = field(default_factory=lambda: NONE)
    last: Numbers = field(default_factory=lambda: NONE)

    @cached_property
    def _lost_until(self) -> Numbers:
        return np.concatenate([[0], np.cumsum(self.last - self.first + 1)])

    @property
    def total(self) -> int:
        return int(self._lost_until[-1])

    def got_of(self, position: Numbers) -> Numbers:
        """How many of the first ``position`` messages got through."""
        begun = np.searchsorted(self.first, position)
        cut = np.where(begun > 0, np.maximum(np.append(self.last, 0)[begun - 1] + 1 - position, 0), 0)
        return position - self._lost_until[begun] + cut

    def position_of(self, got: Numbers) -> Numbers:
        """One past the number of the last one of so many messages that got through."""
        lost = np.searchsorted(self.first - self._lost_until[:-1], got - 1, side="right")
        return np.where(got > 0, got + self._lost_until[lost], 0)

    def of_lane(self, lane: int, lanes: int) -> "Drops":
        """The same in the numbers of one of the lanes."""
        first, last = -(-(self.first - lane) // lanes), (self.last - lane) // lanes
        some = first <= last
        return Drops(first[some], last[some])

    def __or__(self, other: "Drops") -> "Drops":
        """Both; their runs must not touch."""
        order = np.argsort(np.concatenate([self.first, other.first]))
        return Drops(
            np.concatenate([self.first, other.first])[order], np.concatenate([self.last, other.last])[order]
        )


def drawn_drops(chance: np.random.Generator, total: int, count: int, share: float, *, half: int = 0) -> Drops:
    """``count`` runs, one in each of as many stretches of a stream, a ``share`` of it in all. Those of the two halves never touch."""
    stretch = total // count
    length = np.maximum(1, (share * stretch * chance.uniform(0.5, 1.5, count)).astype(np.int64))
    room = stretch // 2
    length = np.minimum(length, room - 8)
    start = 4 + half * room + (chance.random(count) * (room - 6 - length)).astype(np.int64)
    first = np.arange(count) * stretch + start
    return Drops(first, first + length - 1)
