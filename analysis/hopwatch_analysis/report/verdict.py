"""The verdict in the terminal: what was lost, on which hop, why, and what to change; then who lost nothing."""

import textwrap
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from hopwatch_judge import Incident, advice, counted, evidence, meaning

from hopwatch_analysis.incidents.full_for_somebody_unknown import RULE as FULL_FOR_SOMEBODY_UNKNOWN
from hopwatch_analysis.incidents.reader_not_watched import RULE as READER_NOT_WATCHED
from hopwatch_analysis.lanes.unknown_senders import RULE as UNKNOWN_SENDER
from hopwatch_analysis.links.unwrapped import RULE as RECEIVER_NOT_WRAPPED
from hopwatch_analysis.report.incomplete import incomplete
from hopwatch_analysis.report.records import Analysis, Finding, LedgerRow
from hopwatch_analysis.report.remarks import agreement, clock_remarks, remark, what_to_do
from hopwatch_analysis.report.unexplained import beside_losses, unexplained

WIDTH = 100
MOST = 100
"""Of each kind; a fleet has thousands."""

LEAVE_LOSSES_OPEN = frozenset(
    {FULL_FOR_SOMEBODY_UNKNOWN, READER_NOT_WATCHED, RECEIVER_NOT_WRAPPED, UNKNOWN_SENDER}
)
"""Rules of findings that tell of somebody whom nobody watches.

That one may lack messages, or does; or a receiver may lack messages of that one.
"""


def verdict(analysis: Analysis) -> str:
    """The verdict as lines of text."""
    lines = [headline(analysis)]
    for incident in analysis.incidents[:MOST]:
        lines += ["", *_incident(incident)]
    lines += ["", *_and_more(analysis.incident_count, "incident"), *_receivers(analysis)]
    lines += _queued_for_nobody(analysis)
    lines += _unexplained(analysis)
    for agreed in analysis.agreed[:MOST]:
        lines += _wrapped("By count: ", agreement(agreed))
    lines += _and_more(len(analysis.agreed), "such stream")
    for unchecked in analysis.unchecked[:MOST]:
        lines += _wrapped("Not checked: ", remark(unchecked))
    lines += _and_more(len(analysis.unchecked), "such stream")
    for advised in dict.fromkeys(what_to_do(unchecked) for unchecked in analysis.unchecked):
        lines += _wrapped("To check it: ", advised) if advised else []
    lines += incomplete(analysis)
    for text in clock_remarks(analysis.clocks):
        lines += _wrapped("Clock: ", text)
    told = (f"{found.label}: {found.text} {found.advice}".rstrip() for found in analysis.findings)
    notes = list(dict.fromkeys(told))
    for note in notes[:MOST]:
        lines += _wrapped("Note: ", note)
    lines += _and_more(len(notes), "note")
    return "\n".join(lines)


def where_the_report_is(out: Path) -> str:
    """The last line: where to look further."""
    return f"Report: {out / 'report.html'}, and for programs {out / 'report.json'}"


def _and_more(count: int, what: str) -> list[str]:
    """How many of so many were left out."""
    more = count - MOST
    return [f"And {counted(more, f'more {what}')}: see the report."] if more > 0 else []


def headline(analysis: Analysis) -> str:
    """The verdict in a sentence."""
    if _is_of_another_time(analysis):
        rest = (
            "what is told below is from before"
            if analysis.ledger
            else "there is nothing to tell about losses"
        )
        return f"Nothing that has landed is of the time that was asked for: {rest}."
    if not analysis.ledger:
        return _nothing_stamped(analysis)
    lost = sum(hop.lost for hop in analysis.hops)
    if lost:
        hops = [hop for hop in analysis.hops if hop.lost]
        where = f"on {hops[0].label}" if len(hops) == 1 else f"on {len(hops)} hops"
        return f"LOST: {counted(lost, 'message')} {where}{beside_losses(analysis)}."
    return _none_lost(analysis)


def of_unwatched(analysis: Analysis) -> tuple[Finding, ...]:
    """Findings that tell of somebody whom nobody watches."""
    return tuple(found for found in analysis.findings if found.rule in LEAVE_LOSSES_OPEN)


def _is_of_another_time(analysis: Analysis) -> bool:
    began, ended = analysis.began_at, analysis.ended_at
    return began is not None and ended is not None and ended < began


