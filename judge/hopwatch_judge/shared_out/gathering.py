"""Shared-out streams that lack something, with all that bears on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hopwatch_judge.case import Lane, Receipt, Socket, Way
from hopwatch_judge.events import Gap
from hopwatch_judge.incident import UNKNOWN_TRANSPORT
from hopwatch_judge.known import Known
from hopwatch_judge.optional import exceeds, first_of, highest, later_by, lowest
from hopwatch_judge.resting import reads_on
from hopwatch_judge.shared_out.share import Sent, Share, Whole
from hopwatch_judge.shared_out.suspects import (
    is_gone,
    is_suspect,
    sent_when_back,
    takes_no_more,
    was_cut,
    was_cut_off,
)
from hopwatch_judge.steps import LaneOfReceiver

Gaps = Mapping[LaneOfReceiver, Sequence[Gap]]


@dataclass(frozen=True, slots=True)
class _Received:
    """What came of a stream at one receiver. ``pace``: seconds a message."""

    delivered: int
    reached: int
    moved_at: float | None
    pace: float | None


def gathered(known: Known, gaps: Gaps, stream: str, unheard: Mapping[int, int]) -> Whole | None:
    """Return the stream with its shares; None where nothing is missing. ``unheard`` counts messages by lane that may have come."""
    ways = known.ways_of[stream]
    sent = _sent(known.socket(stream), known.lanes_of.get(stream, ()), unheard)
    received = {way.receiver: _received(known, way, gaps) for way in ways}
    missing = sent.messages - sum(each.delivered for each in received.values())
    if missing <= 0:
        return None
    successors = _successors(known, ways, received) if len(known.lanes_of[stream]) == 1 else {}
    shares = tuple(_share(known, sent, way, received[way.receiver]) for way in ways)
    return _whole(known, sent, missing, tuple(_with_successor(each, successors) for each in shares))


def _sent(sender: Socket, lanes: Sequence[Lane], unheard: Mapping[int, int]) -> Sent:
    return Sent(
        sender=sender,
        messages=sum(lane.messages - unheard.get(lane.lane, 0) for lane in lanes),
        frames_each=highest(lane.frames_each for lane in lanes),
        until=highest(lane.moved_at for lane in lanes),
        all_counted=all(lane.all_counted for lane in lanes),
    )


def _received(known: Known, way: Way, gaps: Gaps) -> _Received:
    receipts = known.receipts_of.get((way.stream, way.receiver), ())
    delivered = sum(each.count + each.since for each in receipts)
    moved_at = highest(each.moved_at for each in receipts)
    took = later_by(moved_at, lowest(each.got_first_at for each in receipts))
    return _Received(
        delivered=delivered,
        reached=sum(each.next + each.since - _unused_before(known, gaps, each) for each in receipts),
        moved_at=moved_at,
        pace=None if took is None or delivered == 1 else took / (delivered - 1),
    )


def _unused_before(known: Known, gaps: Gaps, receipt: Receipt) -> int:
    """Count the numbers before the one that a receiver expects next that no message has."""
    lane = known.lane.get((receipt.stream, receipt.lane))
    if lane is None or lane.unused <= 0:
        return 0
    skipped = (
        gap
        for gap in gaps.get((receipt.stream, receipt.receiver, receipt.lane), ())
        if gap.action == "skipped" and gap.first < receipt.next
    )
    return sum(min(gap.last + 1, receipt.next) - gap.first for gap in skipped)


def _share(known: Known, sent: Sent, way: Way, received: _Received) -> Share:
    receiver, feeder = known.socket(way.receiver), known.socket(way.last.from_socket)
    return Share(
        sent=sent,
        way=way,
        receiver=receiver,
        feeder=feeder,
        link=known.link(way.last.edge),
        delivered=received.delivered,
        reached=received.reached,
        moved_at=received.moved_at,
        linked=way.last.transport != UNKNOWN_TRANSPORT,
        reads_on=_reads_on(known, sent, receiver, received),
        watched=not any(known.link(hop.edge).unwatched for hop in way.hops),
        conflates=1 in (feeder.conflate, receiver.conflate),
        cut_depths=frozenset(
            depth for depth, hop in enumerate(way.hops[:-1], 1) if was_cut(known.link(hop.edge))
        ),
        relay_gone=any(_gone_before(known.socket(hop.from_socket), way) for hop in way.hops[1:]),
    )


def _reads_on(known: Known, sent: Sent, receiver: Socket, received: _Received) -> bool:
    """Tell whether the receiver is there and goes on to the end of the case, or of what is known of its host."""
    until = first_of(receiver.heard_until, known.case.ends_at)
    goes_on = reads_on(
        received.moved_at, until, sent_until=sent.until, pace=received.pace, guard=known.case.guard
    )
    return receiver.ended_at is None and goes_on


def _gone_before(relay: Socket, way: Way) -> bool:
    return relay.ended_at is not None and not exceeds(relay.ended_at, way.receiver_went_at)


def _successors(known: Known, ways: Sequence[Way], received: Mapping[str, _Received]) -> Mapping[str, int]:
    """Return by receiver the most that any reached who came to its place."""
    found: dict[str, int] = {}
    for way in ways:
        reached = received[way.receiver].reached
        for down in known.link(way.last.edge).former_downs:
            if down.peer is not None:
                found[down.peer] = max(reached, found.get(down.peer, reached))
    return found


def _with_successor(share: Share, successors: Mapping[str, int]) -> Share:
    return replace(share, succeeded=exceeds(successors.get(share.receiver.id), share.reached))


def _whole(known: Known, sent: Sent, missing: int, shares: tuple[Share, ...]) -> Whole:
    passed = [known.socket(hop.from_socket) for share in shares for hop in share.way.hops]
    return Whole(
        sent=sent,
        shares=shares,
        missing=missing,
        highest=max(share.reached for share in shares),
        suspects=sum(map(is_suspect, shares)),
        gone=sum(map(is_gone, shares)),
        conflates=any(share.conflates for share in shares),
        all_watched=all(share.watched for share in shares),
        unsure=any(share.way.left_unsure and share.reached < sent.messages for share in shares),
        unknown_peers=any(socket.has_strangers for socket in passed),
        perhaps_others=any(socket.may_have_strangers for socket in passed),
        sent_when_left=highest(_left_sent(share) for share in shares if takes_no_more(share)),
        sent_when_mended=highest(sent_when_back(share) for share in shares if was_cut_off(share)),
    )


def _left_sent(share: Share) -> int | None:
    return share.way.left_sent if share.sent.all_counted else None
