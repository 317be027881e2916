"""What marks cost and buy, in words: messages as memory and as seconds, where the figures are known."""

from hopwatch_analysis.report.costs import (
    about,
    figure,
    memory,
    reads,
    sent_to_it,
    size,
    takes_each,
)
from hopwatch_analysis.report.incident import Incident
from hopwatch_analysis.sockets.nodes import DROPPING_TYPES

FEWEST_FOR_EXAMPLE = 10
PART = 10
MATTERS = 0.05
"""A queue that takes less than such a part of what a process used is not why it used so much."""
KERNEL_HOLDS = 100_000
"""Bytes of messages that a TCP connection holds at the least, where nobody has set its buffers."""
BOTH = "SNDHWM or RCVHWM"
SENDERS = "SNDHWM"
"""Where the network is the limit, nothing waits in the receiver's inbox, and its mark buys nothing."""
ACKNOWLEDGE = "Work that must be done needs an acknowledgement, and to be sent again without one."


def with_full_queue(incident: Incident, mark: int | None, limit: int) -> str:
    """What a process has to have that used ``limit`` bytes and is to hold one full queue more, as a clause; nothing where that is not known, or
    where the queue is too small to be why.
    """
    if not mark or not incident.mean_bytes:
        return ""
    queue = mark * takes_each(incident.mean_bytes)
    if queue < MATTERS * limit:
        return ""
    return f"; with one full queue more {about(incident.mean_bytes)} {size(limit + queue)}"


def mark_now(incident: Incident, mark: int | None) -> str:
    """What a mark is, and what a queue of so many takes, in brackets; nothing if it is not known."""
    if mark is None:
        return ""
    if mark == 0:
        return " (now 0, unlimited)"
    takes = memory(incident, mark)
    return f" (now {mark}, {takes} for each peer)" if takes else f" (now {mark})"


def time_bought(incident: Incident, by: str = BOTH) -> str:
    """How long a higher mark lasts where more is sent than read, and what it costs."""
    sent, read = sent_to_it(incident), reads(incident)
    takes = memory(incident, 1000)
    if not sent or not read or sent <= read:
        cost = f" 1000 messages take {takes}." if takes else ""
        return f"it lasts until the pipe is full again.{cost}"
    cost = f" and take {takes}" if takes else ""
    # on average, pauses included: while it sends, it sends faster
    most = " at most" if incident.overload_rate is None else ""
    return (
        f"each 1000 messages of {by} last{most} {figure(1000 / (sent - read))} s at these rates{cost}, and what is read is read up to "
        f"{figure(1000 / read)} s later."
    )


def higher_mark(incident: Incident) -> str:
    """Which SNDHWM would have held the largest burst of all incidents of the hop, and what that costs."""
    burst = incident.largest_burst or incident.longest
    why = f"as a sender counts what was read only at each half of its mark{_in_time(incident)}"
    if not incident.sndhwm:
        return (
            f"Raise SNDHWM of {incident.sender} to at least twice the sum of what it is and {burst}, which the largest burst on this hop lost: "
            f"twice, {why}"
        )
    inproc = incident.transport == "inproc" and bool(incident.rcvhwm)
    held = incident.sndhwm + (incident.rcvhwm or 0 if inproc else 0)
    more = held + 2 * burst
    by = "both marks" if inproc else "it"
    return (
        f"Raise SNDHWM of {incident.sender} from {incident.sndhwm} to at least {incident.sndhwm + more}: room for the {held} that {by} held "
        f"and the {burst} that the largest burst on this hop lost, twice, {why}"
    )


def _in_time(incident: Incident) -> str:
    """A bound endpoint of tcp or ipc gives connections the mark that it had at its bind (instrumentation/hopwatch/rules/marks.py)."""
    if incident.sender_connects or incident.transport == "inproc":
        return ""
    return ". Set it before bind: an endpoint that is bound keeps its mark"


def cost_of_higher_mark(incident: Incident) -> str | None:
    """What that mark costs while it is full."""
    burst = incident.largest_burst or incident.longest
    held = (incident.sndhwm or 0) + ((incident.rcvhwm or 0) if incident.transport == "inproc" else 0)
    if not incident.sndhwm:
        return None
    more, read = held + 2 * burst, reads(incident)
    takes = memory(incident, more)
    room = f", {takes} at {incident.sender} for each peer that is so slow" if takes else ""
    late = f", and one may wait {figure((held + more) / read)} s to be read" if read else ""
    return f"That costs, while it is full, {more} messages more{room}{late}."


