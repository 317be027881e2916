"""The counters file of a process: slots of 64-bit words, as FORMAT.md gives them."""

import errno
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from hopwatch.journal import shared_memory
from hopwatch.journal.counters_memory import MOST_BYTES
from hopwatch.journal.shared_counters import IDENTITY_BYTES, MEMORY_OFFSET
from hopwatch.stamp import nanoseconds
from hopwatch.words import LANE_NEWEST_SENT_AT, LANE_SLOT_WORDS, LANE_SOCKET, SOCKET, SOCKET_SLOT_WORDS

from hopwatch_agent.errors import AgentError, UnreadableCountersError
from hopwatch_agent.journal.opening import opened_regular
from hopwatch_agent.records import FORMAT, INT64_MAX

SOCKETS = "socket slots (offset 32)"
LANES = "lane slots (offset 56)"
_WORD = 8
_HEADER = struct.Struct("<8s11Q")
_HEAD_BYTES = MEMORY_OFFSET + _WORD
_HIGHEST_SEGMENT = 2**31 - 1
_BEYOND_REACH = frozenset({errno.EINVAL, errno.EIDRM, errno.EACCES, errno.EPERM, errno.ENOSYS})

Slots = list[tuple[int, tuple[int, ...]]]
"""(number of the slot, its words) of the slots that are taken"""


@dataclass(frozen=True)
class CountersFile:
    """One reading of a counters file. ``sockets``: the ids of sockets and their counters; ``lanes``: the words of lanes, the time in
    nanoseconds. ``whole``: no slot was left out. ``size`` in bytes.
    ``is_copy``: they stand in memory that this agent cannot read, and these are up to two seconds older.
    """

    index: int
    size: int
    events_unwritten: int
    faults: int
    sockets: Slots
    lanes: Slots
    whole: bool
    is_copy: bool = False


@dataclass(frozen=True)
class Content:
    """What was read of a counters file; ``is_copy`` as in ``CountersFile``."""

    data: bytes
    is_copy: bool


@dataclass(frozen=True)
class Room:
    """How many more slots of a process may be taken up."""

    sockets: int
    lanes: int

    def after(self, file: CountersFile) -> "Room":
        """What is left behind a file."""
        return Room(self.sockets - len(file.sockets), self.lanes - len(file.lanes))


@dataclass(frozen=True)
class _Area:
    offset: int
    slots: int
    size: int
    words: int
    taken_by: int


def read_content(path: Path) -> Content:
    """The counters: of the shared memory that the file names, else the file's own.

    Raises as ``opened_regular`` does, and ``UnreadableCountersError`` past 16 MiB.
    """
    with opened_regular(path) as descriptor:
        size = os.fstat(descriptor).st_size
        if size > MOST_BYTES:
            raise UnreadableCountersError(f"{size} bytes are too many for a counters file")
        head = os.pread(descriptor, _HEAD_BYTES, 0)
        segment = _segment_of(head)
        shared = None if segment is None else _read_shared(segment, head)
        if shared is not None:
            return Content(shared, is_copy=False)
        return Content(os.pread(descriptor, size, 0), is_copy=segment is not None)


def is_attached(path: Path) -> bool:
    """Whether the process that made the counters may still have them attached: then its lock has been replaced, and it lives.

    A forked child has them attached, too.
    """
    segment = segment_at(path)
    if segment is None:
        return False
    try:
        status = shared_memory.status(segment)
    except OSError:
        return False
    # the kernel gives 0 for a process outside the agent's pid namespace
    return status.attached > 0 and (status.maker == 0 or Path(f"/proc/{status.maker}").exists())


def segment_at(path: Path) -> int | None:
    """The shared memory that holds these counters; None if there is none, or if it cannot be told."""
    try:
        with opened_regular(path) as descriptor:
            head = os.pread(descriptor, _HEAD_BYTES, 0)
        segment = _segment_of(head)
        if segment is None or not _is_of(path, head) or _read_shared(segment, head) is None:
            return None
    except (OSError, AgentError):
        return None
    return segment


