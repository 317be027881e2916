"""What messages cost, in words: as memory, as bandwidth and as seconds, where the figures are known."""

from hopwatch_analysis.report.incident import Incident
from hopwatch_analysis.terms.queued import BESIDE_ONE, FITS_INTO_IT, SLOT

UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
WHOLE_FROM = 10
LARGE = 1000
MOSTLY = 0.8
"""Of a buffer that is the limit, at least so much gets through in a round trip."""
ROUND_TRIPS_HELD = 2
"""A buffer that holds as much as is sent in so many round trips was seen to be enough."""


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
    return f"{about(incident.mean_bytes)} {size(messages * takes_each(incident.mean_bytes))}"


def about(mean_bytes: float) -> str:
    """How sure a size is, as a word: more frames, as a stamp is one, take more."""
    return "about" if mean_bytes >= LARGE else "at least"


def takes_each(mean_bytes: float) -> float:
    """Bytes that a message of so many takes in a queue."""
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
    bound = "net.core.wmem_max" if option == "SNDBUF" else "net.core.rmem_max"
    return (
        f"Raise {option} of {name} from {bytes_} to at least {round(ROUND_TRIPS_HELD * needed)} bytes before it binds or connects (later it does nothing, and the "
        f"kernel gives no more than {bound}), or leave it unset (-1), so that the kernel finds its size: "
        f"not much more than it holds gets through in a round trip, which takes {incident.min_rtt_us / 1000:g} ms at best; {size(needed)} are sent in that time. "
        "The kernel may take twice as much memory for each connection."
    )


def sent_again(incident: Incident) -> str:
    """How many segments had to be, as a clause; nothing where none were seen to be."""
    if not incident.retransmissions or not incident.segments_sent:
        return ""
    share = incident.retransmissions / incident.segments_sent
    return f": {incident.retransmissions} of all {incident.segments_sent} segments on this hop were sent again ({share:.1%})"


def time_to_send(incident: Incident, messages: int) -> float | None:
    """Seconds that the receiver takes to read so many messages at the most that it was seen to read; None if not known."""
    read = reads(incident)
    return messages / read if read else None