def lower_sndhwm(incident: Incident) -> str:
    """What a lower SNDHWM does for messages that die with their sender."""
    now = mark_now(incident, incident.sndhwm)
    if incident.sender_type in DROPPING_TYPES:
        return (
            f"A lower SNDHWM{now} would not have saved them: what has no room in its queue a {incident.sender_type} drops at once; "
            "messages that must not be lost have to be stored until acknowledged."
        )
    bound = _no_more_than(incident, _example_of_lower_mark(incident, incident.sndhwm))
    return (
        f"A lower SNDHWM{now} bounds how many that can be{bound}, beside some kilobytes that are being written, and a send beyond that waits or is refused, so that the application "
        "knows; messages that must not be lost have to be stored until acknowledged."
    )


def lower_rcvhwm(incident: Incident) -> str:
    """What a lower RCVHWM does for messages that die with their receiver, and what it does to the sender."""
    if _kernel_may_hold_all(incident):
        now = mark_now(incident, incident.rcvhwm)
        return (
            f"A lower RCVHWM{now} alone may not make it less: these were {size(incident.lost * (incident.mean_bytes or 0))} in all, which the kernel's "
            f"buffers hold beside it, if nobody has made them smaller (RCVBUF, SNDBUF). {ACKNOWLEDGE}"
        )
    keeps_its_queue = incident.sender_connects and incident.immediate != 1
    told = _inbox_alone(incident) if keeps_its_queue else _both_queues(incident)
    return f"{told} {ACKNOWLEDGE}"


def _inbox_alone(incident: Incident) -> str:
    """A sender that connected keeps what it has queued for whoever comes."""
    now = mark_now(incident, incident.rcvhwm)
    lower = _example_of_lower_mark(incident, incident.rcvhwm)
    asked = sent_to_it(incident)
    soon = ""
    if lower is not None and incident.rcvhwm and asked:
        soon = f" ({figure((incident.rcvhwm - lower) / asked)} s sooner, when nobody reads)"
    then = "and drops" if incident.sender_type in DROPPING_TYPES else "and sends wait"
    return (
        f"A lower RCVHWM{now} bounds how many that can be{_no_more_than(incident, lower)}, beside what the kernel holds; the pipe of "
        f"{incident.sender} is full the sooner for it{soon}, {then}."
    )


def _both_queues(incident: Incident) -> str:
    """What a bound sender has queued goes with its receiver (tests/instrumentation/test_what_reconnecting_keeps.py)."""
    sender, sndhwm, rcvhwm = incident.sender, incident.sndhwm, incident.rcvhwm
    why = "as it is bound"
    if incident.sender_connects is None:
        why = "if it is bound"
    elif incident.sender_connects:
        why = "as ZMQ_IMMEDIATE is on there"
    together = f": together they hold up to {sndhwm + rcvhwm}" if sndhwm and rcvhwm else ""
    if incident.sender_type in DROPPING_TYPES:
        then = f"lower ones make {sender} drop the sooner, and save nothing"
    else:
        then = f"lower ones let fewer be lost so, and sends of {sender} wait the sooner"
    return (
        f"RCVHWM of {incident.receiver}{mark_now(incident, rcvhwm)} alone does not bound how many that can be: what is queued for it at {sender} is lost with it, "
        f"{why}, up to SNDHWM{mark_now(incident, sndhwm)}. Both marks do, beside what the kernel holds{together}; {then}."
    )


def what_queues_take(incident: Incident, mark: int | None) -> str:
    """How much the queues of a process may take, as a clause."""
    if mark == 0:
        return "its queues have no bound (mark 0)"
    if mark is None or not incident.mean_bytes:
        return "a queue takes its mark times the size of a message"
    takes = memory(incident, mark)
    return f"a queue takes up to {mark} messages of {size(incident.mean_bytes)}, {takes} for each peer"


def _example_of_lower_mark(incident: Incident, mark: int | None) -> int | None:
    """A mark under which only a part of what was lost could have been; None where that would say nothing, or where more was lost than the mark
    let wait: then it was not what bounded that.
    """
    lower = incident.lost // PART
    if incident.lost < FEWEST_FOR_EXAMPLE or (mark and incident.lost > mark):
        return None
    return lower


def _no_more_than(incident: Incident, lower: int | None) -> str:
    """What that mark bounds; nothing where there is no example."""
    if lower is None:
        return ""
    takes = memory(incident, lower)
    return f": at {lower}, no more than {lower}{f' ({takes})' if takes else ''}"


def _kernel_may_hold_all(incident: Incident) -> bool:
    """Over TCP, what is behind a full mark waits in its buffers."""
    return (
        incident.transport == "tcp" and incident.lost * (incident.mean_bytes or KERNEL_HOLDS) < KERNEL_HOLDS
    )
