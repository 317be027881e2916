"""Ends of lanes cut at the onset that was this hop's: behind it the pipe was full, before it was not.

A sender does not say whose pipe was full. An end that begins at an onset met it. One inside is doubtful where others lack its
message too, or may, if both marks together hold the whole end: then it may all be queued, or have been.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hopwatch_judge.events import Onset
from hopwatch_judge.known import Known, by_key
from hopwatch_judge.loss import Loss

ENDS = ("tail", "all")


def cut_at_onsets(known: Known, losses: Sequence[Loss]) -> list[Loss]:
    """The losses with what is known of onsets in them; ends of lanes in two where the sender's pipe became full inside."""
    found: list[Loss] = []
    for (stream, lane), of_lane in by_key(losses, lambda loss: (loss.stream, loss.lane)).items():
        onsets = known.onsets_in.get((stream, lane), ())
        begins = {onset.lane_number for onset in onsets}
        own = [loss for loss in of_lane if loss.from_socket == stream]
        lacking = by_key(own, lambda loss: loss.to_socket)
        for loss in of_lane:
            from_sender = loss.from_socket == stream
            met = from_sender and loss.first in begins
            marked = replace(loss, begins_at_onset=True) if met else loss
            is_end = from_sender and loss.hop_known and loss.part in ENDS
            found += _cut(known, marked, _inside(loss, onsets), lacking) if is_end and onsets else [marked]
    return found


def _inside(loss: Loss, onsets: Sequence[Onset]) -> Iterator[Onset]:
    """Each place once, with its lowest number in the stream."""
    last_place = None
    start = bisect_right(onsets, loss.first - 1, key=lambda onset: onset.lane_number or 0)
    for onset in onsets[start:]:
        if (onset.lane_number or 0) > loss.last:
            return
        if onset.lane_number != last_place:
            last_place = onset.lane_number
            yield onset


def _cut(known: Known, loss: Loss, inside: Iterator[Onset], lacking: Mapping[str, list[Loss]]) -> list[Loss]:
    others_may = (
        known.socket(loss.from_socket).has_strangers or known.socket(loss.from_socket).may_have_strangers
    )
    fits = _marks_hold(known, loss)
    doubtful = False
    for onset in inside:
        place = onset.lane_number or 0
        lack_it = {to: each for to, theirs in lacking.items() if (each := _holding(theirs, place))}
        begun_there = {to for to, each in lack_it.items() if each.first == place}
        if begun_there and loss.to_socket not in begun_there:
            continue
        if place > loss.first and fits and (len(lack_it) > 1 or others_may):
            doubtful = True
            continue
        return _halves(replace(loss, maybe_dropped=doubtful), onset)
    return [replace(loss, maybe_dropped=doubtful)]


def _halves(loss: Loss, onset: Onset) -> list[Loss]:
    place = onset.lane_number or 0
    met = replace(loss, onset_number=onset.number, onset_at=onset.at)
    if place == loss.first:
        return [replace(met, begins_at_onset=True)]
    return [
        replace(met, last=place - 1),
        replace(met, first=place, begins_at_onset=True),
    ]


def _holding(losses: Sequence[Loss], place: int) -> Loss | None:
    """The last of an edge's losses of a lane that begins no later, if it holds the number."""
    at = bisect_right(losses, place, key=lambda loss: loss.first)
    return losses[at - 1] if at and losses[at - 1].last >= place else None


def _marks_hold(known: Known, loss: Loss) -> bool:
    """Both marks together hold the whole end; so they do where one of them is not known, or unlimited."""
    sndhwm, rcvhwm = known.socket(loss.from_socket).sndhwm, known.socket(loss.to_socket).rcvhwm
    if not sndhwm or not rcvhwm:
        return True
    return loss.last - loss.first < sndhwm + rcvhwm
