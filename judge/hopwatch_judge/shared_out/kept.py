"""What a connecting sender keeps in its queue when its receiver goes, for the next one at that place: not lost with the receiver.

A queue holds no more than the sender's mark. It fills behind an inbox that is full, and a receiver that reads some of that takes more only once half of
the inbox is free. So the inbox held at least half of its mark wherever messages waited in the queue.
"""

from hopwatch_judge.resting import said_nothing_was_left, sender_keeps
from hopwatch_judge.shared_out.share import Share
from hopwatch_judge.steps import IN_FLIGHT, UNEXPLAINED


def outlives_its_receiver(share: Share) -> bool:
    """Return whether the queue goes on without the receiver, and no later receiver has shown what was in it."""
    return share.way.receiver_left_first and not share.succeeded and sender_keeps(share.link, share.feeder)


def surely_gone(share: Share, unread: int) -> int:
    """Return how many of the ``unread``, the lowest first, were not in the queue: more than a queue holds were not; an inbox likely had some."""
    if not outlives_its_receiver(share):
        return unread
    return max(_beyond_the_mark(share, unread), _in_the_inbox(share, unread))


def is_proved(share: Share, unread: int) -> bool:
    """Return whether a number proves that those are gone."""
    return not outlives_its_receiver(share) or _beyond_the_mark(share, unread) >= _in_the_inbox(share, unread)


def of_queue(share: Share) -> str:
    """Return what became of the rest: it waits for the next receiver, if its sender is still there."""
    return IN_FLIGHT if share.feeder.ended_at is None else UNEXPLAINED


def _beyond_the_mark(share: Share, unread: int) -> int:
    mark = share.feeder.sndhwm or 0
    return max(0, unread - mark) if mark > 0 else 0


def _in_the_inbox(share: Share, unread: int) -> int:
    """Count none where the receiver said that nothing was left to read, or where its mark is not known."""
    mark = share.receiver.rcvhwm
    if mark is None or said_nothing_was_left(share.receiver):
        return 0
    return unread if mark == 0 else min(unread, mark // 2)
