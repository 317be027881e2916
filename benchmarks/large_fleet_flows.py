"""What both ends of a stream count while its messages flow: rows of counters, lanes, gaps and onsets, and the truth about them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hopwatch_agent.landing.schemas import COUNTERS
from large_fleet_messages import Drops, Numbers, Pace, Seconds
from large_fleet_site import Site, Socket

LAG = 0.004
PAYLOAD = 200
FRAMES = 3  # topic, payload and stamp


@dataclass
class Truth:
    """What became of the messages: ledger rows, and losses by stream and hop."""

    ledger: list[dict[str, Any]] = field(default_factory=list)
    losses: list[dict[str, Any]] = field(default_factory=list)

    def lost(self, stream: Socket, hop: tuple[Socket, Socket], messages: int, cause: str) -> None:
        """Messages of a stream lost on a hop."""
        if messages:
            self.losses.append({"stream": stream.id, "from": hop[0].id, "to": hop[1].id, "lost": int(messages), "cause": cause})  # fmt: skip

    def owed(
        self, stream: Socket, receiver: Socket, sent: int, delivered: int, *, in_flight: int = 0
    ) -> None:
        """A row of the ledger."""
        row = {"stream": stream.id, "receiver": receiver.id, "sent": int(sent), "delivered": int(delivered)}
        self.ledger.append(row | {"lost": int(sent - delivered - in_flight)})


@dataclass(frozen=True)
class Flow:
    """One stream of a publisher, whose messages go to its topics in turn."""

    sender: Socket
    pace: Pace
    topics: tuple[str, ...]

    def sent_by(self, at: float) -> int:
        return int(self.pace.sent_by(np.asarray([at]))[0])

    def in_lane(self, lane: int, position: Numbers) -> Numbers:
        """How many of the first messages of the stream are of that lane."""
        return (position - lane + len(self.topics) - 1) // len(self.topics)


@dataclass(frozen=True)
class Reading:
    """How a receiver gets a stream: what is dropped (``gone`` at its beginning, then runs that it notices), how fast it reads
    (messages a second), where it stops, which topics it subscribed to, and which numbers it skipped since it had unsubscribed for a while.
    """

    drops: Drops = field(default_factory=Drops)
    gone: int = 0
    capacity: float | None = None
    stops_at: int | None = None
    topics: tuple[str, ...] | None = None
    not_owed: Drops = field(default_factory=Drops)

    @property
    def all_drops(self) -> Drops:
        head = Drops(np.array([0]), np.array([self.gone - 1])) if self.gone else Drops()
        return head | self.drops | self.not_owed


def send(site: Site, flow: Flow, onsets: Numbers) -> None:
    """Rows of the sending end."""
    sender, lanes = flow.sender, len(flow.topics)
    site.sent += flow.pace.total
    onsets = np.unique(onsets)
    at = sender.ticks
    sent = flow.pace.sent_by(at)
    met = np.searchsorted(onsets, sent)
    count_rows(site, sender, at, sent=sent, sent_more_frames=sent, sent_bytes=sent * PAYLOAD, onsets=met)
    for lane, topic in enumerate(flow.topics):
        announce(site, sender, sender, lane, topic, flow.pace.begins + 0.001)
        count = flow.in_lane(lane, sent)
        lane_rows(site, sender, sender, lane, at, count, frames=count * FRAMES, next=0)
    site.tell(sender.host, "onset", flow.pace.sent_at(onsets), process=sender.process.id, n=sender.process.events(len(onsets)), socket=sender.id,
              number=onsets, lane=onsets % lanes, lane_number=onsets // lanes)  # fmt: skip


def receive(site: Site, receiver: Socket, flows: list[tuple[Flow, Reading]]) -> list[int]:
    """Rows of a receiver of one or several streams; gives how many messages of each it got."""
    at = receiver.ticks
    received, bursts, gaps, lost = (np.zeros(len(at), np.int64) for _ in range(4))
    delivered = []
    for flow, reading in flows:
        position = _position(flow, reading, at)
        end = int(_position(flow, reading, np.asarray([1e6]))[0])
        bursts = bursts + position // flow.pace.burst
        got_in_all = 0
        for lane, topic in enumerate(flow.topics):
            if reading.topics and topic not in reading.topics:
                continue
            drops = reading.all_drops.of_lane(lane, len(flow.topics))
            count = drops.got_of(flow.in_lane(lane, position))
            announce(site, receiver, flow.sender, lane, topic, flow.pace.begins + 0.01)
            _received_lane(site, receiver, flow, lane, at, count, drops)
            noticed = reading.drops.of_lane(lane, len(flow.topics))
            _gap_rows(site, receiver, flow, reading, lane, noticed, drops, end)
            _skipped_rows(site, receiver, flow, lane, reading.not_owed.of_lane(lane, len(flow.topics)))
            received = received + count
            begun = np.searchsorted(noticed.first, count)
            gaps, lost = gaps + begun, lost + np.append(0, np.cumsum(noticed.last - noticed.first + 1))[begun]
            got_in_all += int(drops.got_of(flow.in_lane(lane, np.asarray([end])))[0])
        delivered.append(got_in_all)
    slow = any(reading.capacity for _flow, reading in flows)
    count_rows(site, receiver, at, received=received, received_more_frames=received, received_bytes=received * PAYLOAD,
               waited_receives=bursts * (not slow), gaps=gaps, lost=lost)  # fmt: skip
    return delivered


def count_rows(site: Site, socket: Socket, at: Seconds, **counts: Numbers) -> None:
    """Samples of a socket's counters where they have changed."""
    moved = sum(counts.values(), np.zeros(len(at), np.int64))
    changed = np.diff(moved, prepend=0) != 0
    rows = {name: value[changed] for name, value in counts.items()}
    site.tell(socket.host, "counters", at[changed], process=socket.process.id, socket=socket.id, final=False, **{**dict.fromkeys(COUNTERS, 0), **rows})  # fmt: skip


