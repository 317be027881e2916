"""Whose the missing messages are, and what became of them.

What happened to the receivers tells whose: one left or was cut off while the others went on, or there is only one. Where several may have lost them,
nobody knows.
"""

from collections.abc import Iterator
from dataclasses import replace

from hopwatch_judge.resting import died, said_some_was_left
from hopwatch_judge.shared_out import reasons
from hopwatch_judge.shared_out.cut_shares import is_cut, of_cut_share
from hopwatch_judge.shared_out.held_by_others import held_by_others, of_the_suspect
from hopwatch_judge.shared_out.kept import is_proved, of_queue, surely_gone
from hopwatch_judge.shared_out.share import (
    ANY,
    CONFLATED,
    KEPT,
    LEFT,
    OVERTAKEN,
    REST,
    UNREAD,
    Part,
    Share,
    Whole,
)
from hopwatch_judge.shared_out.suspects import (
    is_suspect,
    left_with_some_unread,
    was_cut_for_good,
    was_cut_off,
)
from hopwatch_judge.steps import IN_FLIGHT, UNEXPLAINED


def parts(whole: Whole) -> list[Part]:
    """Return what is missing of the stream in parts, each with its cause."""
    found = _conflated(whole) if whole.conflates else _of_cut_or_split(whole)
    return [replace(part, cause=_unless_unsure(whole, part)) for part in found if part.messages > 0]


def _conflated(whole: Whole) -> Iterator[Part]:
    """Tell what was thrown away for newer messages; the last of them may have been lost otherwise. Of several receivers nothing tells whose each was."""
    if whole.only_share is None:
        yield Part(None, whole.missing, UNEXPLAINED, ANY)
    else:
        yield Part(whole.only_share, whole.missing, "conflated", CONFLATED)


def _of_cut_or_split(whole: Whole) -> Iterator[Part]:
    if whole.only_share is not None and is_cut(whole.only_share):
        return of_cut_share(whole, whole.only_share)
    return _split(whole)


def _split(whole: Whole) -> Iterator[Part]:
    """Split what is missing between the one suspect and the one receiver left; several that are left may all have lost the rest."""
    held = held_by_others(whole)
    of_suspect = of_the_suspect(whole, held)
    if of_suspect > 0:
        yield from _of_the_suspect(whole, next(filter(is_suspect, whole.shares)), of_suspect)
    rest = whole.missing - of_suspect
    one_is_gone = whole.suspects == 1 and whole.gone == 1 and held == 0
    others = whole.shares
    if one_is_gone and whole.only_share is None:
        others = tuple(share for share in whole.shares if not is_suspect(share))
    if len(others) == 1:
        yield from _of_the_one_left(whole, others[0], rest)
    else:
        yield Part(None, rest, _why_unknown(whole), ANY)


def _of_the_suspect(whole: Whole, share: Share, messages: int) -> Iterator[Part]:
    """Tell what is gone from what may have stayed in the queue of its sender."""
    gone = messages if is_cut(share) else surely_gone(share, messages)
    sure = (
        reasons.all_is_known(whole, share)
        and reasons.is_known_to_have_ended(share)
        and is_proved(share, messages)
    )
    yield Part(share, gone, _why_suspect(share), LEFT, sure)
    yield Part(share, messages - gone, of_queue(share), KEPT)


def _why_suspect(share: Share) -> str:
    """Of one among several nothing tells what was lost when its connection was cut from what was lost when it ended."""
    if was_cut_for_good(share):
        return "reconnect"
    if not left_with_some_unread(share):
        return reasons.why_cut(share)
    return UNEXPLAINED if was_cut_off(share) else reasons.why_left(share)


def _of_the_one_left(whole: Whole, share: Share, rest: int) -> Iterator[Part]:
    """Tell what the receiver of a killed sender had in its inbox as it closed from what a queue was still to bring, and from what was overtaken.

    Messages do not overtake each other on a way of one pipe: a REQ, for one, throws away replies that it waits for no longer.
    """
    to_come = max(0, share.sent.messages - share.reached)
    queued = min(rest, to_come) if whole.only_share is not None else rest
    left_some = died(share.sent.sender) and said_some_was_left(share.receiver)
    unread = _held_by_the_inbox(share, queued) if left_some else 0
    sure = reasons.all_is_known(whole, share) and reasons.had_read_all_that_came(share)
    yield Part(share, unread, "closed", UNREAD, sure)
    yield Part(share, queued - unread, reasons.why_the_rest(share), REST, sure)
    yield Part(share, rest - queued, UNEXPLAINED, OVERTAKEN, sure)


def _held_by_the_inbox(share: Share, messages: int) -> int:
    """Bound it by the inbox, which fills before a sender has to keep anything."""
    mark = share.receiver.rcvhwm
    return min(messages, mark) if mark else messages


def _why_unknown(whole: Whole) -> str:
    """Take what several receivers lack as in flight if all of them are there and go on."""
    all_read_on = whole.suspects == 0 or (whole.suspects == 1 and whole.gone == 0)
    all_are_there = all(share.receiver.ended_at is None for share in whole.shares)
    queued = whole.sent.sender.ended_at is None and all_are_there and all_read_on
    return IN_FLIGHT if queued else UNEXPLAINED


def _unless_unsure(whole: Whole, part: Part) -> str:
    in_an_inbox = part.cause == IN_FLIGHT and part.mark != KEPT
    if part.share is None or in_an_inbox or not reasons.is_unsure(whole, part.share):
        return part.cause
    return UNEXPLAINED
