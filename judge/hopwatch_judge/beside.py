"""What a case shows beside its losses: lanes whose counts contradict each other, and full pipes that nobody known lacks a message of."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from hopwatch_judge.known import Known
from hopwatch_judge.ranges import Range, Ranges, merged
from hopwatch_judge.steps import Expected, Missing

BEHIND = 1
"""A sender's count is bumped after its send returned: one that was killed may have sent one message more."""


class BeyondSent(NamedTuple):
    """A lane of which a receiver has more messages than its sender, by its own last word, sent, or has and lacks more."""

    stream: str
    lane: int
    receiver: str
    sent_at_last: int
    came: int
    lacking: int | None
    next: int


class UnknownFull(NamedTuple):
    """How many onsets a stream met of messages that no receiver lacks, as far as that is known."""

    stream: str
    times: int


def beyond_sent(known: Known, missing: Iterable[Missing]) -> Iterator[BeyondSent]:
    """All such lanes, of messages that bear numbers."""
    lacking: defaultdict[tuple[str, str, int], int] = defaultdict(int)
    for each in missing:
        lacking[each.key] += each.last - each.first + 1
    for receipt in known.case.receipts:
        lane = known.lane.get((receipt.stream, receipt.lane))
        if lane is None or lane.sent_at_last is None or receipt.by_count:
            continue
        lacked = lacking.get((receipt.stream, receipt.receiver, receipt.lane))
        if max(receipt.next, receipt.count + (lacked or 0)) > lane.sent_at_last + BEHIND:
            ends = (receipt.stream, receipt.lane, receipt.receiver)
            yield BeyondSent(*ends, lane.sent_at_last, receipt.count, lacked, receipt.next)


def unknown_full(known: Known, expected: Expected) -> Iterator[UnknownFull]:
    """By stream. Where counts alone tell what is missing, any message may be: such streams are left out."""
    by_count = {each.stream for each in expected.unlocated}
    lacked = _lacked(expected.missing)
    sparse = _lacked(_around_sparse(expected.missing))
    any_lane = {stream for stream, _ in lacked}
    for stream, onsets in known.onsets_of.items():
        if stream in by_count:
            continue
        times = {
            onset.number
            for onset in onsets
            if not _holds(lacked.get((stream, onset.lane)), onset.lane_number)
            and not _holds(sparse.get((stream, onset.lane)), onset.number)
            and (onset.lane_number is not None or stream not in any_lane)
        }
        if times:
            yield UnknownFull(stream, len(times))


def _lacked(missing: Iterable[Missing]) -> dict[tuple[str, int | None], Ranges]:
    found: defaultdict[tuple[str, int | None], list[Range]] = defaultdict(list)
    for each in missing:
        found[each.stream, each.lane].append((each.first, each.last))
    return {lane: merged(ranges) for lane, ranges in found.items()}


def _around_sparse(missing: Sequence[Missing]) -> Iterator[Missing]:
    """Between which numbers of the stream those lie of which it is not known which ones are missing."""
    for each in missing:
        if each.sparse and each.before is not None and each.after is not None:
            yield each._replace(first=each.before + 1, last=each.after - 1)


def _holds(ranges: Ranges | None, number: int | None) -> bool:
    if not ranges or number is None:
        return False
    at = bisect_right(ranges, number, key=_first)
    return at > 0 and ranges[at - 1][1] >= number


def _first(each: Range) -> int:
    return each[0]
