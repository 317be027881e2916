"""Which incidents of the agent's own an analysis has judged, so that its word stands in place of them."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from hopwatch_agent.live.answers import IncidentView
from hopwatch_agent.report.findings import UNROUTABLE, Analysed, Books
from hopwatch_agent.report.spans import Spans

SETTLED = timedelta(seconds=60)
"""What happened so long before the newest event that an analysis knew had landed by then (a host that is behind by half as long is named in the report),
and is in flight for it no more."""


def superseded(own: IncidentView, so_far: int, analysed: Analysed) -> bool:
    """Whether the analysis knew all that the agent knows of it, and has said what it was: a loss, or none.

    What the analysis leaves unexplained goes on to be told: else nobody would tell of it. ``so_far``: what the agent's incidents of this stream at
    this receiver come to, up to this one.
    """
    if own.stream is None or own.started_at is None or own.ended_at is None:
        return False
    ahead = analysed.ahead.get(own.host or "", timedelta())
    began, ended = own.started_at - ahead, own.ended_at - ahead
    known_until = _known_until(own.host, analysed)
    if known_until is None or analysed.began_at is None:
        return False
    if began < analysed.began_at or ended > known_until:
        return False
    late = ended > known_until - SETTLED
    if own.cause == UNROUTABLE:
        all_there = not late or analysed.swallowed.get(own.stream, 0) >= so_far
        return all_there and _tells(analysed.swallowed_at.get(own.stream), began, ended)
    books = list(_books_of(own, analysed))
    if not books or (late and sum(each.lost + each.unexplained for each in books) < so_far):
        return False
    told_here = _tells(analysed.told_at.get((own.stream, own.socket)), began, ended)
    return told_here or _settled(books, late=late)


def _tells(spans: Spans | None, began: datetime, ended: datetime) -> bool:
    return spans is not None and spans.meet(began, ended)


def _known_until(host: str | None, analysed: Analysed) -> datetime | None:
    return analysed.heard_until.get(host or "", analysed.ended_at) if analysed.ended_at else None


def _books_of(own: IncidentView, analysed: Analysed) -> Iterator[Books]:
    """What is shared out among receivers may be in the books of all of them together as well."""
    for receiver in (own.socket, None):
        found = analysed.books.get((own.stream or "", receiver))
        if found is not None:
            yield found


def _settled(books: list[Books], *, late: bool) -> bool:
    """Whether it is known of each message what became of it; one that seems lost may be in flight to an analysis for a while."""
    return not any(each.unexplained or (late and each.in_flight) for each in books)
