"""What a report says, as it is asked for: its incidents as answers, and what it has judged."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from hopwatch_agent.live.answers import EndView, EvidenceView, IncidentView
from hopwatch_agent.live.asking import Key
from hopwatch_agent.report.content import Content, End, Entry, Incident
from hopwatch_agent.report.spans import Span, Spans

SOURCE = "analysis"
FIRST = 0
"""The analysis' incidents come before the agent's in a list."""
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
NEVER = datetime.max.replace(tzinfo=timezone.utc)
CLOSE = timedelta(seconds=60)
UNROUTABLE = "unroutable"


@dataclass(frozen=True)
class Books:
    """What did not come of a stream at one receiver."""

    lost: int
    in_flight: int
    unexplained: int


@dataclass(frozen=True)
class Analysed:
    """What one report says. ``told_at``: when it tells of losses, by stream and receiver; ``swallowed_at``: of what ROUTERs swallowed, by
    stream, and ``swallowed`` how much; ``books``: by stream and receiver; ``heard_until``: by host, where that is not all of the window; ``ahead``: by host, how far its clock is.
    """

    began_at: datetime | None
    ended_at: datetime | None
    incidents: tuple[tuple[Key, IncidentView], ...]
    told_at: dict[tuple[str, str | None], Spans]
    swallowed_at: dict[str, Spans]
    swallowed: dict[str, int]
    books: dict[tuple[str, str | None], Books]
    heard_until: dict[str, datetime]
    ahead: dict[str, timedelta]


def analysed(content: Content, at: datetime) -> Analysed:
    """``at``: when the report was written."""
    ends = {hop.hop: (hop.sender, hop.receiver) for hop in content.hops}
    told: defaultdict[tuple[str, str | None], list[Span]] = defaultdict(list)
    swallowed: defaultdict[str, list[Span]] = defaultdict(list)
    messages: Counter[str] = Counter()
    for incident in content.incidents:
        receiver = ends[incident.hop][1].socket if incident.hop in ends else None
        for stream in incident.streams:
            told[stream, receiver].append(_about(incident))
            if incident.cause == UNROUTABLE:
                swallowed[stream].append(_about(incident))
                messages[stream] += incident.lost
    return Analysed(
        began_at=content.window.begins_at,
        ended_at=content.window.ends_at,
        incidents=tuple(sorted(_views(content, ends, at), key=lambda found: found[0])),
        told_at={key: Spans(spans) for key, spans in told.items()},
        swallowed=dict(messages),
        swallowed_at={stream: Spans(spans) for stream, spans in swallowed.items()},
        books={(entry.stream, entry.receiver): _books(entry) for entry in content.ledger},
        heard_until={host.host: host.newest_event for host in content.hosts_behind if host.newest_event},
        ahead={clock.host: timedelta(milliseconds=clock.ahead_by_ms) for clock in content.clocks},
    )


def _about(incident: Incident) -> Span:
    """The time about it: an agent takes losses of one stream for one incident if they are no further apart. All times, where none is known."""
    first = incident.started_at or incident.ended_at
    last = incident.ended_at or incident.started_at
    return (first or EPOCH + CLOSE) - CLOSE, NEVER if last is None else last + CLOSE


def _books(entry: Entry) -> Books:
    return Books(entry.lost, entry.in_flight, entry.unexplained)


def _views(
    content: Content, ends: dict[str, tuple[End, End]], at: datetime
) -> Iterator[tuple[Key, IncidentView]]:
    alike: Counter[tuple[object, ...]] = Counter()
    for incident in content.incidents:
        same = (incident.hop, incident.cause, incident.certainty, incident.started_at)
        alike[same] += 1
        yield _place_of(incident, alike[same]), _view(incident, ends.get(incident.hop, (None, None)), at)


def _place_of(incident: Incident, number: int) -> Key:
    """It stays the same when a later report tells of the incident again, with more that was lost."""
    since = 0 if incident.started_at is None else (incident.started_at - EPOCH) // timedelta(microseconds=1)
    same = f"{incident.hop}\0{incident.cause}\0{incident.certainty}\0{number}"
    return FIRST, since, hashlib.blake2b(same.encode(), digest_size=8).hexdigest()


def _view(incident: Incident, ends: tuple[End | None, End | None], at: datetime) -> IncidentView:
    sender, receiver = ends
    return IncidentView(
        id=None,
        hop=incident.hop,
        socket=None if receiver is None else receiver.socket,
        stream=incident.streams[0] if len(incident.streams) == 1 else None,
        lanes=None,
        host=None if receiver is None else receiver.host,
        cause=incident.cause,
        certainty=incident.certainty,
        preliminary=False,
        started_at=incident.started_at,
        ended_at=incident.ended_at,
        lost=incident.lost,
        gaps=None,
        evidence=[EvidenceView(each.kind, each.text) for each in incident.evidence],
        source=SOURCE,
        sender=_end(sender),
        receiver=_end(receiver),
        streams=list(incident.streams),
        advice=list(incident.advice),
        analysed_at=at,
    )


def _end(end: End | None) -> EndView | None:
    if end is None:
        return None
    return EndView(end.host, end.process, end.socket, end.name, end.type, end.place)
