"""Incidents as they are told: an analysis' own, and the agent's that no analysis has judged."""

from collections import Counter
from collections.abc import Iterator, Sequence

from hopwatch_agent.live.answers import IncidentView
from hopwatch_agent.live.asking import IncidentsAsked, Key, Page
from hopwatch_agent.live.paging import page_of
from hopwatch_agent.report.findings import FIRST, Analysed
from hopwatch_agent.report.superseding import superseded

_NOTHING = "0" * 16


def told_incidents(
    own: Sequence[IncidentView], analysed: Analysed | None, asked: IncidentsAsked
) -> Page[IncidentView]:
    """Those asked for; the analysis' come first."""
    found = (each for each in _all(own, analysed) if _is_asked(each[1], asked))
    chosen, after = page_of(found, asked.page)
    return Page(chosen, after)


def _all(own: Sequence[IncidentView], analysed: Analysed | None) -> Iterator[tuple[Key, IncidentView]]:
    if analysed is not None:
        yield from analysed.incidents
    so_far: Counter[tuple[str | None, str | None]] = Counter()
    for incident in own:
        pair = incident.stream, incident.socket
        so_far[pair] += incident.lost
        if analysed is None or not superseded(incident, so_far[pair], analysed):
            yield (FIRST + 1, incident.id or 0, _NOTHING), incident


def _is_asked(incident: IncidentView, asked: IncidentsAsked) -> bool:
    return (
        asked.cause in (None, incident.cause)
        and asked.source in (None, incident.source)
        and (asked.hop is None or asked.hop in incident.hop)
        and (asked.since is None or incident.ended_at is None or incident.ended_at >= asked.since)
    )
