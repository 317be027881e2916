"""Losses that belong together, and what speaks for their cause."""

from dataclasses import dataclass
from datetime import datetime

from hopwatch_agent.records import Place


@dataclass(frozen=True)
class EvidenceView:
    """What speaks for a loss's cause."""

    kind: str
    text: str


@dataclass(frozen=True)
class EndView:
    """One end of a hop, as far as it is known."""

    host: str | None
    process: str | None
    socket: str | None
    name: str | None
    type: str | None
    place: Place | None = None


@dataclass(frozen=True)
class IncidentView:
    """Losses close in time: of one stream at one receiver, or what an analysis made of them. None: the source does not know.

    ``source``: "agent" or "analysis"; ``sender`` and ``receiver``: the ends of the hop; ``analysed_at``: when the report was written.
    """

    id: int | None
    hop: str
    socket: str | None
    stream: str | None
    lanes: int | None
    host: str | None
    cause: str | None
    certainty: str | None
    preliminary: bool
    started_at: datetime | None
    ended_at: datetime | None
    lost: int
    gaps: int | None
    evidence: list[EvidenceView]
    source: str
    sender: EndView | None
    receiver: EndView | None
    streams: list[str]
    advice: list[str] | None
    analysed_at: datetime | None
