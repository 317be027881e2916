"""Why the end of a lane is missing: by who went first, and what was left to read then."""

from hopwatch_judge.clues import cuts
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.clues.pipe import drops_unseen
from hopwatch_judge.optional import exceeds, first_of, later_by, lowest, reaches
from hopwatch_judge.resting import (
    both_rested,
    counts_itself,
    died,
    had_all_that_came,
    idle_between,
    proxy_had_rested,
    reads_on,
    said_nothing_was_left,
    said_some_was_left,
    sender_keeps,
    sender_let_go,
)
from hopwatch_judge.thresholds import FOUND_DEAD_WITHIN
from hopwatch_judge.went import sender_went_first, went_unseen


def goes_on(clues: Clues) -> bool:
    """The receiver is there, and is taken to read on."""
    loss = clues.loss
    until = first_of(loss.heard_until, clues.ends_at)
    return clues.receiver.ended_at is None and reads_on(
        loss.moved_at, until, sent_until=clues.sent_at, pace=loss.pace, guard=clues.guard
    )


def both_open(clues: Clues) -> bool:
    return clues.sender.ended_at is None and clues.receiver.ended_at is None


def sender_first(clues: Clues) -> bool:
    """The sending end was gone before the receiving end."""
    return sender_went_first(clues.link, clues.sender, clues.receiver)


def receiver_first(clues: Clues) -> bool:
    return clues.receiver.ended_at is not None and not sender_first(clues)


def idle_before_the_end(clues: Clues) -> bool:
    """For a while before the first end went nothing came any more: to a proxy, as it counts itself, else to who is behind."""
    if clues.loss.part != "tail":
        return False
    if counts_itself(clues.receiver):
        return _proxy_rested(clues)
    return _receivers_rested(clues)


def may_have_left_some(clues: Clues) -> bool:
    """It was closed, and did not say that nothing was left to read: whoever closes may have been busy with a message for long."""
    receiver = clues.receiver
    return receiver.end == "closed" and not (said_nothing_was_left(receiver) or counts_itself(receiver))


def had_read_all(clues: Clues) -> bool:
    """The receiver had nothing left to read: it said so when it was closed, or had got nothing for a while."""
    said_so = clues.loss.part == "tail" and said_nothing_was_left(clues.receiver) and receiver_first(clues)
    return said_so or (idle_before_the_end(clues) and not may_have_left_some(clues))


def nothing_was_left(clues: Clues) -> bool:
    """The receiver had read all when one of the ends was closed, and it had stayed to the end of its subscription."""
    in_order = clues.sender.end != "died" and clues.receiver.end == "closed" and not clues.loss.unsubscribed
    return in_order and idle_before_the_end(clues) and not may_have_left_some(clues)


def may_have_hung(clues: Clues) -> bool:
    """A receiver that stopped to read looks like one with nothing left to read, and has or took along what waits in its inbox.

    That messages were dropped instead shows where others were on the same hop, or where later ones of another lane came: a pipe
    passes messages on in order.
    """
    passed_by = exceeds(clues.loss.way_newest_sent_at, clues.sent_at)
    there_or_killed = clues.receiver.ended_at is None or died(clues.receiver)
    return there_or_killed and not clues.to_proxy and not clues.dropped_between and not passed_by


def was_under_way(clues: Clues) -> bool:
    """The receiver was closed while its sender went on, and lacks no more than a pipe holds that does not drop yet."""
    went_on = reaches(clues.sent_at, clues.receiver.ended_at)
    return went_on and clues.fits_into_pipe and receiver_first(clues) and not idle_before_the_end(clues)


def on_no_known_way(clues: Clues) -> bool:
    """These may not have been owed, or whoever stands between the two ends is not known."""
    return clues.loss.unsubscribed or not clues.link.linked


