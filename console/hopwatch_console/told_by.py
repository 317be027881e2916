"""Who tells of an incident, how much that is worth, and how many messages it tells of."""

from hopwatch_console.plain import plain
from hopwatch_console.records import Incident
from hopwatch_console.words import counted, day_and_clock

OF_AN_AGENT, EXACT = "agent", "exact"


def told_by(incident: Incident) -> str:
    """An analysis has the last word; an agent tells what it can know by itself."""
    if incident.analysed_at is not None:
        return f"told by the analysis of {day_and_clock(incident.analysed_at)} UTC"
    preliminary = ", which is preliminary" if incident.preliminary else ""
    return f"told by the {plain(incident.source, 20)}{preliminary}"


def lost_of(incident: Incident) -> str:
    """An agent sees gaps: what came last, and was lost, is in none. What a ROUTER swallows it counts, each of them."""
    by_gaps = incident.source == OF_AN_AGENT and incident.certainty != EXACT
    at_least = "at least " if by_gaps else ""
    return f"{at_least}{counted(incident.lost, 'message')} lost"
