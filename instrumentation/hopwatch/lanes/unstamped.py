"""Messages without a stamp, of streams whose stamps are sparse: which lane each belongs to, and how many came since its last stamp.

A message of a sparse lane carries nothing: the lane is known from what the stamps of its stream say about topics, and
where several streams use the same topic, from the connection that it came by. Where that leaves several lanes, the
message is counted for each of them: what a lane is then said to have lost is a lower bound, never too much.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import zmq

from hopwatch import finding
from hopwatch.finding import Finding
from hopwatch.frames import as_bytes
from hopwatch.journal.counters import Slot, Words, private_slot
from hopwatch.journal.journal import Journal
from hopwatch.lanes.sending import lane_event
from hopwatch.lanes.topics import LONGEST_TOPIC, MOST_TOPICS
from hopwatch.stamp import (
    BY_FIRST_FRAME,
    LENGTH_MASK,
    LENGTH_SHIFT,
    RULE_MASK,
    WHOLE_STREAM_LANE,
    Stamp,
    most_between,
)
from hopwatch.words import LANE_COUNT, LANE_INDEX, LANE_SLOT_WORDS, LANE_SOCKET, LANE_UNSTAMPED

MOST_GROUPS = 20_000
MOST_RULES = 16
"""Each message without a stamp is looked at by every rule."""
MOST_LANES_TOGETHER = 8

SRCFD = int(zmq.SRCFD)

NO_STREAM = 0
"""The stream of messages that belong to no lane."""

Key = tuple[int, bytes | None]
"""A rule (flag bits of a stamp) and what it makes of a message: a topic; None where there is none."""


@dataclass(eq=False, slots=True)
class SparseLane:
    """What came of one lane since its last stamp. ``most`` is more than can lie between two stamps."""

    words: Words
    most: int
    key: Key
    connection: int | None
    since: int = 0
    followed: bool = True

    def give_up(self) -> None:
        """Follow it no more: too many lanes share a connection and a topic. From here on it is taken to lose nothing."""
        self.followed = False
        self.words[LANE_UNSTAMPED] = self.most

    def take(self, between: int) -> int:
        """A stamp has come, so many numbers after the last: how many of those came without one."""
        came = min(self.since, between) if self.followed else between
        self.since -= came
        return came

    def go_on(self, between: int, came: int, *, shared_out: bool) -> None:
        """A lane that was given up is back, so many numbers later; ``came`` may have come meanwhile: which did is not known for certain.

        It is taken to have lost nothing; where a lane is shared out, what did not come here came elsewhere.
        """
        self.since = max(0, between)
        if shared_out:
            self.since = min(self.since, came + self.words[LANE_UNSTAMPED])

    def begin(self) -> int:
        """Count from here, where a stamp was; returns how many more had come than were numbered."""
        surplus, self.since = self.since, 0
        if self.followed:
            self.words[LANE_UNSTAMPED] = 0
        return surplus


class TopicCounts:
    """How many messages of each topic came that carry no number and belong to no lane.

    A slot a topic, for ``MOST_TOPICS`` of them; what is past that shares one, and ``find`` is told so. Where nobody
    asked for them (``wanted``), one that is not journaled serves.
    """

    def __init__(self, socket: int, journal: Journal, *, wanted: bool = True) -> None:
        self.slots: list[Slot] = []
        self._socket = socket
        self._journal = journal
        self.find: Callable[[Finding], None] = lambda _: None
        self._most = MOST_TOPICS if wanted else 0
        self._topics = 0
        self._gathered: Words | None = None if wanted else private_slot(LANE_SLOT_WORDS).words

    def let_go(self) -> None:
        """Touch the slots no more."""
        self.slots = []

    def slot(self, topic: bytes | None) -> Words:
        """Where the messages of one more topic are counted; None: of any further topic."""
        if topic is not None and self._topics < self._most:
            self._topics += 1
            return self._open(self._topics - 1, topic)
        if self._gathered is None:
            self.find(finding.topics_gathered(MOST_TOPICS))
            self._gathered = self._open(WHOLE_STREAM_LANE, b"")
        return self._gathered

    def _open(self, index: int, topic: bytes) -> Words:
        slot = self._journal.lane_slot()
        self.slots.append(slot)
        slot.words[LANE_INDEX] = index
        slot.words[LANE_SOCKET] = self._socket
        lane_event(self._journal, "lane", self._socket, NO_STREAM, index, topic=topic.hex(), slot=slot.place)
        return slot.words


@dataclass(slots=True)
class Group:
    """By connection: lanes that a message of one key may belong to, and how many came that no lane was known for.

    ``nobodys`` of them are counted in a slot, which this group may share with others.
    """

    lanes: dict[int | None, list[SparseLane]] = field(default_factory=dict)
    unclaimed: Counter[int | None] = field(default_factory=Counter)
    slot: Words | None = None
    nobodys: int = 0

    def count_nobodys(self, slot: Words) -> None:
        """One more message of no lane."""
        self.slot = slot
        self.nobodys += 1
        slot[LANE_COUNT] += 1

    def claim(self) -> None:
        """A lane has turned up that they may be of."""
        if self.slot is not None:
            self.slot[LANE_COUNT] -= self.nobodys
            self.nobodys = 0

    def all_lanes(self) -> list[SparseLane]:
        """Lanes by whatever connection."""
        return [lane for lanes in self.lanes.values() for lane in lanes]


class Unstamped:
    """Counts the messages without a stamp that one receiver gets.

    ``guess`` is the rule for what comes before the first stamp tells one. ``before`` counts messages of which no more than
    that they came is known. ``topics`` counts those that belong to no lane. ``by_frames``: sparse stamps have come, or may be the first to
    come: their streams are told apart by their connections, which Frames alone tell.
    """

    def __init__(self, guess: int, topics: TopicCounts) -> None:
        self.topics = topics
        self.before = 0
        self.mixed = False
        self._rules: tuple[int, ...] = (guess,)
        self._guessed = True
        self._groups: dict[Key, Group] = {}
        self._streams: set[int] = set()
        self._by_connection = False
        self.by_frames = True
        self._only: SparseLane | None = None
        """The lane of all messages of one frame, where they can be of no other."""

    def count(self, first_frame: Any, several: bool) -> None:
        """Take in a message without a stamp (its first frame: bytes or zmq.Frame; ``several``: it has more)."""
        only = self._only
        if only is not None and not several:
            only.since = since = only.since + 1
            only.words[LANE_UNSTAMPED] = since
            return
        connection = connection_of(first_frame) if self._by_connection else None
        for rule in self._rules:
            topic = topic_by(rule, first_frame, several)
            if topic is not None and len(topic) > LONGEST_TOPIC:
                self.topics.slot(None)[LANE_COUNT] += 1  # no lane's: its sender would have stamped it
                continue
            group = self._group((rule, topic))
            if group is None:
                self.before += 1
                self.topics.slot(None)[LANE_COUNT] += 1
                continue
            lanes = group.lanes.get(connection) if self._by_connection else None
            if not lanes:
                lanes = group.all_lanes()
                if self._by_connection or not lanes:
                    group.unclaimed[connection] += 1
                if not lanes:
                    group.count_nobodys(group.slot or self.topics.slot(topic or b""))
            for lane in lanes:
                lane.since += 1
                lane.words[LANE_UNSTAMPED] = lane.since if len(lanes) == 1 else min(lane.since, lane.most)

    def each_is_stamped(self) -> None:
        """A stream has come that stamps all its messages."""
        self.by_frames = bool(self._streams)

    def open(self, words: Words, stamp: Stamp, first_frame: Any, several: bool) -> tuple[SparseLane, int]:
        """A lane's first stamp; returns the lane, and how many messages of it may have come before."""
        self._only = None
        rule = stamp.flags & RULE_MASK
        told_apart = self._by_connection
        is_known = self._know(rule, stamp.stream)
        connection = connection_of(first_frame)
        shares = stamp.lane == WHOLE_STREAM_LANE
        topic = None if shares else topic_by(rule, first_frame, several)
        followed = is_known and (topic is None or len(topic) <= LONGEST_TOPIC)
        lane = SparseLane(words, most_between(stamp.flags), (rule, topic if followed else None), connection)
        group = self._group(lane.key) if followed else None
        if group is None:
            lane.give_up()
            return lane, self.before
        came = self.before + group.unclaimed.pop(connection, 0)
        if connection is not None:
            came += group.unclaimed.pop(None, 0)
        rivals = group.lanes.get(connection, [])
        self.mixed = self.mixed or bool(rivals)
        came += max((other.since for other in (rivals if told_apart else group.all_lanes())), default=0)
        group.claim()
        self._join(group, lane)
        self._only = self._lane_of_single_frames()
        return lane, came

    def stamped(self, lane: SparseLane, first_frame: Any) -> int:
        """A stamp of this lane has come and was taken; returns how many more messages had come than were numbered."""
        surplus = lane.begin()
        group = self._groups.get(lane.key)
        if group is None or not lane.followed:
            return surplus
        group.unclaimed[lane.connection] += surplus
        connection = connection_of(first_frame)
        if connection != lane.connection:
            group.lanes[lane.connection].remove(lane)
            lane.connection = connection
            self._join(group, lane)
        return surplus

    def leave(self, lane: SparseLane) -> None:
        """Follow a lane no more: what comes of it without a stamp is nobody's, until it is opened again."""
        group = self._groups.get(lane.key)
        if group is not None and lane.followed:
            group.lanes[lane.connection].remove(lane)
            self._only = self._lane_of_single_frames()

    def _lane_of_single_frames(self) -> SparseLane | None:
        if self._by_connection or len(self._rules) > 1 or self._rules[0] & LENGTH_MASK:
            return None
        group = self._groups.get((self._rules[0], None))
        lanes = [] if group is None else group.all_lanes()
        return lanes[0] if len(lanes) == 1 and lanes[0].followed else None

    @staticmethod
    def _join(group: Group, lane: SparseLane) -> None:
        lanes = group.lanes.setdefault(lane.connection, [])
        lanes.append(lane)
        if len(lanes) > MOST_LANES_TOGETHER:
            lanes.pop(0).give_up()

    def _know(self, rule: int, stream: int) -> bool:
        """Whether the rule is one of those that are followed from here on."""
        if self._guessed and rule not in self._rules:
            for group in self._groups.values():
                self.before += sum(group.unclaimed.values())
                group.claim()
            self._groups.clear()
            self._rules = ()
        self._guessed = False
        if rule not in self._rules and len(self._rules) < MOST_RULES:
            self._rules = (*self._rules, rule)
        self.by_frames = True
        if len(self._streams) < 2:
            self._streams.add(stream)
        self._by_connection = len(self._streams) > 1
        return rule in self._rules

    def _group(self, key: Key) -> Group | None:
        group = self._groups.get(key)
        if group is None and len(self._groups) < MOST_GROUPS:
            group = self._groups[key] = Group()
        return group


def topic_by(rule: int, first_frame: Any, several: bool) -> bytes | None:
    """The topic of a message, as the stamps of its stream say; None where it has none."""
    if not rule:
        return None
    if rule & BY_FIRST_FRAME:
        return as_bytes(first_frame) if several else None
    return as_bytes(first_frame)[: rule >> LENGTH_SHIFT]


def connection_of(frame: Any) -> int | None:
    """The connection that a frame came by, as the number of its file; None where that is not to be known."""
    if not isinstance(frame, zmq.Frame):
        return None
    try:
        number = frame.get(SRCFD)
    except zmq.ZMQError:
        return None
    return number if isinstance(number, int) else None
