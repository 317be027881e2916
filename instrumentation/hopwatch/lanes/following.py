"""Which lanes a receiver follows: streams that have been silent longest give their slots up to others, and are remembered."""

from collections import Counter
from dataclasses import dataclass, field

from hopwatch.journal.counters import Slot, Words
from hopwatch.journal.journal import Journal
from hopwatch.lanes.numbers import OpenGaps
from hopwatch.lanes.sending import write_lanes
from hopwatch.lanes.unstamped import SparseLane, Unstamped
from hopwatch.words import LANE_COUNT, LANE_FIRST, LANE_INDEX, LANE_SOCKET, LANE_STREAM, LANE_UNSTAMPED

MOST_LANES = 20_000
MANY_STREAMS = 1_000
MOST_REMEMBERED = 20_000
REFUSALS_A_LOOK = 1_000
LOOKS_REMEMBERED = 20
LANES_AT_ONCE = 200
"""No more give their slots up during one receive, which waits for that."""

Key = tuple[int, int]
"""A stream, and the index of a lane in it."""


@dataclass
class ReceivingLane:
    """One lane as this receiver sees it. ``words`` is None where it cannot be checked; ``label`` is what its stamps end with."""

    topic: bytes
    words: Words | None
    slot: Slot | None = None
    label: bytes = b""
    newest_number: int = 0
    paused: bool = False
    sparse: SparseLane | None = None
    open_gaps: OpenGaps = field(default_factory=OpenGaps)


Followed = tuple[ReceivingLane, Words]
"""A lane, and the words of its slot."""


@dataclass(frozen=True, slots=True)
class Former:
    """Where a lane stood when it gave its slot up: the bytes of the slot, and the newest message's number in the stream."""

    words: bytes
    newest_number: int


@dataclass(slots=True)
class Heard:
    """How many messages of a stream had come when it was last looked at, and at which look that was news.

    ``is_back``: it had been given up, and spoke again.
    """

    came: int
    look: int
    is_back: bool = False


class Following:
    """The lanes of one receiver, ``MOST_LANES`` at most.

    From ``MANY_STREAMS`` on, streams that nothing came of between two looks give way: theirs are senders that went, for all that can
    be seen. Streams that are heard of stay, however many; for each that had been given up and is back, there is one more. ``forgot``: of a lane that is new it is not known any more whether it had been followed before.
    """

    def __init__(self, socket: int, counters: Words, journal: Journal, unstamped: Unstamped) -> None:
        self.by_key: dict[Key, ReceivingLane] = {}
        self.by_label: dict[bytes, Followed] = {}
        self.slots: list[Slot] = []
        self.forgot = False
        self._socket = socket
        self._counters = counters
        self._journal = journal
        self._unstamped = unstamped
        self._heard: dict[int, Heard] = {}
        self._former: dict[Key, Former] = {}
        self._looks = 0
        self._streams_at_next_look = MANY_STREAMS
        self._refusals_until_look = 0

    def has_room(self, key: Key) -> bool:
        """Whether one more lane can be followed; silent streams are given up for it."""
        if key[0] not in self._heard and len(self._heard) >= self._streams_at_next_look:
            self._look(key[0])
        if len(self.by_key) < MOST_LANES:
            return True
        if self._refusals_until_look == 0:
            self._look(key[0])
            free = MOST_LANES - len(self.by_key)
            self._refusals_until_look = max(0, REFUSALS_A_LOOK - free)
            if len(self.by_key) < MOST_LANES:
                return True
        self._refusals_until_look -= 1
        self._former.pop(key, None)
        self.forgot = True
        return False

    def open(self, key: Key, topic: bytes, number: int) -> tuple[ReceivingLane, Words, bool]:
        """A lane, its slot's words, and whether it is back: then they stand where they stood, else at the one message of this number."""
        slot = self._journal.lane_slot()
        self.slots.append(slot)
        words = slot.words
        lane = ReceivingLane(topic, words, slot)
        former = self._former.pop(key, None)
        if former is not None:
            stood = memoryview(former.words).cast("Q")
            words[LANE_SOCKET + 1 :] = stood[LANE_SOCKET + 1 :]
            words[LANE_SOCKET] = self._socket  # last: from here on a reader takes the slot for this lane's
            lane.newest_number = former.newest_number
            if key[0] not in self._heard:
                self._heard[key[0]] = Heard(0, self._looks, is_back=True)
                self._streams_at_next_look += 1
            return lane, words, True
        words[LANE_STREAM], words[LANE_INDEX] = key
        words[LANE_COUNT] = 1
        words[LANE_FIRST] = number
        words[LANE_SOCKET] = self._socket
        return lane, words, False

    def keep(self, key: Key, lane: ReceivingLane) -> None:
        """Follow it from here on; one without words only so that it is known."""
        if lane.words is None and key in self._former:
            del self._former[key]
            self.forgot = True
        if key[0] not in self._heard:
            self._heard[key[0]] = Heard(1, self._looks)
        self.by_key[key] = lane
        if lane.words is not None and lane.label:
            self.by_label[lane.label] = (lane, lane.words)

    def _look(self, newcomer: int) -> None:
        self._looks += 1
        came: Counter[int] = Counter()
        for (stream, _), lane in self.by_key.items():
            came[stream] += messages_of(lane)
        self._heard = {stream: self._heard[stream] for stream in came}
        silent = []
        for stream, heard in self._heard.items():
            if came[stream] != heard.came:
                heard.came, heard.look = came[stream], self._looks
            elif stream != newcomer:
                silent.append(stream)
        silent.sort(key=lambda stream: (self._is_lasting(stream), self._heard[stream].look))
        self._give_up(silent[: MANY_STREAMS // 10 or 1])
        lasting = sum(map(self._is_lasting, self._heard))
        self._streams_at_next_look = max(MANY_STREAMS + lasting, len(self._heard) + (MANY_STREAMS // 20 or 1))

    def _is_lasting(self, stream: int) -> bool:
        heard = self._heard[stream]
        return heard.is_back and self._looks - heard.look <= LOOKS_REMEMBERED

    def _give_up(self, streams: list[int]) -> None:
        order = {stream: place for place, stream in enumerate(streams)}
        keys = sorted((key for key in self.by_key if key[0] in order), key=lambda key: order[key[0]])
        given_up = [(key, self.by_key.pop(key)) for key in keys[:LANES_AT_ONCE]]
        slots = [lane.slot for _, lane in given_up if lane.slot is not None]
        write_lanes(self._journal, self._counters, slots, final=False)
        for key, lane in given_up:
            self._heard[key[0]].came -= messages_of(lane)
            self._remember(key, lane)
        left = {key[0] for key in self.by_key}
        self._heard = {stream: heard for stream, heard in self._heard.items() if stream in left}
        gone = {id(slot) for slot in slots}
        self.slots[:] = [slot for slot in self.slots if id(slot) not in gone]
        self._journal.give_back_lanes(slots)

    def _remember(self, key: Key, lane: ReceivingLane) -> None:
        words = lane.words
        if words is None:
            return
        self.by_label.pop(lane.label, None)
        if lane.sparse is not None:
            self._unstamped.leave(lane.sparse)
        if len(self._former) >= MOST_REMEMBERED:
            del self._former[next(iter(self._former))]
            self.forgot = True
        self._former[key] = Former(words.tobytes(), lane.newest_number)
        words[LANE_SOCKET] = 0


def messages_of(lane: ReceivingLane) -> int:
    """How many messages are counted to a lane."""
    return 0 if lane.words is None else lane.words[LANE_COUNT] + lane.words[LANE_UNSTAMPED]