def _none_lost(analysis: Analysis) -> str:
    if any(row.unexplained for row in analysis.ledger):
        return "No loss is proven, but not every message is accounted for."
    if analysis.unchecked or of_unwatched(analysis):
        return "No loss was found, but not every message could be checked."
    if analysis.evidence_is_incomplete:
        return "No loss is proven, but not everything that happened is known."
    return "NOTHING LOST: every message is accounted for."


def _nothing_stamped(analysis: Analysis) -> str:
    if all(row.reason == "nobody" for row in analysis.unchecked) and analysis.unchecked:
        return "Nobody was connected to what was sent: there is nothing to tell about losses."
    if analysis.unchecked:
        return _only_counts(analysis)
    if analysis.agreed:
        by = " by all who are watched" if of_unwatched(analysis) else ""
        return f"No message bears a number that could be checked; by the counts, as many were received{by} as sent."
    return "No message bears a number that could be checked: there is nothing to tell about losses."


def _only_counts(analysis: Analysis) -> str:
    full = any(found.rule == FULL_FOR_SOMEBODY_UNKNOWN for found in analysis.findings)
    rest = "; full pipes were met, at which messages may have been dropped" if full else ""
    if len(analysis.unchecked) == 1:
        (row,) = analysis.unchecked
        if row.sent is not None and row.receiver_name is not None:
            counts = f"{row.sent} sent and {row.received or 0} received is all that is known"
            return f"No message could be checked for losses: {counts}{rest}."
    return f"No message could be checked for losses: only counts tell of them{rest}."


def _incident(incident: Incident) -> Iterator[str]:
    yield from _wrapped("", f"{incident.hop}: {counted(incident.lost, 'message')} lost")
    yield f"  When:    {span(incident.started_at, incident.ended_at)}"
    sure = "exact" if incident.exact else "inferred"
    yield from _wrapped("  Why:     ", f"{incident.cause} ({sure}): {meaning(incident)}.")
    for number, item in enumerate(evidence(incident)):
        yield from _wrapped("  Seen:    " if number == 0 else " " * 11, f"- {item['text']}")
    for number, text in enumerate(advice(incident)):
        yield from _wrapped("  Change:  " if number == 0 else " " * 11, f"- {text}")


def span(started_at: datetime | None, ended_at: datetime | None) -> str:
    """From when to when, in words; both are in UTC."""
    if started_at is None or ended_at is None:
        return "not known"
    first, last = (f"{moment:%Y-%m-%d %H:%M:%S}" for moment in (started_at, ended_at))
    if first == last:
        return f"{first} UTC"
    return f"{first} to {last[11:] if first[:10] == last[:10] else last} UTC"


def _receivers(analysis: Analysis) -> list[str]:
    """A line for each receiver; where they are many, for those that lack most."""
    rows = [row for row in analysis.ledger if row.receiver]
    if len(rows) > MOST:
        rows.sort(key=lambda row: row.delivered - row.sent)
    told = (_receiver(row, at_least=analysis.evidence_is_incomplete) for row in rows[:MOST])
    return [*told, *_and_more(len(rows), "receiver")]


def _receiver(row: LedgerRow, *, at_least: bool) -> str:
    """``at_least``: what is unexplained may have come, and what tells of it is not there."""
    receiver = row.receiver_label or f"socket {row.receiver}"
    plain = "(" not in receiver + row.label
    name = f"{receiver} (from {row.label})" if plain else f"{receiver}, from {row.label},"
    if row.lost == row.unexplained == 0:
        rest = f", {row.in_flight} still in flight" if row.in_flight else ""
        return f"{name} lost nothing: {row.delivered} of {row.sent} delivered{rest}."
    lost = ", ".join(f"{count} {cause}" for cause, count in sorted(row.causes.items()))
    delivered = f"at least {row.delivered}" if at_least and row.unexplained else str(row.delivered)
    return f"{name.removesuffix(',')}: {delivered} of {row.sent} delivered; {lost}."


def _queued_for_nobody(analysis: Analysis) -> Iterator[str]:
    for row in analysis.ledger:
        if row.receiver is None and row.in_flight:
            yield f"{row.label}: {counted(row.in_flight, 'message')} still queued; no receiver has got them yet."


def _unexplained(analysis: Analysis) -> Iterator[str]:
    for first, rows, count in unexplained(analysis, MOST):
        yield ""
        yield from _wrapped("", first)
        yield from (f"  {row}" for row in rows)
        yield from _and_more(count, "receiver")


def _wrapped(first: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=" " * (len(first) + 2),
        break_on_hyphens=False,
        break_long_words=False,
    )
