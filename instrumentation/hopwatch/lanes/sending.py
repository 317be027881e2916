"""The lanes of a stream, at its sending end."""

from collections.abc import Callable
from dataclasses import dataclass

from hopwatch import stamp
from hopwatch.ids import as_text
from hopwatch.journal.counters import Slot, Words, private_slot
from hopwatch.journal.journal import Journal
from hopwatch.words import LANE_INDEX, LANE_NEWEST_SENT_AT, LANE_SLOT_WORDS, LANE_SOCKET, LANE_STREAM, SOCKET

MOST_LANES = 10_000
PROGRESS_LANES = 32
LANES_A_LINE = 100
STRANGERS_SHARE = 10
"""One lane in so many may be opened for peers that are not there."""


@dataclass(slots=True)
class SendingLane:
    """One lane: its index, the length of its topic within the first frame, and its slot.

    ``count`` is the next number: what the slot says, and one more while a message is being sent; ``due`` the next number to be stamped; ``label`` the end of its stamps, once it was made.
    """

    index: int
    topic_length: int
    words: Words
    count: int = 0
    due: int = 0
    label: bytes = b""

    def take_number(self) -> int:
        """The number of the message that is about to be sent; who sends meanwhile, in a signal handler, takes the next."""
        number, self.count = self.count, self.count + 1
        return number

    def give_back(self, number: int) -> None:
        """The message of this number was not sent."""
        if self.count == number + 1:
            self.count = number


class SendingLanes:
    """Numbers the messages of one stream, a lane for each key (topic or routing id), ``most_lanes`` at most.

    ``gathering`` is told of each message that is past the bound.
    """

    def __init__(self, stream: int, journal: Journal, most_lanes: int = MOST_LANES) -> None:
        self._stream = stream
        self.most_lanes = most_lanes
        self._strangers = 0
        self._journal = journal
        self._by_key: dict[bytes, SendingLane] = {}
        self._whole: SendingLane | None = None
        self.gathering: Callable[[], None] = lambda: None
        self.slots: list[Slot] = []

    def lane(self, key: bytes | None, topic_length: int) -> SendingLane:
        """The lane of a key; the whole-stream lane for None and for keys past the bound."""
        if key is not None:
            lane = self._by_key.get(key)
            if lane is not None:
                return lane
            if len(self._by_key) < self.most_lanes:
                lane = self._open(len(self._by_key), key, topic_length)
                self._by_key[key] = lane
                return lane
            self.gathering()
        if self._whole is None:
            self._whole = self._open(stamp.WHOLE_STREAM_LANE, b"", 0)
        return self._whole

    def of_stranger(self, key: bytes) -> SendingLane | None:
        """The lane of a peer that is not there; None where too many were opened for such: those who do come need them."""
        lane = self._by_key.get(key)
        if lane is None and self._strangers < self.most_lanes // STRANGERS_SHARE:
            self._strangers += 1
            return self.lane(key, 0)
        return lane

    def known(self, key: bytes) -> SendingLane | None:
        """The lane of a key, if there is one already."""
        return self._by_key.get(key)

    def let_go(self) -> None:
        """Touch the slots no more; a send that is under way counts in none."""
        self.slots = []
        words = private_slot(LANE_SLOT_WORDS).words
        for lane in (*self._by_key.values(), *filter(None, [self._whole])):
            lane.words = words

    def write_progress(self, counters: Words) -> None:
        """Journal where every lane stands, of streams with few of them; ``counters`` is the slot of their socket."""
        if len(self.slots) <= PROGRESS_LANES:
            write_lanes(self._journal, counters, self.slots, final=False)

    def _open(self, index: int, topic: bytes, topic_length: int) -> SendingLane:
        slot = self._journal.lane_slot()
        self.slots.append(slot)
        slot.words[LANE_STREAM] = self._stream
        slot.words[LANE_INDEX] = index
        slot.words[LANE_SOCKET] = self._stream
        about = {"topic": topic.hex(), "slot": slot.place}
        lane_event(self._journal, "lane", self._stream, self._stream, index, **about)
        return SendingLane(index, topic_length, slot.words)


def lane_event(journal: Journal, event: str, socket: int, stream: int, lane: int, **fields: object) -> None:
    """Journal one event of a lane."""
    journal.event(event, socket=as_text(socket), stream=as_text(stream), lane=lane, **fields)


def write_lanes(journal: Journal, counters: Words, slots: list[Slot], final: bool) -> None:
    """Journal the words of the lane slots of one socket, whose own is ``counters``, some hundred a line."""
    rows = [
        [
            as_text(words[LANE_STREAM]),
            *words[LANE_INDEX:LANE_NEWEST_SENT_AT],
            stamp.nanoseconds(words[LANE_NEWEST_SENT_AT]),
        ]
        for words in (slot.words.tolist() for slot in slots)
    ]
    socket = as_text(counters[SOCKET])
    for start in range(0, len(rows), LANES_A_LINE):
        journal.event("lanes", socket=socket, final=final, lanes=rows[start : start + LANES_A_LINE])
