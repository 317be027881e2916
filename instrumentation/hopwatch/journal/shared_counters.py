"""Counters in System V shared memory, with a copy in their file (FORMAT.md, "Counters file")."""

import os
import struct
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from hopwatch.journal import shared_memory
from hopwatch.journal.counters_memory import HEADER_BYTES, MAGIC, MOST_BYTES, CountersMemory
from hopwatch.journal.files import PRIVATE, file_of_ours
from hopwatch.journal.shared_memory import Status

MEMORY_OFFSET = 96
"""Where the header says which segment of shared memory has the counters: its id plus 1; 0: they are in the file."""
PATH_OFFSET = 128
IDENTITY_BYTES = 32
"""Magic, version, process and index: no two counters files have the same."""

SEGMENTS_LEFT = 64
"""Segments of dead processes that no agent read are freed once there are more segments on the host than this."""
KEPT_SECONDS = 86_400
"""So long a segment of a dead process is kept whose file may be in a folder that only other containers see."""


class SharedMemory(CountersMemory):
    """A segment and, in the file, a copy of it. Raises OSError where there is no such memory, or half of what the host may have is used."""

    in_shared_memory = True

    def __init__(self, path: Path, header: bytes, size: int, mode: int) -> None:
        super().__init__(path, size, mode)
        shared_memory.require()
        make_room()
        with ExitStack() as undone:
            self._segment = shared_memory.create(size, mode)
            undone.callback(shared_memory.remove, self._segment)
            self._address = shared_memory.attach(self._segment)
            undone.callback(shared_memory.detach, self._address)
            self._begin(header)
            undone.pop_all()

    def words(self, start: int, count: int) -> memoryview:
        """A view of some words."""
        return shared_memory.words(self._address + start * 8, count)

    def free(self) -> None:
        """Say in the file that it has all, and give the segment back: it is freed when the process ends."""
        struct.pack_into("<Q", self._all(), MEMORY_OFFSET, 0)
        self.save()
        shared_memory.remove(self._segment)

    def _begin(self, header: bytes) -> None:
        memory = self._all()
        place = os.fsencode(self._path.absolute())[: HEADER_BYTES - PATH_OFFSET - 1]
        memory[PATH_OFFSET : PATH_OFFSET + len(place)] = place
        struct.pack_into("<Q", memory, MEMORY_OFFSET, self._segment + 1)
        memory[: len(header)] = header
        group = self._write_anew(bytes(memory))
        if self._mode != PRIVATE:
            shared_memory.give_group(self._segment, group)


def make_room() -> None:
    """Free what this user's dead processes left, where that is much. Raises OSError if too much is in use all the same."""
    if shared_memory.in_use() <= SEGMENTS_LEFT:
        return
    free_left_behind()
    if shared_memory.in_use() > shared_memory.most() // 2:
        raise OSError("the other half of the host's shared memory segments is left to others")


def free_left_behind() -> None:
    """Save to their files what this user's dead processes left, which no agent has read, and free it."""
    for segment, status in shared_memory.every():
        if _is_left_behind(status):
            with suppress(OSError):
                content = shared_memory.read(segment, MOST_BYTES)
                is_ours = content.startswith(MAGIC) and len(content) > HEADER_BYTES
                # asked again: its maker may have made it just before, and not yet attached it
                is_free = is_ours and _is_left_behind(shared_memory.status(segment))
                if is_free and _save_left_behind(content, status):
                    shared_memory.remove(segment)


def _is_left_behind(status: Status) -> bool:
    return status.attached == 0 and status.creator == os.geteuid() and status.size <= MOST_BYTES


def _save_left_behind(content: bytes, status: Status) -> bool:
    """Write it to its file; return whether nobody needs the segment any more."""
    path = Path(os.fsdecode(content[PATH_OFFSET:HEADER_BYTES].partition(b"\0")[0]))
    if not path.parent.is_dir():
        return time.time() - status.detached_at > KEPT_SECONDS
    with suppress(FileNotFoundError), file_of_ours(path, os.O_RDWR) as descriptor:
        size = os.fstat(descriptor).st_size
        known = os.pread(descriptor, IDENTITY_BYTES, 0)
        if size == len(content) and known == content[:IDENTITY_BYTES]:
            rest = MEMORY_OFFSET + 8
            os.pwrite(descriptor, content[:MEMORY_OFFSET] + bytes(8) + content[rest:], 0)
    return True
