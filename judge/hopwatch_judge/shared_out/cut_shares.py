"""What is missing of a stream whose only receiver was cut off: what was lost in the cut, apart from what was lost later.

Messages stay in order on a way of one pipe. What the receiver lacks below the last that came was lost in a cut. What it lacks of those sent after the
connection was back was lost later. Between the two, a bound sender lost its queue in the cut. A connecting one kept it, and lost it later if any of it
came; and so it is with what was in the receiver's inbox.
"""

from collections.abc import Iterator

from hopwatch_judge.optional import exceeds, highest
from hopwatch_judge.resting import said_nothing_was_left
from hopwatch_judge.shared_out import reasons
from hopwatch_judge.shared_out.kept import of_queue, surely_gone
from hopwatch_judge.shared_out.share import AROUND, IN_THE_CUT, KEPT, LEFT, Part, Share, Whole
from hopwatch_judge.shared_out.suspects import sent_when_back, was_cut_for_good, was_cut_off
from hopwatch_judge.steps import IN_FLIGHT, UNEXPLAINED


def is_cut(share: Share) -> bool:
    """Return whether the connection to the receiver was cut, for good or not."""
    return was_cut_off(share) or was_cut_for_good(share)


def of_cut_share(whole: Whole, share: Share) -> Iterator[Part]:
    """Return what is missing in parts: in the cut, around it, behind it, and what the sender may have kept."""
    passed_by = max(0, share.reached - share.delivered - whole.lost_before)
    sent = share.sent.messages
    behind = min(sent, highest((share.reached, _mended_at(share))) or 0)
    went_with_an_end = bool(share.link.sender_connects) and passed_by > 0
    in_queue = _still_in_the_queue(share)
    kept_of_last = min(in_queue, sent - behind)
    kept_around = in_queue - kept_of_last if went_with_an_end and not share.reads_on else 0
    sure = reasons.is_sure_behind_a_cut(whole, share)
    for messages, cause, mark in (
        (passed_by, _why_passed_by(share), IN_THE_CUT),
        (behind - share.reached - kept_around, _why_around(share, went_with_an_end), AROUND),
        (sent - behind - kept_of_last, _why_behind(share, passed_by), LEFT),
        (kept_of_last + kept_around, of_queue(share), KEPT),
    ):
        yield Part(share, messages, cause, mark, sure)


def _mended_at(share: Share) -> int | None:
    """Return how many had been sent when the connection was back."""
    return sent_when_back(share) if was_cut_off(share) else share.reached


def _still_in_the_queue(share: Share) -> int:
    """Count those, the highest ones, that the sender may have kept as its receiver went."""
    unread = share.sent.messages - share.reached
    return 0 if was_cut_for_good(share) else unread - surely_gone(share, unread)


def _why_passed_by(share: Share) -> str:
    may_have_overtaken = _inbox_went(share) and _may_have_overtaken(share)
    return UNEXPLAINED if may_have_overtaken else reasons.why_cut(share)


def _why_around(share: Share, went_with_an_end: bool) -> str:
    ended = share.way.receiver_left_first or share.sent.sender.ended_at is not None
    if share.reads_on:
        return IN_FLIGHT
    if went_with_an_end:
        return _why_the_end(share)
    if (share.link.sender_connects and ended) or _inbox_went(share):
        return UNEXPLAINED
    return reasons.why_cut(share)


def _why_behind(share: Share, passed_by: int) -> str:
    if share.reads_on:
        return IN_FLIGHT
    if was_cut_for_good(share):
        return "reconnect"
    if _mended_at(share) is None and passed_by == 0:
        return UNEXPLAINED
    return _why_the_end(share)


def _why_the_end(share: Share) -> str:
    return reasons.why_left(share) if share.way.receiver_left_first else reasons.why_the_rest(share)


def _inbox_went(share: Share) -> bool:
    return share.way.receiver_left_first and not said_nothing_was_left(share.receiver)


def _may_have_overtaken(share: Share) -> bool:
    """Tell whether old messages may wait behind newer ones: a bound receiver reads in turn from its new connection and from what it still has of the
    old one, which is no more than its mark.
    """
    link, mark = share.link, share.receiver.rcvhwm or 0
    since = None if link.received_when_back is None else share.delivered - link.received_when_back
    has_read_it = mark > 0 and exceeds(since, mark)
    return was_cut_off(share) and bool(link.sender_connects) and not has_read_it
