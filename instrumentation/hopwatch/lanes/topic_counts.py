"""Messages that carry no number and belong to no lane: how many of each topic came."""

from collections.abc import Callable

from hopwatch import finding
from hopwatch.finding import Finding
from hopwatch.ids import as_text
from hopwatch.journal.counters import Slot, Words, private_slot
from hopwatch.journal.journal import Journal
from hopwatch.lanes.topics import MOST_TOPICS
from hopwatch.stamp import WHOLE_STREAM_LANE
from hopwatch.words import LANE_INDEX, LANE_SLOT_WORDS, LANE_SOCKET

NO_STREAM = 0
"""The stream of messages that belong to no lane."""


class TopicCounts:
    """A slot a topic, for ``MOST_TOPICS`` of them; what is past that shares one, and ``find`` is told so.

    Where nobody asked for them (``wanted``), one that is not journaled serves.
    """

    def __init__(self, socket: int, journal: Journal, *, wanted: bool = True) -> None:
        self.slots: list[Slot] = []
        self._socket = socket
        self._journal = journal
        self.find: Callable[[Finding], None] = lambda _: None
        self._most = MOST_TOPICS if wanted else 0
        self._topics = 0
        self._gathered: Words | None = None if wanted else private_slot(LANE_SLOT_WORDS).words

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
        about = {"socket": as_text(self._socket), "stream": as_text(NO_STREAM), "lane": index}
        self._journal.event("lane", **about, topic=topic.hex(), slot=slot.place)
        return slot.words
