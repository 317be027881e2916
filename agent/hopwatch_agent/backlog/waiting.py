"""Where messages are sitting now: what a lane's sender has numbered, less what its receivers have seen.

Both ends have to be this agent's, and the receiving one open. They are read one after the other: ``at_most`` takes a sender that was read after
its receivers, ``at_least`` one that was read before them. Of a sender that has ended all may be on its way still, and nothing for certain. ``at_most`` counts all that a receiver has not seen: what was dropped since the
newest message that it has seen is among it, until the next one shows the gap (what is in a gap is not). ``at_least`` leaves
out whatever may have been dropped: at a full pipe from the onset on, and all where a connection went down since, or where others pass
the messages on, whose full pipes are not known.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf

from msgspec import Struct
from msgspec.structs import replace

from hopwatch_agent.backlog.peers import Peers, may_come_by_others, peers_of
from hopwatch_agent.backlog.read import Numbers, TwoReadings
from hopwatch_agent.live.draft import Draft, Tables
from hopwatch_agent.live.rows import role_of
from hopwatch_agent.live.state import LaneKey, LaneState, SocketState

SHARING = frozenset({"PUSH", "DEALER", "REQ", "REP"})
"""Types that share their messages out among their receivers."""
DROPPING = frozenset({"PUB", "XPUB", "ROUTER"})
"""Types that drop at a full pipe."""
WHOLE_STREAM_LANE = 2**32 - 1
ONSETS_KEPT = 1_000
SETTLING_NS = 2_000_000_000
"""A sender may learn of an unsubscription so much later, and sends on until then."""


class Waiting(Struct, frozen=True, gc=False):
    """Messages of a lane that are on their way; number ``seen`` is the oldest of them."""

    at_most: int
    at_least: int
    seen: int
    newest_sent_at: int = 0
    """When the newest message that was seen had been sent; 0: not known."""
    shared: bool = False
    """Shared out: number ``seen`` is not the oldest of them, if they are received in another order than they were sent in."""


@dataclass(frozen=True)
class Onset:
    """A full pipe: when, and at which lane and number of it, where messages have those."""

    at: int
    place: tuple[int, int] | None


@dataclass
class Onsets:
    """Those of one sender, the oldest first: all from a time on (nanoseconds since 1970), and the newest thousand at most."""

    since: int
    kept: deque[Onset] = field(default_factory=lambda: deque(maxlen=ONSETS_KEPT))

    def add(self, onset: Onset) -> None:
        """Adds a newer one."""
        if len(self.kept) == ONSETS_KEPT:
            self.since = self.kept[0].at + 1
        self.kept.append(onset)


@dataclass(frozen=True)
class Known:
    """What the backlog is made from. ``onsets``: by sender; those of the ones that are not there are known from ``since`` on:
    there were none. ``complete``: all onsets are known that there were when the first of the readings was made.
    """

    tables: Tables
    readings: TwoReadings
    onsets: Mapping[str, Onsets]
    since: int
    complete: bool = True

    @property
    def lanes(self) -> Mapping[LaneKey, Numbers]:
        """The numbers of those in use, at the first of the readings."""
        return self.readings.first.lanes


def waiting(known: Known) -> dict[LaneKey, Waiting]:
    """By lane, at its sending end and, where it is not shared out, at each receiving end; others are not known.

    At the sending end of a lane that is not shared out: of the receiver that has seen least.
    """
    drops = _latest_drops(known.tables)
    peers = peers_of(known.tables)
    found: dict[LaneKey, Waiting] = {}
    shared: dict[LaneKey, dict[str, Numbers]] = {}
    unknown: set[LaneKey] = set()
    for key, numbers in known.lanes.items():
        sending = (key[1], key[1], key[2])
        sender = known.tables.sockets.get(key[1])
        if role_of(*key[:2]) != "receive" or sender is None or sending not in known.lanes:
            continue
        if sender.type in SHARING:
            shared.setdefault(sending, {})[key[0]] = numbers
        elif not _was_left(key, numbers, known.tables):
            waits = _of_receiver(key, sending, sender, known, drops)
            if waits is None:
                unknown.add(sending)
                continue
            if waits.at_least and may_come_by_others(sender, known.tables.sockets[key[0]], peers):
                waits = replace(waits, at_least=0)
            found[key] = waits
            slowest = found.get(sending)
            if slowest is None or slowest.at_most < waits.at_most:
                found[sending] = waits
    for sending in unknown:
        found.pop(sending, None)
    if shared:
        found.update(_of_sharing(shared, known, peers, drops))
    found.update(_of_ended_senders(known))
    return found


def _of_receiver(
    key: LaneKey, sending: LaneKey, sender: SocketState, known: Known, drops: Mapping[str, int]
) -> Waiting | None:
    sent = known.readings.sent_by_then(sending, [key])
    if sent is None:
        return None
    seen, newest = _passed(known.lanes[key]), known.lanes[key][4]
    at_most = max(0, sent - seen)
    later = known.readings.received_by_then(key, sending)
    if later is None or max(drops.get(key[0], 0), drops.get(key[1], 0)) >= later[4]:
        at_least = 0
    else:
        there = min(at_most, max(0, known.lanes[sending][0] - _passed(later)))
        at_least = int(min(there, _before_a_full_pipe(key[2], _passed(later), later[4], sender, known)))
    return Waiting(at_most, at_least, seen, newest)


def _of_ended_senders(known: Known) -> Iterator[tuple[LaneKey, Waiting]]:
    """Of senders that have told their last word, at the receiving ends: what they shared out among several is not told."""
    lanes = known.tables.lanes
    for key, numbers in known.lanes.items():
        sending = (key[1], key[1], key[2])
        sender, lane = known.tables.sockets.get(key[1]), lanes.get(sending)
        if sender is None or lane is None or not lane.final or role_of(*key[:2]) != "receive":
            continue
        shared = sender.type in SHARING and (lane.settled > 0 or _is_shared(key, lanes))
        if not shared and not _was_left(key, numbers, known.tables):
            seen = _passed(numbers)
            yield key, Waiting(max(0, lane.count - seen), 0, seen, numbers[4])


def _is_shared(key: LaneKey, lanes: Mapping[LaneKey, LaneState]) -> bool:
    """Whether there is another receiver of the lane."""
    ends = {other[0] for other in lanes if other[1:] == key[1:]}
    return bool(ends - {key[0], key[1]})


def _passed(numbers: Numbers) -> int:
    """Up to which number a receiver has seen all that it will."""
    return numbers[3] + numbers[1]


def _before_a_full_pipe(lane: int, seen: int, newest: int, sender: SocketState, known: Known) -> float:
    """How many messages behind the newest one seen cannot have been dropped at a full pipe."""
    if sender.type not in DROPPING:
        return inf
    onsets = known.onsets.get(sender.socket) or Onsets(known.since)
    if not (known.complete and sender.probed) or sender.probing_stopped:
        return 0
    if newest < onsets.since and sender.opened_at < onsets.since:
        return 0
    onset = next((onset for onset in onsets.kept if onset.at >= newest), None)
    if onset is None:
        return inf
    return max(0, onset.place[1] - seen) if onset.place is not None and onset.place[0] == lane else 0


def _of_sharing(
    shared: Mapping[LaneKey, Mapping[str, Numbers]],
    known: Known,
    peers: Mapping[str, Peers],
    drops: Mapping[str, int],
) -> Iterator[tuple[LaneKey, Waiting]]:
    ended = _seen_by_ended(shared, known)
    # of a receiver that came between the two readings it is not known what it had seen at the first
    joined = {(key[1], key[1], key[2]) for key in known.readings.second.lanes.keys() - known.lanes.keys()}
    for key, receivers in shared.items():
        told = peers.get(key[0], Peers())
        if told.elsewhere_since is not None or known.tables.sockets[key[0]].shared_elsewhere:
            continue
        receiving = [(socket, key[1], key[2]) for socket in receivers]
        sent = known.readings.sent_by_then(key, receiving)
        if sent is None:
            continue
        in_order = told.here == receivers.keys() and told.connections == len(receivers)
        at_most, seen = _not_seen(sent, receivers.values(), ended[key], in_order=in_order)
        later = [known.readings.received_by_then(receiver, key) for receiver in receiving]
        if None in later or key in joined or key[0] in drops:
            at_least = 0
        else:
            there = (numbers for numbers in later if numbers is not None)
            at_least = min(at_most, _not_seen(known.lanes[key][0], there, ended[key], in_order=in_order)[0])
        yield key, Waiting(at_most, at_least, seen, shared=True)


def _not_seen(sent: int, receivers: Iterable[Numbers], ended: int, *, in_order: bool) -> tuple[int, int]:
    """How many messages that were shared out are on their way, and how many were seen."""
    every = list(receivers)
    seen = ended + sum(numbers[0] + numbers[1] for numbers in every)
    # each receives in order what comes by its one connection: of what all have passed, what is missing is lost
    passed = min(map(_passed, every)) if in_order else 0
    return max(0, sent - max(seen, passed)), seen


def _seen_by_ended(shared: Iterable[LaneKey], known: Known) -> dict[LaneKey, int]:
    """What receivers have seen that have closed, or let go of a lane."""
    lanes = known.tables.lanes
    seen = {key: lanes[key].settled if key in lanes else 0 for key in shared}
    for key, lane in lanes.items():
        sending = (key[1], key[1], key[2])
        if sending in seen and key != sending and key not in known.lanes:
            seen[sending] += lane.count + lane.frames
    return seen


def settle(draft: Draft) -> None:
    """Keeps, at the sending ends, what the receivers had seen that the draft forgets."""
    for lane in list(draft.lanes.values()):
        forgotten = lane.socket in draft.forgotten_sockets or lane.process in draft.forgotten_processes
        sender = draft.lanes.get((lane.stream, lane.stream, lane.lane))
        if forgotten and sender is not None and lane is not sender:
            seen = sender.settled + lane.count + lane.frames
            draft.lanes.put((lane.stream, lane.stream, lane.lane), replace(sender, settled=seen))


def _latest_drops(tables: Tables) -> dict[str, int]:
    """When a connection of each socket last went down, of those that had one go."""
    found: dict[str, int] = {}
    for connection in tables.connections.values():
        if connection.state == "disconnected":
            found[connection.socket] = max(connection.since, found.get(connection.socket, 0))
    return found


def _was_left(key: LaneKey, numbers: Numbers, tables: Tables) -> bool:
    """Whether the receiver has unsubscribed from the lane, and seen no message since that shows that it is owed others still."""
    socket = tables.sockets.get(key[0])
    if socket is None or not socket.unsubscribed:
        return False
    lane = tables.lanes.get(key)
    topic = None if lane is None or key[2] == WHOLE_STREAM_LANE else lane.topic
    settled = numbers[4] - SETTLING_NS
    return any(
        at >= settled and (topic is None or topic.startswith(prefix)) for prefix, at in socket.unsubscribed
    )