def _is_of(path: Path, head: bytes) -> bool:
    """Whether the name is that of the process and index in the head: a renamed file has another process's memory."""
    process, index = struct.unpack_from("<16xQQ", head)
    return path.name == f"{process:016x}.{index:04d}.counters"


def _segment_of(head: bytes) -> int | None:
    if len(head) < _HEAD_BYTES:
        return None
    (number,) = struct.unpack_from("<Q", head, MEMORY_OFFSET)
    return number - 1 if 0 < number <= _HIGHEST_SEGMENT + 1 else None


def _read_shared(segment: int, head: bytes) -> bytes | None:
    """What the segment holds, if it is what the file says: its number may be another one's by now. Raises OSError for what may pass."""
    try:
        if shared_memory.status(segment).size > MOST_BYTES:
            return None
        content = shared_memory.read(segment, MOST_BYTES)
    except OSError as error:
        if error.errno in _BEYOND_REACH:
            return None
        raise
    return content if content[:IDENTITY_BYTES] == head[:IDENTITY_BYTES] else None


def parse(content: Content, process: str, index: int, room: Room) -> CountersFile:
    """Reads the slots that there is room for; raises ``UnreadableCountersError`` with what is wrong and where."""
    data = content.data
    if len(data) < _HEADER.size:
        raise UnreadableCountersError(f"{len(data)} bytes are too few for a header of {_HEADER.size}")
    magic, version, owner, own_index, *rest = _HEADER.unpack_from(data)
    if magic != b"HOPWATCH":
        raise UnreadableCountersError("does not begin with HOPWATCH at offset 0")
    if version != FORMAT:
        raise UnreadableCountersError(f"format {version} at offset 8, this agent reads format {FORMAT}")
    if (f"{owner:016x}", own_index) != (process, index):
        raise UnreadableCountersError(f"belongs to process {owner:016x}, index {own_index} (offset 16)")
    sockets = _Area(rest[0], rest[1], rest[2], words=SOCKET_SLOT_WORDS, taken_by=SOCKET)
    lanes = _Area(rest[3], rest[4], rest[5], words=LANE_SLOT_WORDS, taken_by=LANE_SOCKET)
    slots = list(islice(_taken(data, sockets, SOCKETS), room.sockets + 1))
    lane_slots = list(islice(_taken(data, lanes, LANES), room.lanes + 1))
    whole = len(slots) <= room.sockets and len(lane_slots) <= room.lanes
    del slots[room.sockets :], lane_slots[room.lanes :]
    return CountersFile(
        index=index,
        size=len(data),
        events_unwritten=min(rest[6], INT64_MAX),
        faults=min(rest[7], INT64_MAX),
        sockets=_sound(slots, 1, SOCKETS),
        lanes=_sound([(number, _with_time(words)) for number, words in lane_slots], 2, LANES),
        whole=whole,
        is_copy=content.is_copy,
    )


def _with_time(words: tuple[int, ...]) -> tuple[int, ...]:
    return (*words[:LANE_NEWEST_SENT_AT], nanoseconds(words[LANE_NEWEST_SENT_AT]))


def _taken(data: bytes, area: _Area, what: str) -> Iterator[tuple[int, tuple[int, ...]]]:
    if area.size < area.words * _WORD or area.size % _WORD:
        raise UnreadableCountersError(f"{what}: a slot of {area.size} bytes is none")
    if area.offset + area.slots * area.size > len(data):
        raise UnreadableCountersError(f"{what}: end past the file's {len(data)} bytes")
    layout = struct.Struct(f"<{area.words}Q")
    span = memoryview(data)[area.offset : area.offset + area.slots * area.size]
    # most slots are free, and a look at one word of each is cheap
    ids = span.cast("Q")[area.taken_by :: area.size // _WORD].tolist()
    return (
        (number, layout.unpack_from(span, number * area.size)) for number, taken in enumerate(ids) if taken
    )


def _sound(slots: Slots, ids: int, what: str) -> Slots:
    for number, words in slots:
        if max(words[ids:]) > INT64_MAX:
            raise UnreadableCountersError(f"{what}: slot {number} holds numbers that cannot be")
    return slots
