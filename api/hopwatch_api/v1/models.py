"""The JSON that the agent answers with."""

from datetime import datetime
from typing import Any

from pydantic import Field

from hopwatch_api.model import Model
from hopwatch_api.v1.kernel_models import MemoryModel, TcpModel, UsageModel
from hopwatch_api.v1.words import SocketState


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
    counts_in: str | None = Field(
        description="shared memory, or file, which whoever may write there can cut short: that ends the process; null if it does not say"
    )
    usage: UsageModel | None = Field(
        description="null if the agent's pid namespace does not show the process"
    )
    memory: MemoryModel | None = Field(description="null if the agent does not see the process's cgroup")
    place: PlaceModel | None = Field(description="null outside Kubernetes")


NUMBERED = "whether any message that it got was numbered: of one that gets only others, nobody counts what it lacks; null if it has got none, and of a PUB or XPUB, which gets subscriptions"
UNRECEIVED = "of an open receiver: messages that it has not got of what senders that have ended for two seconds or more had sent: they wait to be read, or are lost"
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
    proxied_in_frames: int = Field(
        description="that a proxy read from it; the messages of a proxy's ends are in these alone"
    )
    proxied_out_frames: int = Field(description="that a proxy sent by it")
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
    proxied_in_frames: float
    proxied_out_frames: float


class BacklogModel(Model):
    """Messages on their way, as of a second ago, or longer ago where there are very many lanes: numbered by the sender, and not seen by the receiver.

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
    state: SocketState = Field(
        description="losing: it lost something, or met a full pipe, in the last ten seconds; pressed: its messages wait, or its sends"
        " are refused; quiet: neither; closed: it, or its process, has ended"
    )
    state_text: str = Field(description="why, in words; empty where there is nothing to say")
    proxy: str | None = Field(description="id of the proxy that it is an end of; the other end has the same")
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
    left_behind: int | None = Field(
        description="of a receiver that has ended: messages that it had not got of what senders that ended before it had sent, which no gap shows;"
        " null if it is not known"
    )
    numbered: bool | None = Field(description=NUMBERED)
    unreceived: int = Field(description=UNRECEIVED)
    died_with: int | None = Field(
        description="of a receiver whose process died: messages, at least, that were on their way to it; what a sender keeps for its next connection is"
        " among them; null if it has not died so, or nothing is known, as of one whose senders share out what they send (PUSH, DEALER, REQ, REP), or that had got nothing"
    )


class EndedModel(Model):
    """Why a connection went down, as far as it is known."""

    how: str = Field(
        description="of the other end: closed, or its process exited, died, or was killed_for_memory; let_go: an application disconnected;"
        " cut: both ends are still there; or unknown"
    )
    text: str


class PlaceOfMessagesModel(Model):
    """Where messages may be sitting."""

    place: str = Field(
        description="sender or receiver: its pipe in libzmq; kernel: the buffers of both ends of the connection"
    )
    socket_name: str | None
    mark: int | None = Field(
        description="SNDHWM or RCVHWM, which bounds the pipe; 0: no bound; null: of the kernel, or not known to be in force"
    )
    at_most: int = Field(
        description="messages; of the sender 0 where the kernel has taken all; of the kernel about so many, by their mean size"
    )
    bytes: int | None = Field(description="of the kernel")


class WaitingModel(Model):
    """Messages that wait on a connection: as a backlog, of what goes this way."""

    at_least: int
    at_most: int
    places: list[PlaceOfMessagesModel]


class ConnectionModel(Model):
    """One connection, with its socket."""

    socket: str
    socket_name: str
    host: str
    peer: str | None = Field(
        description="id of the socket at the other end, where that is this agent's and it is certain which one it is"
    )
    peer_name: str | None
    connection: int | None = Field(description="its number within the socket; null if it never came up")
    endpoint: str
    local: str | None
    remote: str | None
    accepted: bool
    state: str = Field(description="connected, ready, disconnected, retrying or refused")
    since: datetime
    reason: str | None
    ended: EndedModel | None = Field(description="null while it is up, and for one that never was")
    waiting: WaitingModel | None = Field(
        description="null unless both ends are this agent's and stamp, and for one that is down; behind a proxy: all that its streams have on their way"
    )
    tcp: TcpModel | None = Field(description=_TCP)


class LaneModel(Model):
    """One lane at one of its ends."""

    socket: str
    socket_name: str
    stream: str
    sender_name: str | None = Field(
        description="null where this agent knows no socket of the stream: it is on another host, or somebody who "
        "can connect has made the stream up"
    )
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
        description="null unless both ends are this agent's and the receiver is open; at the sending end, if that is open: to the slowest receiver, or, of a lane that"
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
