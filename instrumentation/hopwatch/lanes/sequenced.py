"""Lanes of messages that carry numbers of their own, at either end of a hop."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hopwatch import finding
from hopwatch.finding import Finding
from hopwatch.frames import as_bytes
from hopwatch.ids import as_text
from hopwatch.interruptions import comes_from_without
from hopwatch.journal.counters import Slot, Words
from hopwatch.journal.journal import Journal
from hopwatch.lanes.numbers import NumberLine, Verdict, furthest
from hopwatch.lanes.sending import PROGRESS_LANES, lane_event, write_lanes
from hopwatch.lanes.topics import LONGEST_TOPIC
from hopwatch.lanes.unstamped import connection_of
from hopwatch.sequences import NumberedMessages
from hopwatch.words import (
    DUPLICATED,
    GAPS,
    LANE_COUNT,
    LANE_FIRST,
    LANE_INDEX,
    LANE_MORE_FRAMES,
    LANE_NEXT,
    LANE_SOCKET,
    LANE_STREAM,
    LOST,
    REORDERED,
)

MOST_LANES = 10_000
HIGHEST = 1 << 62
"""Numbers from here on are journaled from their lane's first one on, so that all fit a signed 64-bit integer."""

Key = tuple[bytes, int | None]
"""A lane as its messages name it, and the connection that they came by."""


@dataclass(eq=False, slots=True)
class SequencedLane:
    """One lane of one epoch. ``former`` is what it was before what may have been a restart."""

    line: NumberLine
    words: Words
    stream: int
    index: int
    topic: bytes
    epoch: int
    base: int
    former: "SequencedLane | None" = None


class SequencedLanes:
    """Reads the numbers of one socket's messages, in one direction, and follows their lanes.

    A sender's lanes belong to its own stream. A receiver gives each sender that it can tell from others, and each numbering that
    one begins, a stream id of its own: a function of the socket's id, the sequence's name, and the epoch.
    """

    def __init__(
        self, socket: int, sequence: NumberedMessages, counters: Words, journal: Journal, *, sending: bool
    ) -> None:
        self.slots: list[Slot] = []
        self.find: Callable[[Finding], None] = lambda _: None
        self._socket = socket
        self._sequence = sequence
        self._counters = counters
        self._journal = journal
        self._sending = sending
        self._lanes: dict[Key, SequencedLane] = {}
        self._connections: dict[bytes, list[int | None]] = {}
        self._indices: dict[bytes, int] = {}
        self._epochs: dict[int | None, int] = {}
        self._off = False
        self._frames: list[bytes] = []
        self._connection: int | None = None

    def add(self, frame: Any, more: bool) -> None:
        """Take in one frame (in any form that pyzmq takes or gives), which others of its message follow or not."""
        if not self._frames:
            self._connection = connection_of(frame)
        self._frames.append(as_bytes(frame))
        if not more:
            frames, self._frames = self._frames, []
            self.take(frames, self._connection)

    def take(self, frames: list[bytes], connection: int | None) -> None:
        """Take in one message. A reader that raises is not asked again."""
        if self._off:
            return
        more_frames = len(frames) - 1  # the callable may do what it likes with the list, too
        try:
            found = self._sequence.read(frames)
            if found is None:
                return
            topic, number = _checked(found, self._sequence.modulus)
        except BaseException as error:  # the application's callable may raise what it likes
            if comes_from_without(error):
                raise
            self._off = True
            self.find(finding.sequence_failed(self._sequence.name, _told_by(error)))
            return
        lane = self._lanes.get((topic, connection)) or self._moved(topic, connection, number)
        if lane is None:
            self._open(topic, connection, number, more_frames if self._sending else 0)
        elif self._sending:
            self._send(lane, number, more_frames)
        else:
            self._receive(lane, number, connection)

    def let_go(self) -> None:
        """Touch the slots no more."""
        self.slots = []

    def write_progress(self, counters: Words) -> None:
        """Journal where every lane of a sender stands, if they are few; ``counters`` is the slot of their socket."""
        if self._sending and len(self.slots) <= PROGRESS_LANES:
            write_lanes(self._journal, counters, self.slots, final=False)

    def _receive(self, lane: SequencedLane, number: int, connection: int | None) -> None:
        former = lane.former
        if former is not None and number == former.line.next % self._sequence.modulus and number:
            lane = self._back_to(former, lane, connection)
        verdict, first, last = lane.line.take(number)
        words, counters = lane.words, self._counters
        if verdict is Verdict.NEXT:
            words[LANE_COUNT] += 1
            words[LANE_NEXT] = lane.line.next - lane.base
            if lane.former is not None and lane.line.received > 2:
                lane.former = None
        elif verdict is Verdict.GAP:
            words[LANE_COUNT] += 1
            words[LANE_NEXT] = lane.line.next - lane.base
            numbers = {"first": first - lane.base, "last": last - lane.base, "lost": last - first + 1}
            counters[GAPS] += 1
            counters[LOST] += numbers["lost"]
            self._event("gap", lane, **numbers, received=words[LANE_COUNT])
        elif verdict is Verdict.LATE:
            words[LANE_COUNT] += 1
            counters[REORDERED] += 1
            counters[LOST] -= 1
            self._event("late", lane, number=first - lane.base)
        elif verdict is Verdict.EARLY:
            counters[REORDERED] += 1
            if first == lane.line.first and first >= lane.base:
                words[LANE_COUNT] += 1
                words[LANE_FIRST] = first - lane.base
        elif verdict is Verdict.DUPLICATE:
            counters[DUPLICATED] += 1
        else:
            self._restart(lane, first, last, connection)

    def _restart(self, lane: SequencedLane, first: int, last: int, connection: int | None) -> None:
        """What came since ``first`` is of a new numbering, and was taken for duplicates until now, all but the last."""
        self._counters[DUPLICATED] -= last - first
        if self._epochs.get(connection) == lane.epoch:
            self._epochs[connection] = 1 + max(self._epochs.values())
        opened = self._open(lane.topic, connection, first)
        if opened is None:
            return
        for number in range(first + 1, last + 1):
            opened.line.take(number)
        opened.words[LANE_NEXT] = opened.line.next - opened.base
        opened.words[LANE_COUNT] = last - first + 1
        opened.former = lane

    def _back_to(self, former: SequencedLane, lane: SequencedLane, connection: int | None) -> SequencedLane:
        """The numbering goes on as if nothing had been: what looked like a restart was a message that came twice or late."""
        self._lanes[lane.topic, connection] = former
        self._counters[DUPLICATED] += lane.words[LANE_COUNT]
        lane.words[LANE_COUNT] = 0
        lane.words[LANE_NEXT] = lane.words[LANE_FIRST]
        return former

    def _send(self, lane: SequencedLane, number: int, more_frames: int) -> None:
        line, words = lane.line, lane.words
        ahead = (number - line.next) % self._sequence.modulus
        if ahead > furthest(self._sequence.modulus) or (number == 0 and ahead):
            self._epochs[None] = max(self._epochs[None], lane.epoch + 1)
            self._open(lane.topic, None, number, more_frames, lane.epoch + 1)
            return
        if ahead:
            first, last = line.next - lane.base, line.next + ahead - 1 - lane.base
            self._event("skipped", lane, first=first, last=last)
        line.next += ahead + 1
        words[LANE_MORE_FRAMES] += more_frames
        words[LANE_NEXT] = line.next - lane.base
        words[LANE_COUNT] += 1

    def _moved(self, topic: bytes, connection: int | None, number: int) -> SequencedLane | None:
        """The lane that goes on by another connection: the same topic, and just the number that was due."""
        connections = self._connections.get(topic, [])
        for before in connections:
            lane = self._lanes[topic, before]
            if lane.line.next % self._sequence.modulus == number:
                connections.remove(before)
                del self._lanes[topic, before]
                self._keep(lane, connection)
                self._epochs.setdefault(connection, lane.epoch)
                return lane
        return None

    def _open(
        self, topic: bytes, connection: int | None, number: int, more: int = 0, epoch: int | None = None
    ) -> SequencedLane | None:
        if len(self.slots) >= MOST_LANES:
            self.find(finding.too_many_lanes(MOST_LANES))
            return None
        if connection not in self._epochs:
            self._epochs[connection] = 1 + max(self._epochs.values(), default=-1)
        epoch = self._epochs[connection] if epoch is None else epoch
        slot = self._journal.lane_slot()
        self.slots.append(slot)
        base = number if number >= HIGHEST else 0
        stream = self._socket if self._sending else stream_id(self._socket, self._sequence.name, epoch)
        index = len(self.slots) - 1 if self._sending else self._indices.setdefault(topic, len(self._indices))
        words = slot.words
        words[LANE_STREAM] = stream
        words[LANE_INDEX] = index
        words[LANE_COUNT] = 1
        words[LANE_MORE_FRAMES] = more
        words[LANE_FIRST] = number - base
        words[LANE_NEXT] = number + 1 - base
        words[LANE_SOCKET] = self._socket
        line = NumberLine(self._sequence.modulus, number)
        lane = SequencedLane(line, words, stream, index, topic, epoch, base)
        self._keep(lane, connection)
        about = {"sequence": self._sequence.name, "epoch": epoch} | ({"base": str(base)} if base else {})
        self._event("lane", lane, topic=topic.hex(), slot=slot.place, **about)
        return lane

    def _keep(self, lane: SequencedLane, connection: int | None) -> None:
        key = lane.topic, connection
        if key not in self._lanes:
            self._connections.setdefault(lane.topic, []).append(connection)
        self._lanes[key] = lane

    def _event(self, event: str, lane: SequencedLane, **fields: object) -> None:
        lane_event(self._journal, event, self._socket, lane.stream, lane.index, **fields)


