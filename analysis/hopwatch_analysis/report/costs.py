"""What marks cost and buy, in words: messages as memory and as seconds, where the figures are known."""

from hopwatch_analysis.report.incident import Incident
from hopwatch_analysis.sockets.nodes import DROPPING_TYPES
from hopwatch_analysis.terms.queued import BESIDE_ONE, FITS_INTO_IT, SLOT

UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
WHOLE_FROM = 10
LARGE = 1000
FEWEST_FOR_EXAMPLE = 10
PART = 10
MOSTLY = 0.8
"""Of a buffer that is the limit, at least so much gets through in a round trip."""
ROUND_TRIPS_HELD = 2
"""A buffer that holds as much as is sent in so many round trips was seen to be enough."""
MATTERS = 0.05
"""A queue that takes less than such a part of what a process used is not why it used so much."""
KERNEL_HOLDS = 100_000
"""Bytes of messages that a TCP connection holds at the least, where nobody has set its buffers."""


def size(bytes_: float) -> str:
    """A number of bytes as people say it."""
    for unit, name in UNITS:
        if bytes_ >= unit:
            return f"{figure(bytes_ / unit)} {name}"
    return f"{bytes_:.0f} bytes"


def figure(number: float) -> str:
    """A number to two places, or whole."""
    return f"{number:.2g}" if number < WHOLE_FROM else f"{number:.0f}"


def length(incident: Incident, messages: float) -> str | None:
    """How long so many messages of the incident's sender are in all, for who keeps them elsewhere; None if not known."""
    return f"about {size(messages * incident.mean_bytes)}" if incident.mean_bytes else None


def memory(incident: Incident, messages: float) -> str | None:
    """What so many messages of the incident's sender take in a queue; None if not known."""
    if not incident.mean_bytes:
        return None
    return f"{_about(incident.mean_bytes)} {size(messages * _takes_each(incident.mean_bytes))}"


def with_full_queue(incident: Incident, mark: int | None, limit: int) -> str:
    """What a process has to have that used ``limit`` bytes and is to hold one full queue more, as a clause; nothing where that is not known, or
    where the queue is too small to be why.
    """
    if not mark or not incident.mean_bytes:
        return ""
    queue = mark * _takes_each(incident.mean_bytes)
    if queue < MATTERS * limit:
        return ""
    return f"; with one full queue more {_about(incident.mean_bytes)} {size(limit + queue)}"


def _about(mean_bytes: float) -> str:
    """More frames, as a stamp is one, take more."""
    return "about" if mean_bytes >= LARGE else "at least"


def _takes_each(mean_bytes: float) -> float:
    return SLOT if mean_bytes <= FITS_INTO_IT else mean_bytes + BESIDE_ONE


def largest(incident: Incident) -> str:
    """How large the messages of the incident's sender are, as a clause."""
    usual = f"those are {size(incident.mean_bytes)} on average, and " if incident.mean_bytes else ""
    if not incident.largest_then:
        return f"{usual}how large the largest was is not known"
    return f"{usual}one that it sent when {incident.receiver} hung up had about {size(incident.largest_then)}, by the bytes that it counted"


def sent_to_it(incident: Incident) -> float | None:
    """Messages a second that the receiver was sent while it was too slow, else on average."""
    told = (incident.overload_rate, incident.asked_rate, incident.mean_rate)
    return next((rate for rate in told if rate is not None), None)


def reads(incident: Incident) -> float | None:
    """Messages a second that it was then seen to read at most."""
    return incident.capacity if incident.overload_read is None else incident.overload_read


def bandwidth(incident: Incident) -> str:
    """What is sent over the network and what gets through, as a clause; nothing where it is not known."""
    sent, read = sent_to_it(incident), reads(incident)
    if not sent or not _bytes_each(incident):
        return ""
    through = f", of which {_megabits(incident, read)} got through at most" if read and read < sent else ""
    return f": {_megabits(incident, sent)} are sent to {incident.receiver}{through}"


def _bytes_each(incident: Incident) -> float:
    """How large a message is that the receiver is sent, of whatever sender; 0 if not known."""
    return incident.asked_bytes or incident.mean_bytes or 0


def _megabits(incident: Incident, rate: float) -> str:
    """Megabits a second of messages alone: packets and frames add to that."""
    return f"{figure(rate * _bytes_each(incident) * 8 / 1e6)} Mbit/s"


def small_buffer(incident: Incident) -> str | None:
    """Which of the two buffers lets less be under way than is sent in a round trip, and how large it would have to be; None: neither is known to.

    As much as a buffer was set to gets through in each round trip, or somewhat more (tests/scenarios/test_long_ways.py).
    """
    sent, each = sent_to_it(incident), _bytes_each(incident)
    if not sent or not each or not incident.min_rtt_us:
        return None
    seconds = incident.min_rtt_us / 1e6
    needed = sent * each * seconds
    read = reads(incident)
    through = read * each * seconds if read else needed
    ends = (("SNDBUF", incident.sender, incident.sndbuf), ("RCVBUF", incident.receiver, incident.rcvbuf))
    small = [end for end in ends if end[2] is not None and 0 < end[2] < needed and through >= MOSTLY * end[2]]
    if not small:
        return None
    option, name, bytes_ = min(small, key=lambda end: end[2] or 0)
    return (
        f"Raise {option} of {name} from {bytes_} to at least {round(ROUND_TRIPS_HELD * needed)} bytes, or leave it unset (-1), so that the kernel finds its size: "
        f"not much more than it holds gets through in a round trip, which takes {incident.min_rtt_us / 1000:g} ms at best; {size(needed)} are sent in that time. "
        "The kernel may take twice as much memory for each connection."
    )


