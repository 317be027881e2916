"""What the kernel at the sending end said limited a hop while it lost messages: the receiver that does not read, or the way there."""

from bisect import bisect_right
from collections.abc import Sequence

from hopwatch_judge.events import Reading

NETWORK, RECEIVER, UNKNOWN = "network", "receiver", "unknown"
COVERED_SECONDS = 1
"""What a reading says is about the second before it."""
HOLDS_SECONDS = 30
"""A reading is landed when something else limits, and every ten seconds while the figures change."""
FIRST_WITHIN_SECONDS = 5
"""A connection that has just come up is read for the first time after a second or two."""
FIRST_WORD_WITHIN_SECONDS = 15
"""It takes two readings to tell the network from a receiver whose buffers are only filling, and an agent with much to read does so every six seconds."""


class Kernel:
    """The readings of one hop."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        in_order = sorted(readings, key=lambda each: each.at)
        self._all = _Line(in_order)
        self._told = _Line([each for each in in_order if each.limited_by not in (None, UNKNOWN)])
        self._limits = _Line([each for each in in_order if each.limited_by in (NETWORK, RECEIVER)])

    def limit(self, lost_at: float | None, *, may_come_late: bool) -> str | None:
        """What limited the hop when something was lost: "network", "receiver", "neither"; None: nobody told.

        "unknown" leaves it at what was told before. Something limits a pipe that is full: where the kernel last said that nothing did, what it
        said next is meant, if it said so soon. Where it had said nothing yet, and says later that it was the network, that counts if
        it ``may_come_late``.
        """
        if lost_at is None:
            return None
        place = lost_at + COVERED_SECONDS
        told = self._told.before(place)
        holds = told is not None and abs(told.at - lost_at) <= HOLDS_SECONDS
        if told is not None and holds and told.limited_by in (NETWORK, RECEIVER):
            return told.limited_by
        soon = self._limits.behind(place)
        if soon is not None and abs(soon.at - lost_at) <= FIRST_WITHIN_SECONDS:
            return soon.limited_by
        if may_come_late and self._first_word_is_network(place, lost_at):
            return NETWORK
        return told.limited_by if told is not None and holds else None

    def _first_word_is_network(self, place: float, lost_at: float) -> bool:
        last, next_ = self._all.before(place), self._all.behind(place)
        had_no_word = self._told.before(place) is None or (last is not None and last.limited_by == UNKNOWN)
        knew_not_yet = (
            next_ is not None
            and next_.limited_by == UNKNOWN
            and abs(next_.at - lost_at) <= FIRST_WITHIN_SECONDS
        )
        word = self._told.behind(place)
        in_time = word is not None and abs(word.at - lost_at) <= FIRST_WORD_WITHIN_SECONDS
        return (had_no_word or knew_not_yet) and in_time and word is not None and word.limited_by == NETWORK


class _Line:
    def __init__(self, in_order: Sequence[Reading]) -> None:
        self._readings = in_order
        self._times = [each.at for each in in_order]

    def before(self, place: float) -> Reading | None:
        at = bisect_right(self._times, place)
        return self._readings[at - 1] if at else None

    def behind(self, place: float) -> Reading | None:
        at = bisect_right(self._times, place)
        return self._readings[at] if at < len(self._times) else None


NOTHING_READ = Kernel(())
