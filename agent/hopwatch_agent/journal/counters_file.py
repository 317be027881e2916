"""The counters file of a process: slots of 64-bit words, as FORMAT.md gives them."""

import os
import struct
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from hopwatch.journal.runs import with_runs

from hopwatch_agent.errors import UnreadableCountersError
from hopwatch_agent.journal.opening import opened_regular
from hopwatch_agent.records import FORMAT, INT64_MAX

SIZE_LIMIT = 64 * 1024 * 1024
SOCKET_WORDS = 24
SOCKET_WORDS_WITH_RUNS = 28
LANE_WORDS = 8
SOCKETS = "socket slots (offset 32)"
LANES = "lane slots (offset 56)"
_WORD = 8
_HEADER = struct.Struct("<8s11Q")

Slots = list[tuple[int, tuple[int, ...]]]
"""(number of the slot, its words) of the slots that are taken"""


@dataclass(frozen=True)
class CountersFile:
    """One reading of a counters file."""

    index: int
    events_unwritten: int
    faults: int
    sockets: Slots
    lanes: Slots


@dataclass(frozen=True)
class _Area:
    offset: int
    slots: int
    size: int
    words: int
    ids: int


def read_bytes(path: Path) -> bytes:
    """The whole file. Raises ``OSError``, ``RefusedFileError``, and ``UnreadableCountersError`` past 64 MiB."""
    with opened_regular(path) as descriptor:
        size = os.fstat(descriptor).st_size
        if size > SIZE_LIMIT:
            raise UnreadableCountersError(f"{size} bytes are too many for a counters file")
        return os.pread(descriptor, size, 0)


def parse(data: bytes, process: str, index: int) -> CountersFile:
    """Reads the slots; raises ``UnreadableCountersError`` with what is wrong and where."""
    if len(data) < _HEADER.size:
        raise UnreadableCountersError(f"{len(data)} bytes are too few for a header of {_HEADER.size}")
    magic, version, owner, own_index, *rest = _HEADER.unpack_from(data)
    if magic != b"HOPWATCH":
        raise UnreadableCountersError("does not begin with HOPWATCH at offset 0")
    if version != FORMAT:
        raise UnreadableCountersError(f"format {version} at offset 8, this agent reads format {FORMAT}")
    if (f"{owner:016x}", own_index) != (process, index):
        raise UnreadableCountersError(f"belongs to process {owner:016x}, index {own_index} (offset 16)")
    sockets = _Area(rest[0], rest[1], rest[2], words=SOCKET_WORDS_WITH_RUNS, ids=1)
    lanes = _Area(rest[3], rest[4], rest[5], words=LANE_WORDS, ids=2)
    return CountersFile(
        index=index,
        events_unwritten=min(rest[6], INT64_MAX),
        faults=min(rest[7], INT64_MAX),
        sockets=_sound(
            [(number, _without_runs(words)) for number, words in _taken(data, sockets, SOCKETS)],
            sockets,
            SOCKETS,
        ),
        lanes=_sound(_taken(data, lanes, LANES), lanes, LANES),
    )


def _taken(data: bytes, area: _Area, what: str) -> Slots:
    if area.size < area.words * _WORD or area.size % _WORD:
        raise UnreadableCountersError(f"{what}: a slot of {area.size} bytes is none")
    if area.offset + area.slots * area.size > len(data):
        raise UnreadableCountersError(f"{what}: end past the file's {len(data)} bytes")
    layout = struct.Struct(f"<{area.words}Q{area.size - area.words * _WORD}x")
    span = memoryview(data)[area.offset : area.offset + area.slots * area.size]
    return [(number, words) for number, words in enumerate(layout.iter_unpack(span)) if words[0]]


def _without_runs(words: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(with_runs(words)[:SOCKET_WORDS])


def _sound(slots: Slots, area: _Area, what: str) -> Slots:
    for number, words in slots:
        if any(word > INT64_MAX for word in islice(words, area.ids, None)):
            raise UnreadableCountersError(f"{what}: slot {number} holds numbers that cannot be")
    return slots
