"""Whether messages were sent when a connection was down, or lost with it."""

from hopwatch_judge.case import Down
from hopwatch_judge.clues.clues import Clues, asked_once
from hopwatch_judge.optional import first_of, later_by, reaches
from hopwatch_judge.thresholds import AT_ONCE, SAMPLED_WITHIN, TOLD_LATE, UNDER_WAY


def overlaps_a_down(clues: Clues) -> bool:
    """Whether the time the range was sent in overlaps one in which the connection was down."""
    since, until = clues.loss.before_sent_at, clues.loss.after_sent_at
    if since is None:
        return False
    return any(
        (until is None or down.start <= until) and (down.end is None or down.end >= since)
        for down in clues.link.downs
    )


def overlaps_a_down_soon(clues: Clues) -> bool:
    """A connection that had gone down, or did so soon, made the pipe full in which the first of these did not find room."""
    since = clues.loss.before_sent_at
    if since is None:
        return False
    return any(
        down.start - since <= AT_ONCE and (down.end is None or down.end >= since) for down in clues.link.downs
    )


def overlaps_a_former_down(clues: Clues) -> bool:
    """The pipe was full because the peer that was there before was gone: a sender that connects keeps its pipe until the next one comes."""
    since, until = clues.loss.before_sent_at, clues.loss.after_sent_at
    if since is None or until is None:
        return False
    return any(down.start <= until and reaches(down.end, since) for down in clues.link.former_downs)


def began_in_a_former_down(clues: Clues) -> bool:
    """The message before it was sent while nobody was there."""
    since = clues.loss.before_sent_at
    if since is None:
        return False
    return any(down.start <= since and reaches(down.end, since) for down in clues.link.former_downs)


def shows_behind_a_down(clues: Clues) -> bool:
    """Whether the range was sent before the connection went down, and found missing when it was up again: what was under way then
    is lost, and what a sender that connects had not passed on comes after it.
    """
    loss = clues.loss
    if loss.after_sent_at is None or loss.before_sent_at is None:
        return False
    return any(
        down.start >= loss.after_sent_at
        and down.start - loss.before_sent_at <= UNDER_WAY
        and (_was_seen_behind(clues, down) or _was_sent_just_before(clues, down))
        for down in clues.link.downs
    )


def _was_seen_behind(clues: Clues, down: Down) -> bool:
    seen_at = clues.loss.seen_at
    if seen_at is None or down.end is None:
        return False
    return seen_at - down.start > -TOLD_LATE and -TOLD_LATE <= seen_at - down.end <= UNDER_WAY


def _was_sent_just_before(clues: Clues, down: Down) -> bool:
    """What tells when it was seen missing is a clock that is behind the sender's: no message is read before it is sent."""
    loss = clues.loss
    if loss.seen_at is None or loss.after_sent_at is None:
        return False
    soon = down.start - loss.after_sent_at <= TOLD_LATE
    return (
        loss.from_socket == loss.stream
        and loss.seen_at < loss.after_sent_at
        and soon
        and down.end is not None
    )


def before_it_came_back(clues: Clues) -> bool:
    """The receiver was not connected yet to a proxy that came in another's place."""
    return clues.loss.took_over and reaches(
        later_by(clues.link.connected_at, clues.loss.before_sent_at), -TOLD_LATE
    )


def came_back_first(clues: Clues) -> bool:
    """The connection went down and came back before the receiver got the lane's first message."""
    got_first_at = clues.loss.got_first_at
    return got_first_at is not None and any(
        down.end is not None and down.start < got_first_at for down in clues.link.downs
    )


def overlaps_a_mended_down(clues: Clues) -> bool:
    """The connection went down and came back in the time in which these were sent, or were under way; or at a time that another clock tells."""
    mended = any(down.end is not None for down in clues.link.downs)
    return (
        (clues.loss.part == "all" and mended)
        or (clues.link.to_end_was_cut and not mended)
        or any(_while_sent(clues, down) for down in clues.link.downs)
    )


def went_with_a_mended_down(clues: Clues) -> bool:
    """All of these had been sent when the connection that they were sent over, or around, was mended."""
    sent_at = clues.sent_at
    return sent_at is not None and any(
        _while_sent(clues, down) and sent_at - (down.end or 0.0) <= SAMPLED_WITHIN
        for down in clues.link.downs
    )


def _while_sent(clues: Clues, down: Down) -> bool:
    sent_at = clues.sent_at
    return (
        sent_at is not None
        and reaches(down.end, clues.loss.before_sent_at)
        and down.start - sent_at <= UNDER_WAY
    )


def cut_off(clues: Clues) -> bool:
    """Both ends are there, and the connection is down."""
    return clues.sender.ended_at is None and clues.receiver.ended_at is None and clues.link.is_down


def went_down_for_good(clues: Clues) -> bool:
    """The connection was down before either end was gone, each end by its own clock, and did not come back.

    An end that is closed does not see its own connections go down: what it saw, however shortly before, was no end of its own. Nor was
    what the other one alone saw, where that one is known to have been there for longer.
    """
    link = clues.link
    if link.cut_alone:
        return True
    if link.left_at is None or link.to_end_down_at is None:
        return False
    sender_was_there = clues.sender.ended_at is None or clues.sender.ended_at > link.left_at
    return sender_was_there and (
        clues.receiver.ended_at is None or clues.receiver.ended_at > link.to_end_down_at
    )


@asked_once
def hung_up(clues: Clues) -> bool:
    """A receiver with ZMQ_MAXMSGSIZE hangs up on whoever sends it more: then, and not whenever the connection goes down."""
    since = clues.loss.before_sent_at
    until = first_of(clues.loss.after_sent_at, clues.sent_at)
    return any(
        (until is None or down.start - until <= UNDER_WAY)
        and (since is None or down.end is None or down.end >= since)
        for down in clues.link.hang_ups
    )


@asked_once
def nobody_was_there(clues: Clues) -> bool:
    """Nobody knows by what way the receiver gets its messages, and a connection of the sender's own, who keeps its pipe (not with ZMQ_IMMEDIATE),
    was down when that was full.
    """
    loss = clues.loss
    if clues.link.linked or clues.sender.immediate == 1:
        return False
    met_at = first_of(loss.onset_at, loss.before_sent_at) if loss.begins_at_onset else None
    since, until = first_of(met_at, loss.before_sent_at), first_of(loss.after_sent_at, clues.sent_at)
    return any(
        (down.start - met_at <= AT_ONCE if met_at is not None else reaches(until, down.start))
        and (since is None or down.end is None or down.end >= since)
        for down in clues.unknown_downs
    )
