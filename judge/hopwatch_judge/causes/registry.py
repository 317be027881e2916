"""All causes, and what is said of an incident of any of them."""

from dataclasses import asdict

from hopwatch_judge.causes import (
    closed,
    conflated,
    hwm_too_low,
    network,
    oversize,
    receiver_died,
    reconnect,
    sender_died,
    slow_joiner,
    slow_receiver,
    unroutable,
)
from hopwatch_judge.incident import Evidence, Incident
from hopwatch_judge.place import Place
from hopwatch_judge.wording import counted

CAUSES = (
    unroutable.CAUSE,
    oversize.CAUSE,
    reconnect.CAUSE,
    conflated.CAUSE,
    network.CAUSE,
    hwm_too_low.CAUSE,
    slow_receiver.CAUSE,
    slow_joiner.CAUSE,
    closed.CAUSE,
    receiver_died.CAUSE,
    sender_died.CAUSE,
)
"""In the order of their precedence: of two that fit the same messages the first one counts.

A ROUTER counts what it swallows: that never was on a hop. A receiver that hangs up cuts the connection, and
a cut takes what was in the pipe. Ends that conflate have no full pipe. Of what fills one, the network and
bursts are special cases, and a slow receiver is the rest. The end of a socket explains what is left over.
"""
BY_NAME = {cause.name: cause for cause in CAUSES}


def meaning(incident: Incident) -> str:
    """Return what its cause says of an incident, without a full stop."""
    return BY_NAME[incident.cause].meaning_of(incident.briefly())


def evidence(incident: Incident) -> list[Evidence]:
    """Return what shows the loss, its hop and its cause: items of ``kind``, ``text`` and figures."""
    incident = incident.briefly()
    return [
        _missing(incident),
        *([_between(incident)] if incident.is_dark else ()),
        *_places(incident),
        *BY_NAME[incident.cause].evidence(incident),
    ]


def advice(incident: Incident) -> list[str]:
    """Return what would have prevented the incident, most useful first."""
    incident = incident.briefly()
    advised = BY_NAME[incident.cause].advise(incident)
    return [_instrument(incident), *advised] if incident.is_dark else advised


def _missing(incident: Incident) -> Evidence:
    lost = counted(incident.lost, "message")
    text = f"{lost} of {', '.join(incident.stream_labels)} did not pass {incident.hop}"
    item = {"kind": "missing", "text": text, "lost": incident.lost}
    if incident.cause == "unroutable":  # told of in events that double: these are no runs
        return item
    count = "one run" if incident.runs == 1 else f"{incident.runs} runs, the longest of {incident.longest}"
    return item | {"text": f"{text}, in {count}", "runs": incident.runs, "longest": incident.longest}


def _between(incident: Incident) -> Evidence:
    text = (
        f"no event tells of a connection between {incident.sender} and {incident.receiver}: somebody who is not instrumented may stand "
        "between them, and on which side of it they were lost is not known"
    )
    return {"kind": "between", "text": text}


def _places(incident: Incident) -> list[Evidence]:
    sender, receiver = incident.sender_place, incident.receiver_place
    ends = ((incident.sender, sender), (incident.receiver, receiver))
    text = "; ".join(f"{name} runs in {place.text}" for name, place in ends if place)
    return [{"kind": "place", "text": text, "from": _parts(sender), "to": _parts(receiver)}] if text else []


def _parts(place: Place | None) -> dict[str, str | None] | None:
    return None if place is None else asdict(place)


def _instrument(incident: Incident) -> str:
    """Where a hop may be several, its marks and rates are not those of one pipe."""
    return (
        f"Instrument who stands between {incident.sender} and {incident.receiver}, if anybody does (hopwatch.proxy, hopwatch run): which pipe "
        "lost them, and whose marks count, is told then. What follows takes it that nobody does."
    )
