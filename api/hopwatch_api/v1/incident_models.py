"""The JSON of losses."""

from datetime import datetime

from pydantic import AliasChoices, Field

from hopwatch_api.model import Model
from hopwatch_api.v1.models import PlaceModel


class EvidenceModel(Model):
    """What speaks for a loss's cause."""

    kind: str
    text: str


class EndModel(Model):
    """One end of a hop, as far as it is known. A proxy is one end, of type PROXY."""

    host: str | None
    process: str | None
    socket: str | None
    name: str | None
    type: str | None
    place: PlaceModel | None = Field(description="null outside Kubernetes")


class IncidentModel(Model):
    """Losses close in time, as an analysis has found them, or as far as this agent can tell by now. Null: the source does not know.

    The analysis' are those of the report that the setting ``report`` leads to, as it is at present: of an analysis that follows, those of its
    window, not all that it ever landed. Of the agent's own, those are left out that such a report has judged: its window holds all of their time, its
    ledger has their stream at their receiver, and it tells of losses there at that time, or of each message what became of it (of the last minute of the window, only where its books lack as much as the agent has seen missing). What it leaves unexplained, or
    has not seen yet, stays. An incident of the agent's that goes on may hold losses that the report tells of, too: do not add up both.
    """

    id: int | None = Field(description="the id of its first event; null of an analysis'")
    hop: str = Field(
        description="an analysis knows the very hop; an agent the last one, or the whole way if there are proxies"
    )
    socket: str | None = Field(
        description="id of the receiver; of the ROUTER where an agent tells of unroutable messages; null of a proxy"
    )
    stream: str | None = Field(description="null where there are several")
    lanes: int | None = Field(description="null of an analysis'")
    host: str | None = Field(description="that which tells of it: of the receiver")
    cause: str | None = Field(description="of an agent's null unless it is known for sure")
    certainty: str | None = Field(description="exact or inferred; null where there is no cause")
    preliminary: bool = Field(description="true of an agent's: the analysis has the last word")
    started_at: datetime | None
    ended_at: datetime | None
    lost: int
    gaps: int | None = Field(description="null of an analysis'")
    evidence: list[EvidenceModel]
    source: str = Field(description="agent or analysis")
    sender: EndModel | None = Field(
        validation_alias=AliasChoices("sender", "from"),
        serialization_alias="from",
        description="where it was lost on the way from; of an agent's, who sent it first",
    )
    receiver: EndModel | None = Field(
        validation_alias=AliasChoices("receiver", "to"),
        serialization_alias="to",
        description="and where to; null where it was nobody that is known",
    )
    streams: list[str]
    advice: list[str] | None = Field(description="what to change; null of an agent's")
    analysed_at: datetime | None = Field(description="when the report was written; null of an agent's")