def sent_again(incident: Incident) -> str:
    """How many segments had to be, as a clause; nothing where none were seen to be."""
    if not incident.retransmissions or not incident.segments_sent:
        return ""
    share = incident.retransmissions / incident.segments_sent
    return f": {incident.retransmissions} of {incident.segments_sent} segments were sent again ({share:.1%})"


def time_to_send(incident: Incident, messages: int) -> float | None:
    """Seconds that the receiver takes to read so many messages at the most that it was seen to read; None if not known."""
    read = reads(incident)
    return messages / read if read else None


def mark_now(incident: Incident, mark: int | None) -> str:
    """What a mark is, and what a queue of so many takes, in brackets; nothing if it is not known."""
    if mark is None:
        return ""
    if mark == 0:
        return " (now 0, unlimited)"
    takes = memory(incident, mark)
    return f" (now {mark}, {takes} for each peer)" if takes else f" (now {mark})"


def time_bought(incident: Incident) -> str:
    """How long a higher mark lasts where more is sent than read, and what it costs."""
    sent, read = sent_to_it(incident), reads(incident)
    takes = memory(incident, 1000)
    if not sent or not read or sent <= read:
        cost = f" 1000 messages take {takes}." if takes else ""
        return f"it lasts until the pipe is full again.{cost}"
    cost = f" and take {takes}" if takes else ""
    return (
        f"each 1000 messages of SNDHWM or RCVHWM last {figure(1000 / (sent - read))} s at these rates{cost}, and what is read is read up to "
        f"{figure(1000 / read)} s later."
    )


def higher_mark(incident: Incident) -> str:
    """Which SNDHWM would have held the largest burst, and what that costs."""
    burst = incident.largest_burst or incident.longest
    why = "as a sender counts what was read only at each half of its mark"
    if not incident.sndhwm:
        return (
            f"Raise SNDHWM of {incident.sender} to at least twice the sum of what it is and {burst}, which the largest burst lost: "
            f"twice, {why}"
        )
    inproc = incident.transport == "inproc" and bool(incident.rcvhwm)
    held = incident.sndhwm + (incident.rcvhwm or 0 if inproc else 0)
    more = held + 2 * burst
    by = "both marks" if inproc else "it"
    return (
        f"Raise SNDHWM of {incident.sender} from {incident.sndhwm} to at least {incident.sndhwm + more}: room for the {held} that {by} held "
        f"and the {burst} that the largest burst lost, twice, {why}"
    )


def cost_of_higher_mark(incident: Incident) -> str | None:
    """What that mark costs while it is full."""
    burst = incident.largest_burst or incident.longest
    held = (incident.sndhwm or 0) + ((incident.rcvhwm or 0) if incident.transport == "inproc" else 0)
    if not incident.sndhwm:
        return None
    more, read = held + 2 * burst, reads(incident)
    takes = memory(incident, more)
    room = f", {takes} at {incident.sender}" if takes else ""
    late = f", and one may wait {figure((held + more) / read)} s to be read" if read else ""
    return f"That costs, while it is full, {more} messages more{room}{late}."


def example_of_lower_mark(incident: Incident, mark: int | None) -> int | None:
    """A mark under which only a part of what was lost could have been; None where that would say nothing."""
    lower = incident.lost // PART
    if incident.lost < FEWEST_FOR_EXAMPLE or (mark and lower >= mark):
        return None
    return lower


def no_more_than(incident: Incident, lower: int | None) -> str:
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


def lower_sndhwm(incident: Incident) -> str:
    """What a lower SNDHWM does for messages that die with their sender."""
    now = mark_now(incident, incident.sndhwm)
    if incident.sender_type in DROPPING_TYPES:
        return (
            f"A lower SNDHWM{now} would not have saved them: what has no room in its queue a {incident.sender_type} drops at once; "
            "messages that must not be lost have to be stored until acknowledged."
        )
    bound = no_more_than(incident, example_of_lower_mark(incident, incident.sndhwm))
    return (
        f"A lower SNDHWM{now} bounds how many that can be{bound}, and a send beyond that waits or is refused, so that the application "
        "knows; messages that must not be lost have to be stored until acknowledged."
    )


def lower_rcvhwm(incident: Incident) -> str:
    """What a lower RCVHWM does for messages that die with their receiver, and what it does to the sender."""
    now = mark_now(incident, incident.rcvhwm)
    if _kernel_may_hold_all(incident):
        return (
            f"A lower RCVHWM{now} alone may not make it less: these were {size(incident.lost * (incident.mean_bytes or 0))} in all, which the kernel's "
            "buffers hold beside it, if nobody has made them smaller (RCVBUF, SNDBUF). Work that must be done needs an acknowledgement, and to "
            "be sent again without one."
        )
    lower = example_of_lower_mark(incident, incident.rcvhwm)
    asked = sent_to_it(incident)
    soon = ""
    if lower is not None and incident.rcvhwm and asked:
        soon = f" ({figure((incident.rcvhwm - lower) / asked)} s sooner, when nobody reads)"
    then = "and drops" if incident.sender_type in DROPPING_TYPES else "and sends wait"
    return (
        f"A lower RCVHWM{now} bounds how many that can be{no_more_than(incident, lower)}, beside what the kernel holds; the pipe of "
        f"{incident.sender} is full the sooner for it{soon}, {then}. Work that must be done needs an acknowledgement, and to be sent again without one."
    )


def what_queues_take(incident: Incident, mark: int | None) -> str:
    """How much the queues of a process may take, as a clause."""
    if mark == 0:
        return "its queues have no bound (mark 0)"
    if mark is None or not incident.mean_bytes:
        return "a queue takes its mark times the size of a message"
    takes = memory(incident, mark)
    return f"a queue takes up to {mark} messages of {size(incident.mean_bytes)}, {takes} for each peer"
