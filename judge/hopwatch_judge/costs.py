"""What messages cost, in words: as memory and as seconds, where the figures are known."""

from hopwatch_judge.incident import Incident

UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
WHOLE_FROM = 10
LARGE = 1000
SLOT = 64
"""Bytes that a frame no longer than FITS_INTO_IT takes in a queue: as a process grows that queues 100,000 of them (libzmq 4.3.5, glibc)."""
FITS_INTO_IT = 33
BESIDE_ONE = 120
"""What a longer one takes beside its length."""


def size(bytes_: float) -> str:
    """A number of bytes as people say it."""
    for unit, name in UNITS:
        if bytes_ >= unit:
            return f"{figure(bytes_ / unit)} {name}"
    return f"{bytes_:.0f} bytes"


def figure(number: float) -> str:
    """A number to two places, or whole."""
    return f"{number:.2g}" if number < WHOLE_FROM else f"{number:.0f}"


def length(incident: Incident) -> str | None:
    """How long the messages that were lost are in all, for who keeps them elsewhere; None if not known."""
    return f"about {size(incident.lost * incident.mean_bytes)}" if incident.mean_bytes else None


def kept(incident: Incident) -> str:
    """What it takes to keep what was lost, to send it later."""
    takes = length(incident)
    return f" (to keep the {incident.lost} that were lost for it takes {takes})" if takes else ""


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


def sent_to_it(incident: Incident) -> float | None:
    """Messages a second that the receiver was sent while it was too slow, else on average."""
    told = (incident.overload_rate, incident.asked_rate, incident.mean_rate)
    return next((rate for rate in told if rate is not None), None)


def reads(incident: Incident) -> float | None:
    """Messages a second that it was then seen to read at most."""
    return incident.capacity if incident.overload_read is None else incident.overload_read