def lane_rows(
    site: Site, socket: Socket, stream: Socket, lane: int, at: Seconds, count: Numbers, **columns: Any
) -> None:
    """Samples of one end of a lane where its count has changed."""
    changed = np.diff(count, prepend=0) != 0
    rows = {
        name: value[changed] if isinstance(value, np.ndarray) else value for name, value in columns.items()
    }
    role = "send" if socket is stream else "receive"
    site.tell(socket.host, "lane", at[changed], process=socket.process.id, socket=socket.id, stream=stream.id, lane=lane, role=role, state="sample",
              count=count[changed], **{"first": 0, **rows})  # fmt: skip


def announce(site: Site, socket: Socket, stream: Socket, lane: int, topic: str, at: float) -> None:
    """The event that tells of a new lane."""
    role = "send" if socket is stream else "receive"
    site.tell(socket.host, "lane", at, process=socket.process.id, n=socket.process.events(), socket=socket.id, stream=stream.id, lane=lane, role=role,
              state="announced", topic=topic)  # fmt: skip


def _position(flow: Flow, reading: Reading, at: Seconds) -> Numbers:
    """One past the number of the last message that the receiver has read."""
    drops = reading.all_drops
    got = drops.got_of(flow.pace.sent_by(at - LAG))
    if reading.capacity:
        got = np.minimum(got, ((at - flow.pace.begins) * reading.capacity).clip(0).astype(np.int64))
    position = drops.position_of(got)
    return position if reading.stops_at is None else np.minimum(position, reading.stops_at)


def _received_lane(
    site: Site, receiver: Socket, flow: Flow, lane: int, at: Seconds, count: Numbers, drops: Drops
) -> None:
    lanes = len(flow.topics)
    next_ = drops.position_of(count)
    first = int(drops.position_of(np.asarray([1]))[0]) - 1
    newest = flow.pace.sent_at(np.maximum(next_ - 1, 0) * lanes + lane) + flow.sender.host.skew
    lane_rows(site, receiver, flow.sender, lane, at, count, since=0, first=np.where(count > 0, first, 0), next=next_, newest_sent_at=newest)  # fmt: skip


def _gap_rows(
    site: Site, receiver: Socket, flow: Flow, reading: Reading, lane: int, gaps: Drops, drops: Drops, end: int
) -> None:
    lanes = len(flow.topics)
    seen = (gaps.last + 1) * lanes + lane < end
    first, last = gaps.first[seen], gaps.last[seen]
    before, after = (first - 1) * lanes + lane, (last + 1) * lanes + lane
    at = flow.pace.sent_at(after) + LAG
    if reading.capacity:
        at = np.maximum(at, flow.pace.begins + reading.all_drops.got_of(after + 1) / reading.capacity)
    skew = flow.sender.host.skew
    site.tell(receiver.host, "gap", at, process=receiver.process.id, n=receiver.process.events(len(first)), socket=receiver.id, stream=flow.sender.id,
              lane=lane, action="gap", first=first, last=last, lost=last - first + 1, before=before, after=after,
              before_sent_at=flow.pace.sent_at(before) + skew, after_sent_at=flow.pace.sent_at(after) + skew,
              received=drops.got_of(last + 2))  # fmt: skip


def _skipped_rows(site: Site, receiver: Socket, flow: Flow, lane: int, skipped: Drops) -> None:
    first, last = skipped.first, skipped.last
    at = flow.pace.sent_at((last + 1) * len(flow.topics) + lane) + LAG
    site.tell(receiver.host, "gap", at, process=receiver.process.id, n=receiver.process.events(len(first)), socket=receiver.id, stream=flow.sender.id,
              lane=lane, action="skipped", first=first, last=last)  # fmt: skip
