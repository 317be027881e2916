"""An end keeps the newest message only."""

from hopwatch_judge import marks
from hopwatch_judge.cause import Cause
from hopwatch_judge.clues import claims
from hopwatch_judge.costs import figure, memory, reads, sent_to_it
from hopwatch_judge.incident import Evidence, Incident


def _option(incident: Incident) -> Evidence:
    text = f"{_end(incident)} has ZMQ_CONFLATE on: it keeps the newest message alone, and each one that comes drops the one before"
    return {"kind": "option", "text": text, "option": "conflate"}


def _end(incident: Incident) -> str:
    """The end that has the option."""
    return incident.sender if incident.conflated_at == "sender" else incident.receiver


def _advise(incident: Incident) -> list[str]:
    return [
        f"If every message counts, do without ZMQ_CONFLATE on {_end(incident)}, and {_instead(incident)}",
        "If only the newest one does, nothing is wrong: this is what the option is for.",
    ]


def _instead(incident: Incident) -> str:
    """What it takes to lose nothing without the option."""
    sent, read = sent_to_it(incident), reads(incident)
    if not sent or not read:
        return f"let {incident.receiver} read as fast as it is sent messages: which mark it needs then follows from its bursts, of which nothing is known."
    if read < sent:
        return (
            f"let {incident.receiver} read faster, or give it less: it was seen to read {figure(read)} messages/s at most, and gets sent "
            f"{figure(sent)}. While it reads no faster, no mark makes up for that: {marks.time_bought(incident)}"
        )
    mark = 2 * (incident.largest_burst or incident.longest)
    takes = memory(incident, mark)
    return (
        f"set SNDHWM of {incident.sender} to at least {mark}: twice what the largest burst on this hop lost, as a sender counts what was "
        f"read only at each half of its mark{f' ({takes})' if takes else ''}."
    )


CAUSE = Cause(
    name="conflated",
    because="ZMQ_CONFLATE keeps the newest message only, and {they} not read in time",
    seen=(_option,),
    advise=_advise,
    explain=claims.conflation,
)
