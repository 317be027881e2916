"""Evidence that a pipe was full."""

from hopwatch_judge.incident import Evidence, Incident

LONG = 0.1  # seconds: within less, a pipe that was full hardly has room again
MUCH_THE_SAME = 0.01


def full_pipe(incident: Incident) -> Evidence:
    """What proves it, or that nothing else fits."""
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


def rates(incident: Incident) -> Evidence:
    mean, asked, capacity = incident.mean_rate, incident.asked_rate, incident.capacity
    if mean is None and capacity is None:
        text = "neither the sender's rate nor the receiver's could be measured"
        return {"kind": "rates", "text": text}
    told = [
        "the sender's mean rate is not known"
        if mean is None
        else f"sent at {mean:.0f} messages/s on average, its pauses included"
    ]
    if asked is not None and (mean is None or abs(asked - mean) > MUCH_THE_SAME * mean):
        told += [f"in all, {incident.receiver} is sent {asked:.0f}/s on average"]
    told += [
        f"how fast {incident.receiver} can read is not known"
        if capacity is None
        else f"the receiver was seen to read at up to {capacity:.0f}/s"
    ]
    figures = {"mean_rate": mean, "asked_rate": asked, "capacity": capacity}
    rounded = {name: None if rate is None else round(rate) for name, rate in figures.items()}
    return {"kind": "rates", "text": "; ".join(told), **rounded}


def sent_on(incident: Incident) -> Evidence | None:
    """What may have been lost otherwise."""
    if incident.exact or not incident.sent_on or incident.sent_on < LONG:
        return None
    text = (
        f"{incident.sender} went on sending for up to {incident.sent_on:.1f} s after its pipe was full, and nothing tells whether that had room "
        "again by then: some of what is counted here may have been lost with its queue instead"
    )
    return {"kind": "sent_on", "text": text, "milliseconds": round(incident.sent_on * 1000)}


def marks(incident: Incident) -> Evidence | None:
    if incident.sndhwm is None and incident.rcvhwm is None:
        return None
    text = f"SNDHWM of {incident.sender} is {_mark(incident.sndhwm)}, RCVHWM of {incident.receiver} is {_mark(incident.rcvhwm)}"
    return {"kind": "marks", "text": text, "sndhwm": incident.sndhwm, "rcvhwm": incident.rcvhwm}


def _mark(value: int | None) -> str:
    return "not known" if value is None else "0 (unlimited)" if value == 0 else str(value)
