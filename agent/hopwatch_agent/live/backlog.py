"""Where messages are sitting now: what a lane's sender has numbered, less what its receivers have seen.

Both ends have to be open and to be this agent's. ``at_most`` counts all that a receiver has not seen: what was dropped since the
newest message that it has seen is among it, until the next one shows the gap (what is in a gap is not). ``at_least`` leaves
out whatever may have been dropped: at a full pipe from the onset on, and all where a connection went down since.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import inf

from msgspec import Struct
from msgspec.structs import replace

from hopwatch_agent.live.draft import Draft, Tables
from hopwatch_agent.live.rows import role_of
from hopwatch_agent.live.state import LaneKey, SocketState

SHARING = frozenset({"PUSH", "DEALER", "REQ", "REP"})
"""Types that share their messages out among their receivers."""
DROPPING = frozenset({"PUB", "XPUB", "ROUTER"})
"""Types that drop at a full pipe."""
WHOLE_STREAM_LANE = 2**32 - 1
ONSETS_KEPT = 1_000
SETTLING_NS = 2_000_000_000
"""A sender may learn of an unsubscription so much later, and sends on until then."""
UP = frozenset({"connected", "ready"})

Numbers = tuple[int, ...]


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
    """What the backlog is made from. ``lanes``: the numbers of lanes in use, as just read; ``onsets``: by sender; those of the
    ones that are not there are known from ``since`` on: there were none.
    """

    tables: Tables
    lanes: Mapping[LaneKey, Numbers]
    onsets: Mapping[str, Onsets]
    since: int


def waiting(known: Known) -> dict[LaneKey, Waiting]:
    """By lane, at its sending end and, where it is not shared out, at each receiving end; others are not known.

    At the sending end of a lane that is not shared out: of the receiver that has seen least.
    """
    drops = _latest_drops(known.tables)
    found: dict[LaneKey, Waiting] = {}
    shared: dict[LaneKey, int] = {}
    for key, numbers in known.lanes.items():
        sending = (key[1], key[1], key[2])
        sender = known.tables.sockets.get(key[1])
        if role_of(*key[:2]) != "receive" or sender is None or sending not in known.lanes:
            continue
        if sender.type in SHARING:
            shared[sending] = shared.get(sending, 0) + numbers[0] + numbers[1]
        elif not _was_left(key, numbers, known.tables):
            found[key] = _of_receiver(key, numbers, sender, known, drops)
            slowest = found.get(sending)
            if slowest is None or slowest.at_most < found[key].at_most:
                found[sending] = found[key]
    if shared:
        found.update(_of_sharing(_with_ended(shared, known), known, drops))
    return found


def _of_receiver(
    key: LaneKey, numbers: Numbers, sender: SocketState, known: Known, drops: Mapping[str, int]
) -> Waiting:
    _, since, _, following, newest = numbers
    seen = following + since
    at_most = max(0, known.lanes[key[1], key[1], key[2]][0] - seen)
    if max(drops.get(key[0], 0), drops.get(key[1], 0)) >= newest:
        at_least = 0
    else:
        at_least = int(min(at_most, _before_a_full_pipe(key[2], seen, newest, sender, known)))
    return Waiting(at_most, at_least, seen, newest)


def _before_a_full_pipe(lane: int, seen: int, newest: int, sender: SocketState, known: Known) -> float:
    """How many messages behind the newest one seen cannot have been dropped at a full pipe."""
    if sender.type not in DROPPING:
        return inf
    onsets = known.onsets.get(sender.socket) or Onsets(known.since)
    if not sender.probed or (newest < onsets.since and sender.opened_at < onsets.since):
        return 0
    onset = next((onset for onset in onsets.kept if onset.at >= newest), None)
    if onset is None:
        return inf
    return max(0, onset.place[1] - seen) if onset.place is not None and onset.place[0] == lane else 0


def _with_ended(shared: Mapping[LaneKey, int], known: Known) -> dict[LaneKey, int]:
    """The same with what receivers have seen that have closed, or let go of a lane."""
    seen = {key: number + _settled(key, known.tables) for key, number in shared.items()}
    for key, lane in known.tables.lanes.items():
        sending = (key[1], key[1], key[2])
        if sending in seen and key != sending and key not in known.lanes:
            seen[sending] += lane.count + lane.frames
    return seen


def _settled(key: LaneKey, tables: Tables) -> int:
    lane = tables.lanes.get(key)
    return 0 if lane is None else lane.settled


def _of_sharing(
    shared: Mapping[LaneKey, int], known: Known, drops: Mapping[str, int]
) -> Iterator[tuple[LaneKey, Waiting]]:
    elsewhere = peers_elsewhere(known.tables)
    for key, seen in shared.items():
        if key[0] not in elsewhere and not known.tables.sockets[key[0]].shared_elsewhere:
            at_most = max(0, known.lanes[key][0] - seen)
            yield key, Waiting(at_most, 0 if key[0] in drops else at_most, seen, shared=True)


def peers_elsewhere(tables: Tables) -> dict[str, int]:
    """Sockets with a connection to no socket of this agent, or to a proxy's, behind which others may be; since when."""
    here: dict[tuple[str | None, str | None], str] = {
        (connection.local, connection.remote): connection.socket for connection in tables.connections.values()
    }
    found: dict[str, int] = {}
    for connection in tables.connections.values():
        if connection.state not in UP or connection.local is None:
            continue
        peer = tables.sockets.get(here.get((connection.remote, connection.local), ""))
        if peer is None or peer.proxy is not None:
            found[connection.socket] = min(connection.since, found.get(connection.socket, connection.since))
    return found


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
