"""How many of the missing messages the one suspect lost, and how many another receiver may have or have had."""

from hopwatch_judge.optional import highest
from hopwatch_judge.resting import died, idle_between, said_nothing_was_left
from hopwatch_judge.shared_out.share import Share, Whole
from hopwatch_judge.shared_out.suspects import is_suspect


def held_by_others(whole: Whole) -> int:
    """Return how many of those that the suspect may have lost others may have.

    Each receiver gets its own in order: of what it has passed it has none in its inbox, whenever it came. So all from the number on
    that the last of the others has passed may be others', but for the newest one that each got.
    """
    reached = [share.reached for share in whole.shares if _may_have_some(share)]
    if not reached:
        return 0
    passed = min(reached)
    ahead = sum(share.reached > passed for share in whole.shares)
    return max(0, _until(whole) - passed - ahead)


def of_the_suspect(whole: Whole, held: int) -> int:
    """Return how many only the one suspect can have lost, with ``held`` by others."""
    if whole.suspects != 1:
        return 0
    sent_later = max(0, whole.sent.messages - _until(whole))
    return max(0, whole.missing - sent_later - held)


def _until(whole: Whole) -> int:
    """Return the number from which on nothing is the suspect's: sent after it had gone or was back, unless somebody got a later one."""
    if whole.sent_when_left is None and whole.gone > 0:
        return whole.sent.messages
    known = highest((whole.highest, whole.sent_when_left, whole.sent_when_mended)) or 0
    return min(whole.sent.messages, known)


def _may_have_some(share: Share) -> bool:
    """Tell whether it may have some: another receiver, or the suspect itself if it reads on after its connection was mended."""
    sender, receiver = share.sent.sender, share.receiver
    threw_away = died(sender) or (sender.end == "closed" and sender.linger == 0)
    # with more to read before its sender went, it would have read on
    was_idle = share.way.length == 1 and idle_between(share.moved_at, share.link.to_end_down_at)
    nothing_was_left = said_nothing_was_left(receiver) and (not threw_away or was_idle)
    return not nothing_was_left and (not is_suspect(share) or share.reads_on)