def in_no_queue(clues: Clues) -> bool:
    """An end is gone, and these were in no queue any more by then, or may have been lost in a cut that nobody saw."""
    if both_open(clues):
        return False
    rested = _receivers_rested(clues) or (counts_itself(clues.receiver) and _proxy_rested(clues))
    may_have_been_cut = not clues.watched and clues.loss.part == "tail" and rested
    return may_have_been_cut or _both_rested(clues)


def taken_along(clues: Clues) -> tuple[str, bool] | None:
    """Of a hop with an end that is gone: which cause that is, and whether it is proved; None: both are there."""
    if sender_first(clues):
        return _with_the_sender(clues)
    if clues.receiver.ended_at is None:
        return None
    if _cut_off_long_before(clues):
        return ("receiver_died" if died(clues.receiver) else "reconnect"), False
    proved = not _may_have_been_dropped(clues) and not sender_keeps(clues.link, clues.sender)
    if died(clues.receiver):
        return "receiver_died", proved
    return "closed", proved and clues.receiver.unread is not None


def _with_the_sender(clues: Clues) -> tuple[str, bool]:
    """What the receiver had got by then it may still have read, or not have come to before its own end."""
    sender_died = died(clues.sender)
    cause = "sender_died" if sender_died else "closed"
    receiver = clues.receiver
    if receiver.ended_at is None:
        return cause, False
    if said_nothing_was_left(receiver):
        moved_at = clues.loss.way_moved_at
        had_it_all = not sender_died or had_all_that_came(
            clues.link.to_end_down_at, moved_at, receiver.ended_at
        )
        proved = had_it_all and not _seen_long_before_it_went(clues) and not _may_have_been_dropped(clues)
        return cause, proved
    if sender_died and said_some_was_left(receiver) and clues.fits_into_inbox:
        return "closed", False
    let_go = sender_let_go(clues.sender, receiver, clues.loss.way_moved_at)
    with_receiver = not sender_died and died(receiver) and not let_go
    return ("receiver_died" if with_receiver else cause), False


def _may_have_been_dropped(clues: Clues) -> bool:
    """A sender may have dropped some of what was queued before: unseen, at an onset that is known of another lane, or at one that may have been
    another receiver's. Or it went in a cut, or nobody saw which end was gone first.
    """
    dropped = drops_unseen(clues) or clues.full_in_another_lane or clues.loss.maybe_dropped
    unseen = went_unseen(clues.link, clues.sender, clues.receiver)
    return dropped or cuts.overlaps_a_mended_down(clues) or unseen


def _cut_off_long_before(clues: Clues) -> bool:
    """Only the sender saw the connection go down, long before the receiver ended: that one hung, or the way between was dead."""
    apart = later_by(clues.receiver.ended_at, clues.link.left_at)
    return clues.link.to_end_down_at is None and exceeds(apart, FOUND_DEAD_WITHIN)


def _seen_long_before_it_went(clues: Clues) -> bool:
    """One end alone saw the connection go down long before the sender ended, or was found dead."""
    link = clues.link
    alone = link.left_at is None or link.to_end_down_at is None
    seen_at = first_of(link.left_at, link.to_end_down_at)
    return alone and exceeds(later_by(clues.sender.ended_at, seen_at), FOUND_DEAD_WITHIN)


def _receivers_rested(clues: Clues) -> bool:
    heard_until = first_of(clues.loss.heard_until, clues.ends_at)
    ends = (first_of(clues.sender.ended_at, clues.ends_at), first_of(clues.receiver.ended_at, heard_until))
    return idle_between(clues.loss.way_moved_at, lowest(ends))


def _proxy_rested(clues: Clues) -> bool:
    return proxy_had_rested(
        clues.sender, clues.receiver, clues.link, heard_until=first_of(clues.loss.heard_until, clues.ends_at)
    )


def _both_rested(clues: Clues) -> bool:
    loss = clues.loss
    return loss.part == "tail" and both_rested(
        clues.sender,
        clues.receiver,
        clues.link,
        sent_at=clues.sent_at,
        moved_at=loss.way_moved_at,
        heard_until=first_of(loss.heard_until, clues.ends_at),
    )
