"""Which receivers may have lost some of a stream: those that left with messages unread, and those that were cut off."""

from hopwatch_judge.case import Link
from hopwatch_judge.optional import exceeds, later_by
from hopwatch_judge.resting import idle_between, said_nothing_was_left
from hopwatch_judge.shared_out.share import Share
from hopwatch_judge.thresholds import FOUND_DEAD_WITHIN


def is_suspect(share: Share) -> bool:
    """Return whether the receiver may have lost some."""
    return is_gone(share) or was_cut_off(share)


def is_gone(share: Share) -> bool:
    """Return whether it may have lost some and did not come back."""
    return left_with_some_unread(share) or was_cut_for_good(share)


def takes_no_more(share: Share) -> bool:
    """Return whether nothing is sent to it any more: a sender that connects goes on to queue for a receiver that it has lost."""
    return left_with_some_unread(share) or (was_cut_for_good(share) and not share.link.sender_connects)


def left_with_some_unread(share: Share) -> bool:
    """Return whether the receiver left before the sender and did not have all.

    A pipe passes messages on in order: a receiver of the last number of all had nothing before it left to read. Nor had one that said so
    long after the last message had been sent, by the clock that tells of either.
    """
    way = share.way
    idle = not way.left_elsewhere and idle_between(share.sent.until, way.left_at)
    had_read_all = idle and said_nothing_was_left(share.receiver)
    return way.receiver_left_first and share.reached < share.sent.messages and not had_read_all


def was_cut_off(share: Share) -> bool:
    """Return whether the connection of the last hop went down and came back."""
    return _was_mended(share.link)


def was_cut_for_good(share: Share) -> bool:
    """Return whether the connection of the last hop went down while both ends were there, and did not come back.

    Who closes a socket does not see its connections go down: either both ends saw it while they were there, or one did and the other stayed longer.
    """
    link = share.link
    sender_stayed = share.feeder.ended_at is None or exceeds(share.feeder.ended_at, link.left_at)
    receiver_stayed = share.receiver.ended_at is None or exceeds(share.receiver.ended_at, link.to_end_down_at)
    return link.cut_alone or (_both_saw_it_go(link) and sender_stayed and receiver_stayed)


def sent_when_back(share: Share) -> int | None:
    """Return how many had been sent when the sending end saw its connection come back; None if its count is of other messages, too."""
    knows = share.sent.all_counted and _sender_saw_it_mended(share.link)
    return share.link.sent_when_back if knows else None


def was_cut(link: Link) -> bool:
    """Return whether a connection went down while both ends wanted it, for good or not."""
    return _was_mended(link) or _both_saw_it_go(link) or link.cut_alone


def seen_by_one(share: Share) -> bool:
    """Return whether one end alone saw the connection go, long before the other ended: that one may have been cut off, and have died later."""
    link = share.link
    sender_alone = link.to_end_down_at is None and _long_before(link.left_at, share.receiver.ended_at)
    return sender_alone or (link.left_at is None and _long_before(link.to_end_down_at, share.feeder.ended_at))


def _was_mended(link: Link) -> bool:
    """Tell whether either end saw the connection come back: behind translated addresses one of them may miss it."""
    return link.to_end_was_cut or _sender_saw_it_mended(link)


def _sender_saw_it_mended(link: Link) -> bool:
    return any(down.end is not None for down in link.downs)


def _both_saw_it_go(link: Link) -> bool:
    return link.left_at is not None and link.to_end_down_at is not None and link.quit_at is None


def _long_before(seen_at: float | None, ended_at: float | None) -> bool:
    return exceeds(later_by(ended_at, seen_at), FOUND_DEAD_WITHIN)
