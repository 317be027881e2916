"""Evidence that a pipe was full, and of what made it so."""

from hopwatch_analysis.overload.stretches import LONGEST_BURST
from hopwatch_analysis.report.incident import Evidence, Incident
from hopwatch_analysis.report.wording import mark, percent, rate

LONG = 0.1  # seconds: within less, a pipe that was full hardly has room again
MUCH_THE_SAME = 0.01


def full_pipe(incident: Incident) -> Evidence:
    if incident.onsets:
        begin = (
            "the run begins"
            if incident.runs == 1
            else f"{incident.onsets} of {incident.runs} runs {'begins' if incident.onsets == 1 else 'begin'}"
        )
        text = f"{begin} exactly at a message that met a full pipe at {incident.sender}"
        return {"kind": "onset", "text": text, "onsets": incident.onsets}
    text = (
        f"the pipe of {incident.sender} cannot be probed; the connection was up, and what drops messages on a "
        "connection that is up is a full pipe"
    )
    return {"kind": "elimination", "text": text}


def rates(incident: Incident) -> Evidence | None:
    if incident.mean_rate is None and incident.capacity is None:
        text = "neither the sender's rate nor the receiver's could be measured"
        return {"kind": "rates", "text": text}
    sent = rate(
        incident.mean_rate,
        "the sender's mean rate is not known",
        "sent at {} messages/s on average, its pauses included",
    )
    taken = rate(
        incident.capacity,
        f"how fast {incident.receiver} can read is not known",
        "the receiver was seen to read at up to {}/s",
    )
    return {
        "kind": "rates",
        "text": "; ".join((sent, *_asked_in_all(incident), taken)),
        "mean_rate": _whole(incident.mean_rate),
        "asked_rate": _whole(incident.asked_rate),
        "capacity": _whole(incident.capacity),
    }


def _asked_in_all(incident: Incident) -> list[str]:
    asked, mean = incident.asked_rate, incident.mean_rate
    if asked is None or (mean is not None and abs(asked - mean) <= MUCH_THE_SAME * mean):
        return []
    return [f"in all, {incident.receiver} is sent {asked:.0f}/s on average"]


def overload(incident: Incident) -> Evidence | None:
    if incident.overload_rate is None or incident.overload_read is None:
        return None
    text = (
        f"while it lost messages, for more than {LONGEST_BURST} s, {incident.receiver} was sent {incident.overload_rate:.0f} messages/s "
        f"in all, and read at most {incident.overload_read:.0f}/s"
    )
    return {
        "kind": "overload",
        "text": text,
        "asked_rate": _whole(incident.overload_rate),
        "read_rate": _whole(incident.overload_read),
    }


def _whole(rate: float | None) -> int | None:
    """Messages a second, rounded: numbers in a report are integers."""
    return None if rate is None else round(rate)


def window(incident: Incident) -> Evidence | None:
    if not incident.window_was_full:
        return None
    text = f"the kernel at {incident.sender} said at least once that {incident.receiver} was the limit: it did not read what had arrived"
    return {"kind": "tcp", "text": text}


def network(incident: Incident) -> Evidence:
    text = f"the kernel at {incident.sender} said that the way to {incident.receiver} was the limit, not its window"
    if incident.retransmissions and incident.segments_sent:
        text += f": {incident.retransmissions} of all {incident.segments_sent} segments that it sent there were retransmissions"
    if incident.rtt_us is not None:
        least = "" if incident.min_rtt_us is None else f", {incident.min_rtt_us / 1000:g} ms at best"
        text += f"; while it was, a round trip took up to {incident.rtt_us / 1000:g} ms{least}"
    return {
        "kind": "tcp",
        "text": text,
        "rtt_us": incident.rtt_us,
        "min_rtt_us": incident.min_rtt_us,
        "retransmissions": incident.retransmissions,
        "segments_sent": incident.segments_sent,
    }


def bursts(incident: Incident) -> Evidence | None:
    if incident.loss_share is None:
        return None
    text = f"the losses span {percent(incident.loss_share)} of the time from its first message to its last"
    return {"kind": "bursts", "text": text, "loss_percent": round(incident.loss_share * 100)}


def sent_on(incident: Incident) -> Evidence | None:
    if incident.exact or not incident.sent_on or incident.sent_on < LONG:
        return None
    text = (
        f"{incident.sender} went on sending for up to {incident.sent_on:.1f} s after its pipe was full, and nothing tells whether that had room "
        "again by then: some of what is counted here may have been lost with its queue instead"
    )
    return {"kind": "sent_on", "text": text, "milliseconds": round(incident.sent_on * 1000)}


def caught_up(incident: Incident) -> Evidence | None:
    if incident.keeps_up:
        return None
    if incident.went_on:
        text = (
            f"behind its last loss {incident.receiver} got everything again, for as long as the losses had lasted, and more messages "
            "than both marks let wait"
        )
        return {"kind": "went_on", "text": text}
    text = f"{incident.receiver} had nothing left to read in between, while {incident.sender} went on sending"
    return {"kind": "caught_up", "text": text}


def marks(incident: Incident) -> Evidence | None:
    if incident.sndhwm is None and incident.rcvhwm is None:
        return None
    text = f"SNDHWM of {incident.sender} is {mark(incident.sndhwm)}, RCVHWM of {incident.receiver} is {mark(incident.rcvhwm)}"
    return {"kind": "marks", "text": text, "sndhwm": incident.sndhwm, "rcvhwm": incident.rcvhwm}
