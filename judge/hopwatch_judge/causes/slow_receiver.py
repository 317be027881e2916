"""The receiver reads more slowly than the sender sends."""

from hopwatch_judge import costs, marks, pipes
from hopwatch_judge.cause import Cause
from hopwatch_judge.claim import FIT, Claim
from hopwatch_judge.clues import claims
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.clues.kernel import NETWORK, RECEIVER
from hopwatch_judge.incident import Evidence, Incident
from hopwatch_judge.thresholds import LONGEST_BURST


def _overload(incident: Incident) -> Evidence | None:
    sent, read = incident.overload_rate, incident.overload_read
    if sent is None or read is None:
        return None
    text = (
        f"while it lost messages, for more than {LONGEST_BURST} s, {incident.receiver} was sent {sent:.0f} messages/s "
        f"in all, and read at most {read:.0f}/s"
    )
    return {"kind": "overload", "text": text, "asked_rate": round(sent), "read_rate": round(read)}


def _window(incident: Incident) -> Evidence | None:
    if not incident.window_was_full:
        return None
    text = f"the kernel at {incident.sender} said at least once that {incident.receiver} was the limit: it did not read what had arrived"
    return {"kind": "tcp", "text": text}


def _advise(incident: Incident) -> list[str]:
    rates = ""
    sent, read = costs.sent_to_it(incident), costs.reads(incident)
    on_average = " on average, pauses included" if incident.overload_rate is None else ""
    if sent and read and sent > read:
        rates = f": it reads {read:.0f} messages/s, and gets sent {sent:.0f}{on_average}"
    return [
        f"Make {incident.receiver} faster, or give it less{rates}. Take its work off the receiving thread, or spread it over several receivers.",
        _if_so_be_it(incident),
        f"A higher mark only delays the loss: {marks.time_bought(incident)}",
    ]


def _if_so_be_it(incident: Incident) -> str:
    """What to do where the receiver stays as slow."""
    if incident.sender_type == "ROUTER":
        return (
            f"Or set ROUTER_MANDATORY on {incident.sender}: a send to a peer whose pipe is full then waits, or is refused with EAGAIN, so that "
            "the application knows."
        )
    return "If it only needs the newest messages, drop on purpose: subscribe to less, or skip old ones when it lags."


def _explain(clues: Clues) -> Claim | None:
    """The pipe was full, for longer than in bursts as far as is known. Proved, where the receiver is shown to have been too slow, and no network can be why."""
    full = claims.pipe_of_receiver(clues)
    in_bursts = clues.pressure.in_bursts and clues.overloaded is None
    if full is None or in_bursts or clues.limited_by == NETWORK:
        return None
    too_slow = bool(clues.overloaded) or clues.pressure.most_of_the_time
    return full if too_slow and clues.link.linked and not _network_may_be_why(clues) else FIT


def _network_may_be_why(clues: Clues) -> bool:
    """Between two hosts, unless the kernel said that it was the receiver: it says so of whoever ends the connection."""
    if clues.link.masqueraded:
        return True
    within_a_host = clues.sender.host is not None and clues.sender.host == clues.receiver.host
    between_hosts = clues.link.transport in ("tcp", None) and not within_a_host
    return between_hosts and clues.limited_by != RECEIVER


CAUSE = Cause(
    name="slow_receiver",
    because="{receiver} reads more slowly than {sender} sends, and the pipe between them was full",
    seen=(pipes.full_pipe, pipes.rates, _overload, _window, pipes.sent_on, pipes.marks),
    advise=_advise,
    explain=_explain,
)
