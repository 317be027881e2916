"""Losses of which it is known that the pipe was full from their first message to their last.

Messages of other lanes may pass between two that were dropped, and the pipe may fill again meanwhile, which
is one more onset. In a stream of one lane, a message that passed would be a number of the range.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from hopwatch_judge.events import Onset
from hopwatch_judge.known import Known, by_key
from hopwatch_judge.loss import Loss

NEVER = float("inf")


def unbroken(known: Known, losses: Sequence[Loss]) -> list[bool]:
    """Say of each loss whether it began at an onset, and met neither a later one nor a lost connection."""
    several = [loss for loss in losses if loss.from_socket == loss.stream and _of_several_lanes(known, loss)]
    follows = {
        edge: _next_onsets(known, of_edge)
        for edge, of_edge in by_key(several, lambda loss: loss.edge_of_stream).items()
    }
    return [
        loss.begins_at_onset
        and not _overlaps_a_down(known, loss)
        and (
            not _of_several_lanes(known, loss)
            or _ends_before(loss, follows.get(loss.edge_of_stream, {}).get((loss.lane, loss.first)))
        )
        for loss in losses
    ]


def _of_several_lanes(known: Known, loss: Loss) -> bool:
    """Return False only where the stream is known to have one lane."""
    return len(known.lanes_of.get(loss.stream, ())) != 1


def _ends_before(loss: Loss, next_onset: float | None) -> bool:
    return next_onset is not None and next_onset >= (NEVER if loss.after is None else loss.after)


def _next_onsets(known: Known, losses: Sequence[Loss]) -> dict[tuple[int, int | None], float]:
    """Map lane and number of each onset in an edge's losses to the stream's number at the next, or NEVER."""
    met = {
        onset.number: (onset.lane or 0, onset.lane_number)
        for loss in losses
        for onset in _onsets_in(known, loss)
    }
    numbers = sorted(met)
    following = [*numbers[1:], NEVER]
    return {met[number]: behind for number, behind in zip(numbers, following, strict=False)}


def _onsets_in(known: Known, loss: Loss) -> Iterator[Onset]:
    onsets = known.onsets_in.get((loss.stream, loss.lane), ())
    begin = bisect_left(onsets, loss.first, key=_lane_number)
    yield from onsets[begin : bisect_right(onsets, loss.last, key=_lane_number)]


def _lane_number(onset: Onset) -> int:
    return onset.lane_number or 0


def _overlaps_a_down(known: Known, loss: Loss) -> bool:
    """Say whether the connection, or that of a former peer, was down while some of the range was sent."""
    since, until = loss.before_sent_at, loss.after_sent_at
    link = known.link((loss.from_socket, loss.to_socket))
    return since is not None and any(
        (until is None or down.start <= until) and (down.end is None or down.end >= since)
        for down in (*link.downs, *link.former_downs)
    )
