"""Why the last messages of a share are missing: by which end went first, and how sure that is."""

from hopwatch_judge.optional import exceeds, lowest
from hopwatch_judge.resting import died, had_all_that_came, idle_between, said_nothing_was_left, sender_let_go
from hopwatch_judge.shared_out.kept import is_proved, outlives_its_receiver
from hopwatch_judge.shared_out.share import Share, Whole
from hopwatch_judge.shared_out.suspects import seen_by_one, sent_when_back
from hopwatch_judge.steps import IN_FLIGHT, UNEXPLAINED
from hopwatch_judge.went import went_unseen


def why_cut(share: Share) -> str:
    """Return the cause of what was lost in a cut; where the receiver hung up in some of the cuts only, nothing tells which of them it was."""
    link = share.link
    hung_up = link.hung_up is not None and len(link.hang_ups) == len(link.downs)
    return "oversize" if hung_up else "reconnect"


def why_left(share: Share) -> str:
    """Return the cause of what a receiver that left took along."""
    return "receiver_died" if died(share.receiver) else "closed"


def why_the_rest(share: Share) -> str:
    """Return what became of messages that no receiver is known to have taken along."""
    sender, receiver = share.sent.sender, share.receiver
    waits = share.feeder.ended_at is None and outlives_its_receiver(share)
    if share.reads_on or waits:
        return IN_FLIGHT
    if died(sender):
        return "sender_died"
    if sender.end == "closed":
        with_receiver = died(receiver) and not sender_let_go(sender, receiver, share.moved_at)
        return "receiver_died" if with_receiver else "closed"
    return IN_FLIGHT if receiver.ended_at is None else UNEXPLAINED


def all_is_known(whole: Whole, share: Share) -> bool:
    """Return whether it is known how this receiver is connected, that there are no others, that no other connection went down, and that this one
    did as an end went, and as which one.
    """
    return (
        share.linked
        and whole.all_watched
        and not whole.perhaps_others
        and not seen_by_one(share)
        and not went_unseen(share.link, share.feeder, share.receiver)
    )


def had_read_all_that_came(share: Share) -> bool:
    """Return whether the receiver read on to the end: where both ends were closed, that is why, whichever had the rest."""
    had_it_all = not died(share.sent.sender) or had_all_that_came(
        share.link.to_end_down_at, share.moved_at, share.receiver.ended_at
    )
    return had_it_all and said_nothing_was_left(share.receiver)


def is_known_to_have_ended(share: Share) -> bool:
    """Return whether a receiver that left ended: it may have been told to leave."""
    return share.receiver.ended_at is not None


def is_sure_behind_a_cut(whole: Whole, share: Share) -> bool:
    """Return whether what the receiver lacks had been sent when something came by its new connection, and how that one ended is known."""
    got_some_since = exceeds(share.reached, sent_when_back(share))
    left = share.way.receiver_left_first
    how_it_ended = is_known_to_have_ended(share) if left else had_read_all_that_came(share)
    is_gone = is_proved(share, share.sent.messages - share.reached)
    return got_some_since and how_it_ended and is_gone and all_is_known(whole, share)


def is_unsure(whole: Whole, share: Share) -> bool:
    """Return whether it is not known who went first, who else received, over whom messages went, or who had taken them.

    A REQ with ZMQ_REQ_RELAXED throws away what is in its queue when it asks anew.
    """
    over_somebody = not share.linked and share.sent.sender.has_connected
    throws_away = share.receiver.req_relaxed == 1
    return whole.unsure or whole.unknown_peers or over_somebody or throws_away or _may_have_been_cut(share)


def _may_have_been_cut(share: Share) -> bool:
    """Tell whether the connection was not watched all the time, and nothing came over it for a while before an end was gone."""
    first_end = lowest((share.sent.sender.ended_at, share.receiver.ended_at))
    return not share.watched and idle_between(share.moved_at, first_end)
