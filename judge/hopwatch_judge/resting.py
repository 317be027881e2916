"""Ends of a hop between which nothing was on its way any more when the first of them was gone, and ends that go on."""

from hopwatch_judge.case import Link, Socket
from hopwatch_judge.optional import exceeds, first_of, later_by, lowest, reaches
from hopwatch_judge.thresholds import FOUND_DEAD_WITHIN, IDLE_SECONDS, SAMPLED_WITHIN, STILL_READING
from hopwatch_judge.went import sender_went_first


def died(socket: Socket) -> bool:
    """Its process was killed, or exited without closing it."""
    return socket.end in ("died", "exited")


def idle_between(moved_at: float | None, ended_at: float | None) -> bool:
    """For so long a live connection would have brought what had been sent."""
    return reaches(later_by(ended_at, moved_at), IDLE_SECONDS)


def reads_on(
    moved_at: float | None, until: float | None, *, sent_until: float | None, pace: float | None, guard: float
) -> bool:
    """Whether a receiver that got something at ``moved_at`` is taken to go on: it did so just before ``until``, or takes so long (``pace``, seconds a
    message) for each of those that had been sent before.
    """
    if moved_at is None or until is None:
        return False
    had_some_left = exceeds(later_by(moved_at, sent_until), SAMPLED_WITHIN)
    patience = max(guard, STILL_READING * pace) if had_some_left and pace is not None else guard
    return until - moved_at <= patience


def sender_keeps(link: Link, sender: Socket) -> bool:
    """Who connects keeps its queue when its peer goes, for whoever comes to that place: not so with ZMQ_IMMEDIATE, nor who is bound."""
    return bool(link.sender_connects) and sender.immediate != 1


def sender_let_go(sender: Socket, receiver: Socket, moved_at: float | None) -> bool:
    """It closed with no time to linger, and its receiver lived on for long enough to read what had come."""
    return sender.linger == 0 and reaches(later_by(receiver.ended_at, moved_at), FOUND_DEAD_WITHIN)


def said_nothing_was_left(receiver: Socket) -> bool:
    """The receiver said so when it was closed. One that is still there, that died, or that did not say so may have stopped to read with some
    left, however long ago.
    """
    return receiver.unread is False


def said_some_was_left(receiver: Socket) -> bool:
    """Its inbox fills before its sender has to keep anything: what has room in that lay there."""
    return receiver.unread is True


def had_all_that_came(seen_to_go_at: float | None, moved_at: float | None, ended_at: float | None) -> bool:
    """The receiver had all in its inbox that its sender had passed on, where alone one that closes looks for what is left: it had seen the connection
    go, which comes behind that, or nothing had come for a while.
    """
    return seen_to_go_at is not None or idle_between(moved_at, ended_at)


def counts_itself(receiver: Socket) -> bool:
    """The receiver is a proxy that was not killed, nor left anything unread, and its counts tell until when it took something in: who is behind it may have
    gone before, or be slow.
    """
    return receiver.took_last_at is not None and not died(receiver) and not receiver.unread


def proxy_had_rested(sender: Socket, receiver: Socket, link: Link, *, heard_until: float | None) -> bool:
    """A proxy that ``counts_itself`` was asked for its counts, and took in nothing more, for a while before the first end of the hop went: so it had read all
    that had come. One that is still there is asked on, which is worth no row.
    """
    asked_until = heard_until if receiver.ended_at is None else receiver.asked_until
    sender_went = None
    if sender_went_first(link, sender, receiver):
        sender_went = first_of(link.to_end_down_at, sender.ended_at)
    return idle_between(receiver.took_last_at, lowest((asked_until, sender_went)))


def both_rested(
    sender: Socket,
    receiver: Socket,
    link: Link,
    *,
    sent_at: float | None,
    moved_at: float | None,
    heard_until: float | None,
) -> bool:
    """The receiver was closed in order and had read all, and for a while before the first end went nothing was sent and nothing came, each by its own clock:
    what is missing was in no queue any more. A sender that was killed had gone some time before it was found dead.
    """
    if receiver.end != "closed":
        return False
    if sender_went_first(link, sender, receiver):
        found_late = FOUND_DEAD_WITHIN if died(sender) else 0
        sender_ended_at = later_by(sender.ended_at, found_late)
        receiver_ended_at = link.to_end_down_at
    else:
        sender_ended_at, receiver_ended_at = link.left_at, receiver.ended_at
    had_read_all = (said_nothing_was_left(receiver) and idle_between(moved_at, receiver_ended_at)) or (
        counts_itself(receiver) and proxy_had_rested(sender, receiver, link, heard_until=heard_until)
    )
    return had_read_all and idle_between(sent_at, sender_ended_at)
