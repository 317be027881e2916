"""On which hop each part was lost, as an account.

A proxy that got everything lost nothing before it; what never reached the first proxy was lost on the first hop. Else the first hop stands for one that
is not known, or none where several receivers may have lost the messages.
"""

from dataclasses import replace

from hopwatch_judge.optional import first_of, lowest, reaches
from hopwatch_judge.shared_out.share import (
    AROUND,
    IN_THE_CUT,
    KEPT,
    LEFT,
    REST,
    UNREAD,
    Part,
    ProxyHop,
    Share,
    Whole,
)
from hopwatch_judge.steps import IN_FLIGHT, UNEXPLAINED, Account

OF_LAST_HOP = (LEFT, UNREAD, KEPT, AROUND, IN_THE_CUT)
NEVER_EXACT = ("reconnect", "oversize", IN_FLIGHT, UNEXPLAINED)


def account(whole: Whole, part: Part) -> Account:
    """Return the account of a part, with the hop that lost it. What any of several receivers may have lost has none of them."""
    share = part.share
    if share is None:
        return _of_nobody(whole, part, whole.sent.sender.ended_at)
    at_end = _at_end(whole, part, share)
    is_known = (at_end or _at_start(whole, part, share)) and not share.relay_gone
    cause = part.cause if is_known or part.cause == IN_FLIGHT else UNEXPLAINED
    over_somebody = not share.linked and cause == UNEXPLAINED
    if whole.only_share is None and cause != IN_FLIGHT and (not is_known or over_somebody):
        return _of_nobody(whole, replace(part, cause=cause), _ended_at(share))
    depth = share.way.length if at_end else 1
    return Account(
        stream=whole.stream,
        receiver=share.receiver.id,
        lane=0,
        mark=f"{part.mark} {share.receiver.id}",
        messages=part.messages,
        depth=depth,
        from_socket=share.way.hops[depth - 1].from_socket,
        to_socket=share.way.hops[depth - 1].to_socket,
        cause=cause,
        exact=part.sure and cause not in NEVER_EXACT,
        started_at=_ended_at(share),
        ended_at=_ended_at(share),
    )


def account_before_proxy(whole: Whole, lost: ProxyHop) -> Account:
    """Return the account of what was lost in a cut before a proxy: of the only receiver, or of none."""
    receiver = whole.only_share.receiver.id if whole.only_share else None
    mark = f"before {IN_THE_CUT} {lost.depth}"
    return Account(
        stream=whole.stream,
        receiver=receiver,
        lane=0,
        mark=mark if receiver is None else f"{mark} {receiver}",
        messages=lost.lacking,
        depth=lost.depth,
        from_socket=lost.edge[0],
        to_socket=lost.edge[1],
        cause="reconnect",
        exact=False,
        started_at=whole.sent.until,
        ended_at=whole.sent.until,
    )


def _of_nobody(whole: Whole, part: Part, at: float | None) -> Account:
    return Account(
        stream=whole.stream,
        receiver=None,
        lane=0,
        mark=part.mark,
        messages=part.messages,
        depth=None,
        from_socket=None,
        to_socket=None,
        cause=part.cause,
        exact=False,
        started_at=at,
        ended_at=at,
    )


def _at_end(whole: Whole, part: Part, share: Share) -> bool:
    """Tell whether it was lost on the last hop: proxies' counts say so, or else the receiver left it unread, or was cut off."""
    if share.way.length == 1:
        return True
    lacking = _lacking(whole)
    if lacking is not None:
        return lacking <= 0 or (part.mark == LEFT and whole.missing - lacking >= part.messages)
    all_came_to_the_first = not whole.never_arrived_first
    return part.mark in OF_LAST_HOP and not share.cut_depths and all_came_to_the_first


def _at_start(whole: Whole, part: Part, share: Share) -> bool:
    """Tell whether as many never came to the first proxy, with no cut before it that later messages passed."""
    none_arrived = reaches(_lacking(whole), part.messages) and reaches(
        whole.never_arrived_first, part.messages
    )
    return none_arrived and part.mark == REST and not share.cut_depths


def _lacking(whole: Whole) -> int | None:
    """Return how many did not come to the last proxy, but for those lost in cuts."""
    return None if whole.never_arrived is None else whole.never_arrived - whole.lost_before


def _ended_at(share: Share) -> float | None:
    """Return when the first end went, or else when something came last."""
    ends = (share.sent.sender.ended_at, share.receiver.ended_at, share.way.left_at)
    return first_of(lowest(ends), share.moved_at)