def stream_id(socket: int, sequence: str, epoch: int) -> int:
    """The id of a stream that only its receiver numbers (FORMAT.md, "Numbers that messages carry")."""
    text = f"{as_text(socket)}/{sequence}/{epoch}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") or 1


def _told_by(error: BaseException) -> str:
    """An exception in words."""
    try:
        return f"{type(error).__name__}: {error}"
    except BaseException as worse:  # nor need it be able to say what it is
        if comes_from_without(worse):
            raise
        return type(error).__name__


def _checked(found: object, modulus: int) -> tuple[bytes, int]:
    """The lane and number that a message was said to have. Raises TypeError, ValueError, and whatever else odd objects do."""
    if not isinstance(found, tuple) or len(found) != 2:
        raise TypeError(f"it gave {found!r}, and not a lane and a number")
    lane, number = found
    if isinstance(number, bool) or not isinstance(number, int):
        raise TypeError(f"it gave {number!r} for a number")
    number = int(number)
    if not 0 <= number < modulus:
        raise ValueError(f"it gave {number}, which is not from 0 to {modulus - 1}")
    if isinstance(lane, bytes):
        return _shortened(bytes(lane)), number
    if isinstance(lane, str | int):
        return _shortened(str(lane).encode()), number
    raise TypeError(f"it gave {lane!r} for a lane")


def _shortened(topic: bytes) -> bytes:
    """Topics are kept, and journaled: one that is too long for that is told by its beginning and a hash of it."""
    if len(topic) <= LONGEST_TOPIC:
        return topic
    digest = hashlib.blake2b(topic, digest_size=16).hexdigest().encode()
    return topic[: LONGEST_TOPIC - len(digest)] + digest
