"""Missing numbers by hop: each range once, however many receivers behind that hop miss it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from hopwatch_judge.known import by_key
from hopwatch_judge.loss import Loss
from hopwatch_judge.losses.standing import Standing
from hopwatch_judge.optional import highest, lowest
from hopwatch_judge.steps import LaneOfReceiver, Piece

PARTS = ("inner", "tail", "head", "all", "unsure")
"""Of receivers that miss the same for different reasons, the first counts."""


def by_hop(pieces: Iterable[Piece], standings: Mapping[LaneOfReceiver, Standing]) -> list[Loss]:
    """One loss a range and hop, in the order of streams, hops, lanes and numbers."""

    @cache
    def of_lanes(lanes: tuple[LaneOfReceiver, ...]) -> _Together:
        return _together([standings[lane] for lane in lanes])

    found = [
        _loss(missed, of_lanes(tuple(each.missing.key for each in missed)))
        for missed in by_key(pieces, _range_of_hop).values()
    ]
    return sorted(
        found, key=lambda loss: (loss.stream, loss.from_socket, loss.to_socket, loss.lane, loss.first)
    )


class _Together(NamedTuple):
    """How far the receivers behind a hop got, as a loss tells it of all of them."""

    moved_at: float | None
    heard_until: float | None
    way_moved_at: float | None
    way_newest_sent_at: float | None
    joined_before: bool
    joined_midway: bool
    got_of_stream: int
    pace: float | None
    reached: int
    got_first_at: float | None
    subscribed_at: float | None
    unsubscribed: bool
    contested: bool
    owed_until: float | None


def _together(theirs: Sequence[Standing]) -> _Together:
    owed = [each.owed for each in theirs]
    until = [each.owed_until for each in owed]
    return _Together(
        moved_at=highest(each.moved_at for each in owed),
        heard_until=lowest(each.heard_until for each in owed),
        way_moved_at=highest(each.way_moved_at for each in theirs),
        way_newest_sent_at=highest(each.way_newest_sent_at for each in theirs),
        joined_before=any(each.joined_before for each in theirs),
        joined_midway=any(each.joined_midway for each in theirs),
        got_of_stream=max(each.got_of_stream for each in theirs),
        pace=highest(each.pace for each in theirs),
        reached=max(each.reached for each in theirs),
        got_first_at=lowest(each.got_first_at for each in owed),
        subscribed_at=lowest(each.subscribed_at for each in owed),
        unsubscribed=any(each.unsubscribed for each in owed),
        contested=any(each.contested for each in owed),
        owed_until=None if None in until else highest(until),
    )


def _range_of_hop(piece: Piece) -> tuple[str, int, int, int, str, str, bool]:
    missing = piece.missing
    numbers = (missing.stream, missing.lane, missing.first, missing.last)
    return (*numbers, piece.from_socket, piece.to_socket, piece.hop_known)


def _loss(missed: Sequence[Piece], receivers: _Together) -> Loss:
    ranges = [each.missing for each in missed]
    first_seen = min(
        (each for each in ranges if each.seen_at is not None),
        key=lambda each: each.seen_at or 0.0,
        default=None,
    )
    one = ranges[0]
    return Loss(
        stream=one.stream,
        lane=one.lane,
        first=one.first,
        last=one.last,
        from_socket=missed[0].from_socket,
        to_socket=missed[0].to_socket,
        hop_known=missed[0].hop_known,
        part=min((each.part for each in ranges), key=PARTS.index),
        before=highest(each.before for each in ranges),
        after=lowest(each.after for each in ranges),
        before_sent_at=highest(each.before_sent_at for each in ranges),
        after_sent_at=lowest(each.after_sent_at for each in ranges),
        seen_at=first_seen and first_seen.seen_at,
        seen_by=first_seen and first_seen.receiver,
        took_over=any(each.took_over for each in missed),
        sparse=any(each.sparse for each in ranges),
        whole_first=one.first,
        **receivers._asdict(),
    )
