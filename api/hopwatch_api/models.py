"""The JSON that the agent answers with."""

from datetime import datetime
from typing import Any

from pydantic import Field

from hopwatch_api.kernel_models import MemoryModel, TcpModel, UsageModel
from hopwatch_api.model import Model


class PlaceModel(Model):
    """Where a process runs in Kubernetes, as far as its pod's specification says."""

    namespace: str | None
    pod: str | None
    container: str | None
    node: str | None
    owner: str | None = Field(description="kind and name of the workload, like StatefulSet/feed")


class ProcessModel(Model):
    """Who owns a socket."""

    pid: int | None
    command: str
    gone_at: datetime | None = Field(description="when it was seen that the process had ended")
    usage: UsageModel | None = Field(
        description="null if the agent's pid namespace does not show the process"
    )
    memory: MemoryModel | None = Field(description="null if the agent does not see the process's cgroup")
    place: PlaceModel | None = Field(description="null outside Kubernetes")


_TCP = "null but for TCP in the agent's own network namespace, and for the first second"


class PeerModel(Model):
    """One connection of a socket."""

    local: str | None
    remote: str | None
    state: str = Field(description="connected, ready, disconnected, retrying or refused")
    since: datetime
    tcp: TcpModel | None = Field(description=_TCP)


class FindingModel(Model):
    """Something wrong or risky in a socket's set-up."""

    rule: str
    text: str
    advice: str


class SocketFindingModel(FindingModel):
    """A finding, with its socket."""

    socket: str
    socket_name: str
    type: str
    host: str
    process: ProcessModel
    closed_at: datetime | None


class Counters(Model):
    """Totals since the socket was opened; ``pending_sends`` is how many sends wait in the application now."""

    sent: int
    sent_bytes: int
    received: int
    received_bytes: int
    eagain_sends: int
    eagain_receives: int
    waited_sends: int
    waited_seconds: float
    onsets: int
    unroutable: int
    gaps: int
    lost: int
    duplicated: int
    reordered: int
    pending_sends: int


class Rates(Model):
    """The same totals, per second, over about the last two seconds."""

    sent: float
    sent_bytes: float
    received: float
    received_bytes: float
    eagain_sends: float
    eagain_receives: float
    waited_sends: float
    waited_seconds: float
    onsets: float
    unroutable: float
    gaps: float
    lost: float
    duplicated: float
    reordered: float


class BacklogModel(Model):
    """Messages on their way, as of a second ago at most: numbered by the sender, and not seen by the receiver.

    Those lost since the newest message that the receiver saw are in ``at_most`` until the next one shows the gap; ``at_least``
    leaves out all that may have been lost.
    """

    at_most: int
    at_least: int
    oldest_at_least: float = Field(description="seconds that the oldest has waited at least")
    oldest_at_most: float | None = Field(description="and at most; null if that is not known")


class SocketModel(Model):
    """One socket."""

    id: str
    name: str
    type: str
    host: str
    process: ProcessModel
    opened_at: datetime
    closed_at: datetime | None
    endpoints: list[str]
    options: dict[str, int]
    counters: Counters
    rates: Rates
    peers: list[PeerModel]
    findings: list[FindingModel]
    backlog_sent: BacklogModel | None = Field(
        description="of what it sends, to the slowest of the receivers that read at this agent; null if it is not known"
    )
    backlog_received: BacklogModel | None = Field(description="of what it receives; null if it is not known")


class ConnectionModel(Model):
    """One connection, with its socket."""

    socket: str
    socket_name: str
    connection: int | None = Field(description="its number within the socket; null if it never came up")
    endpoint: str
    local: str | None
    remote: str | None
    accepted: bool
    state: str = Field(description="connected, ready, disconnected, retrying or refused")
    since: datetime
    reason: str | None
    tcp: TcpModel | None = Field(description=_TCP)


class LaneModel(Model):
    """One lane at one of its ends."""

    socket: str
    socket_name: str
    stream: str
    lane: int
    role: str = Field(
        description="send, receive, or count: messages of a topic, which belong to no lane (stream 0)"
    )
    topic: str | None = Field(description="hex")
    count: int
    first: int
    next: int
    lost: int | None = Field(
        description="numbers missing between first and next; null but at a receiving end"
    )
    newest_sent_at: datetime | None
    final: bool
    backlog: BacklogModel | None = Field(
        description="null unless both ends are open and this agent's; at the sending end: to the slowest receiver, or, of a lane that"
        " is shared out, to all of them together"
    )


class EventModel(Model):
    """One event; ids grow through the whole life of the agent's database."""

    id: int
    kind: str
    at: datetime
    host: str
    process: str | None
    n: int | None = Field(description="number of the event in its process")
    values: dict[str, Any]


class EvidenceModel(Model):
    """What speaks for a loss's cause."""

    kind: str
    text: str


class IncidentModel(Model):
    """Losses of one stream at one receiver, close in time, as far as this agent can tell by now."""

    id: int = Field(description="the id of its first event")
    hop: str = Field(
        description="the last hop, or the whole way if there are proxies: this agent cannot tell"
    )
    socket: str = Field(description="id of the receiver; of the ROUTER where messages were unroutable")
    stream: str
    lanes: int
    host: str
    cause: str | None = Field(description="null unless it is known for sure")
    certainty: str | None
    preliminary: bool = Field(description="always true: the analysis has the last word")
    started_at: datetime
    ended_at: datetime
    lost: int
    gaps: int
    evidence: list[EvidenceModel]


class HealthModel(Model):
    """Whether the agent works; the reason if not."""

    ok: bool
    reason: str | None = None


class ErrorAnswer(Model):
    """Why a request has no answer."""

    error: str
