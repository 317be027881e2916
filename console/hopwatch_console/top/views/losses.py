"""Findings and incidents in full."""

from collections.abc import Iterator

from hopwatch_console.lines import Line, wrapped
from hopwatch_console.plain import plain
from hopwatch_console.records import Incident
from hopwatch_console.told_by import lost_of, told_by
from hopwatch_console.words import counted, day_and_clock

LONGEST = 2000


def finding_lines(rule: str, text: str, advice: str, width: int) -> Iterator[Line]:
    """One finding."""
    yield from wrapped(
        f"Finding: {plain(text, LONGEST)} ({plain(rule, 80)})", width, later="  ", style="warn"
    )
    if advice:
        yield from wrapped(plain(advice, LONGEST), width, first="  → ", later="    ")


def cause_of(incident: Incident) -> str:
    """Why, and how sure that is."""
    if not incident.cause:
        return "cause not known yet"
    return (
        f"{plain(incident.cause)} ({plain(incident.certainty)})"
        if incident.certainty
        else plain(incident.cause)
    )


def incident_lines(incident: Incident, width: int) -> Iterator[Line]:
    """One incident."""
    yield from wrapped(
        f"Incident: {plain(incident.hop)}: {lost_of(incident)}, {cause_of(incident)}",
        width,
        later="  ",
        style="bad",
    )
    yield from wrapped(
        f"{day_and_clock(incident.started_at)} to {day_and_clock(incident.ended_at)} UTC{_gaps(incident)}, {told_by(incident)}",
        width,
        first="  ",
        later="    ",
    )
    for evidence in incident.evidence:
        yield from wrapped(plain(evidence.text, LONGEST), width, first="  - ", later="    ")
    for advice in incident.advice or ():
        yield from wrapped(plain(advice, LONGEST), width, first="  → ", later="    ")


def _gaps(incident: Incident) -> str:
    return "" if incident.gaps is None else f", in {counted(incident.gaps, 'gap')}"
