"""What each receiver is owed of each lane: the numbers that were sent while it was there to be sent them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from hopwatch_judge.case import Lane, Receipt, Way
from hopwatch_judge.expected.left import WrittenAtEvents, reached_when_left, written_at_events
from hopwatch_judge.expected.subscriptions import Subscription, covered, subscriptions
from hopwatch_judge.expected.unsubscribed import Ends, ends_of_unsubscribed
from hopwatch_judge.known import Known, by_key
from hopwatch_judge.optional import lowest
from hopwatch_judge.socket_types import BALANCED_TYPES, FILTERED_TYPES
from hopwatch_judge.steps import LaneOfReceiver, Owed


@dataclass(frozen=True, slots=True)
class Candidate:
    """A lane that a receiver may be owed, with what came of it.

    ``came``: how many came behind the last stamp, which are taken for the numbers next to it. ``wanted``: it was subscribed to at the end, or did not
    need to be. ``located``: nothing came, and its ROUTER is known to have had it for this receiver all the same.
    """

    way: Way
    lane: Lane
    receipt: Receipt
    came: int
    subscription: Subscription | None
    wanted: bool
    located: bool

    @property
    def next(self) -> int:
        return self.receipt.next + self.came

    @property
    def unsubscribed_at(self) -> float | None:
        return None if self.wanted or self.subscription is None else self.subscription.until


def owed(known: Known, located: AbstractSet[LaneOfReceiver]) -> dict[LaneOfReceiver, Owed]:
    """Return the checked lanes of each way. Of a ROUTER's lanes each is its peer's: one that got something of it, or that of ``located``."""
    events = written_at_events(known)
    due = (_owed(known, candidate, events) for candidate in _candidates(known, located))
    return {each.key: each for each in due}


def _candidates(known: Known, located: AbstractSet[LaneOfReceiver]) -> Iterator[Candidate]:
    """Yield lanes of all streams but the load-balanced ones."""
    theirs = by_key(located, lambda lane: lane[:2])
    for stream, ways in known.ways_of.items():
        sender = known.socket(stream)
        if sender.type in BALANCED_TYPES:
            continue
        lanes = known.lanes_of.get(stream, [])
        by_topic = sorted(lanes, key=lambda lane: lane.topic)
        for way in ways:
            if sender.type == "ROUTER":
                yield from _of_router(known, way, theirs.get((stream, way.receiver), ()))
            elif known.socket(way.receiver).type in FILTERED_TYPES:
                yield from _filtered(known, way, by_topic)
            else:
                yield from _of_lanes(known, way, lanes)


def _of_router(known: Known, way: Way, located: Iterable[LaneOfReceiver]) -> Iterator[Candidate]:
    theirs = {lane for _, _, lane in located}
    got = {receipt.lane for receipt in known.receipts_of.get((way.stream, way.receiver), ())}
    yield from _of_lanes(known, way, _lanes(known, way.stream, got | theirs), theirs)


def _of_lanes(
    known: Known, way: Way, lanes: Iterable[Lane], located: Collection[int] = ()
) -> Iterator[Candidate]:
    for lane in _checked(known, way, lanes):
        yield _candidate(known, way, lane, located=lane.lane in located)


def _filtered(known: Known, way: Way, by_topic: Sequence[Lane]) -> Iterator[Candidate]:
    """Yield lanes that the receiver has or had subscribed to, or has messages of."""
    rows = known.subscribed_by.get(way.receiver, ())
    topics = subscriptions(rows, known.socket(way.receiver).first_up_at)
    told = covered(topics, by_topic)
    got = {receipt.lane for receipt in known.receipts_of.get((way.stream, way.receiver), ())}
    for lane in _checked(known, way, _lanes(known, way.stream, got | told.keys())):
        subscription = told.get(lane.lane)
        stands = subscription is not None and subscription.stands
        yield _candidate(known, way, lane, subscription, wanted=stands or not rows)


def _lanes(known: Known, stream: str, lanes: Iterable[int]) -> Iterator[Lane]:
    return (known.lane[stream, lane] for lane in sorted(lanes) if (stream, lane) in known.lane)


def _checked(known: Known, way: Way, lanes: Iterable[Lane]) -> Iterator[Lane]:
    not_checked = known.case.not_checked
    return (lane for lane in lanes if (way.stream, way.receiver, lane.lane) not in not_checked)


def _candidate(
    known: Known,
    way: Way,
    lane: Lane,
    subscription: Subscription | None = None,
    *,
    wanted: bool = True,
    located: bool = False,
) -> Candidate:
    key = way.stream, way.receiver, lane.lane
    receipt = known.receipt.get(key) or Receipt(way.stream, lane.lane, way.receiver)
    came = min(receipt.since, max(0, lane.sent - receipt.next))
    return Candidate(way, lane, receipt, came, subscription, wanted, located)


def _owed(known: Known, candidate: Candidate, events: WrittenAtEvents) -> Owed:
    way, lane, receipt = candidate.way, candidate.lane, candidate.receipt
    ends = _ends(known, candidate, events)
    return Owed(
        stream=way.stream,
        receiver=way.receiver,
        lane=lane.lane,
        length=way.length,
        count=receipt.count + candidate.came,
        first=receipt.first,
        next=candidate.next,
        came=candidate.came,
        newest_sent_at=receipt.newest_sent_at,
        moved_at=receipt.moved_at,
        got_first_at=receipt.got_first_at,
        sent=lane.sent,
        receiver_left_first=way.receiver_left_first,
        owed_until=_owed_until(candidate),
        subscribed_at=candidate.subscription and candidate.subscription.since,
        unsubscribed=not candidate.wanted,
        sure_end=ends.sure,
        joined_at_number=_in_lane(way.sent_when_joined, lane),
        end=ends.sure if receipt.by_count else ends.end,
        by_count=receipt.by_count,
    )


def _owed_until(candidate: Candidate) -> float | None:
    way = candidate.way
    left_first = way.receiver_left_first and not way.left_unsure and not candidate.located
    return lowest((way.left_at if left_first else None, candidate.unsubscribed_at))


def _ends(known: Known, candidate: Candidate, events: WrittenAtEvents) -> Ends:
    way, lane, expects = candidate.way, candidate.lane, candidate.next
    all_sent = max(lane.sent, expects)
    if not candidate.wanted:
        course = known.course(way.stream, lane.lane)
        newest_sent_at = candidate.receipt.newest_sent_at
        return ends_of_unsubscribed(expects, lane.sent, newest_sent_at, candidate.unsubscribed_at, course)
    if candidate.located:  # a ROUTER swallows what comes after its peer has left
        return Ends(all_sent, all_sent)
    if way.left_unsure:
        return Ends(expects, all_sent)
    if way.receiver_left_first:
        return _ends_of_leaver(known, candidate, events)
    return Ends(all_sent, all_sent)


def _ends_of_leaver(known: Known, candidate: Candidate, events: WrittenAtEvents) -> Ends:
    """Where two clocks tell when it left, some may have been sent after that."""
    way, lane, expects = candidate.way, candidate.lane, candidate.next
    reached = reached_when_left(known, way, lane.lane, events)
    sent_until_left = min(_in_lane(way.left_sent, lane) or 0, lane.sent)
    end = max(expects, reached.then or 0, sent_until_left)
    if not way.left_elsewhere:
        return Ends(end, end)
    return Ends(min(end, max(expects, reached.surely or 0)), end)


def _in_lane(number: int | None, lane: Lane) -> int | None:
    """Return the lane's number that the stream's message of that number has, where each of its messages is in this lane."""
    return None if number is None or lane.counted_from is None else number + lane.counted_from
