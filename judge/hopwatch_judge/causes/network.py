"""The network between the two ends was the limit, not the receiver."""

from hopwatch_judge import marks, pipes
from hopwatch_judge.cause import Cause
from hopwatch_judge.claim import FIT, Claim
from hopwatch_judge.clues import claims
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.clues.kernel import NETWORK
from hopwatch_judge.costs import figure, reads, sent_to_it, size
from hopwatch_judge.incident import Evidence, Incident
from hopwatch_judge.thresholds import LOSSY

MOSTLY = 0.8
"""Of a buffer that is the limit, at least so much gets through in a round trip."""
ROUND_TRIPS_HELD = 2
"""A buffer that holds as much as is sent in so many round trips was seen to be enough."""


def _way(incident: Incident) -> Evidence:
    text = f"the kernel at {incident.sender} said that the way to {incident.receiver} was the limit, not its window"
    if incident.retransmissions and incident.segments_sent:
        text += f": {incident.retransmissions} of all {incident.segments_sent} segments that it sent there were retransmissions"
    if incident.rtt_us is not None:
        least = "" if incident.min_rtt_us is None else f", {incident.min_rtt_us / 1000:g} ms at best"
        text += f"; while it was, a round trip took up to {incident.rtt_us / 1000:g} ms{least}"
    figures = ("rtt_us", "min_rtt_us", "retransmissions", "segments_sent")
    return {"kind": "tcp", "text": text, **{name: getattr(incident, name) for name in figures}}


def _advise(incident: Incident) -> list[str]:
    """Nothing waits in the receiver's inbox, so that its mark buys nothing."""
    delays = f"A higher mark only delays the loss: {marks.time_bought(incident, 'SNDHWM')}"
    again = _sent_again(incident)
    if not again and (buffer := _small_buffer(incident)):
        return [buffer, delays]
    where = f"the network between {incident.sender} and {incident.receiver}"
    fewer = "" if incident.sender_type == "ROUTER" else "subscribe to less, "
    return [
        f"Find out why {where} loses packets{again}."
        if again
        else f"Give {where} more bandwidth{_bandwidth(incident)}.",
        f"Or send less over it: {fewer}compress, or put small messages together. The receiver is not the limit: making it faster, or raising RCVHWM, changes nothing.",
        delays,
    ]


def _sent_again(incident: Incident) -> str:
    """How many segments had to be, as a clause; nothing where they are too few for packets to be lost on the way."""
    again, sent = incident.retransmissions, incident.segments_sent
    if not again or not sent or again < LOSSY * sent:
        return ""
    return f": {again} of all {sent} segments on this hop were sent again ({again / sent:.1%})"


def _bandwidth(incident: Incident) -> str:
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


def _small_buffer(incident: Incident) -> str | None:
    """Which of the two buffers lets less be under way than is sent in a round trip, and how large it would have to be; None: neither is known to.

    As much as a buffer was set to gets through in each round trip, or somewhat more (tests/scenarios/test_long_ways.py).
    """
    sent, each = sent_to_it(incident), _bytes_each(incident)
    if not sent or not each or not incident.min_rtt_us:
        return None
    seconds = incident.min_rtt_us / 1e6
    needed = sent * each * seconds
    through = (reads(incident) or sent) * each * seconds
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


def _explain(clues: Clues) -> Claim | None:
    """The pipe was full, and the kernel said that the sender waited for the network."""
    full = claims.pipe_of_receiver(clues)
    return FIT if full and clues.limited_by == NETWORK else None


CAUSE = Cause(
    name="network",
    because="the network between {sender} and {receiver} was too slow or lossy, and the pipe between them was full",
    seen=(pipes.full_pipe, _way, pipes.rates, pipes.sent_on, pipes.marks),
    advise=_advise,
    explain=_explain,
)
