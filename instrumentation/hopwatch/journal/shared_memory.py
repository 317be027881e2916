"""System V shared memory (shmget(2), shmat(2), shmctl(2)): it outlives its process, and no file operation can take it away.

A segment holds a counters file. The structures are those of 64-bit Linux: ``shmid64_ds`` of asm-generic/shmbuf.h and its x86 twin.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

IPC_CREAT, IPC_PRIVATE, IPC_RMID, IPC_SET, IPC_STAT = 0o1000, 0, 0, 1, 2
IPC_INFO, SHM_STAT, SHM_INFO, SHM_RDONLY = 3, 13, 14, 0o10000

_DS = struct.Struct("<12xI32xQ8xq8xi4xQ16x")
_LIMITS = struct.Struct("<16xQ48x")
_GROUP_OFFSET = 8
_MACHINES = frozenset({"x86_64", "aarch64", "riscv64", "loongarch64"})
_WRITABLE = 0x200


@dataclass(frozen=True)
class Status:
    """Of one segment: the user and the process that made it, its bytes, how many processes have it attached, and when the last one let go
    of it, in seconds since 1970.
    """

    creator: int
    size: int
    detached_at: int
    maker: int
    attached: int


def require() -> None:
    """Raise OSError where there is no such memory, or the kernel's structures are others than this module's."""
    known = sys.platform == "linux" and struct.calcsize("P") == 8 and os.uname().machine in _MACHINES
    if not known or not hasattr(ctypes.CDLL(None), "shmget"):
        raise OSError(
            "System V shared memory is used on 64-bit Linux alone, and on machines whose structures are known"
        )


def create(size: int, mode: int) -> int:
    """Return the id of a new segment. Raises OSError."""
    return _checked(_library().shmget(IPC_PRIVATE, size, IPC_CREAT | mode), "shmget")


def attach(segment: int, flags: int = 0) -> int:
    """Return the address at which this process has the segment from now on. Raises OSError."""
    address = _library().shmat(segment, None, flags)
    if address is None or address == ctypes.c_void_p(-1).value:
        _checked(-1, "shmat")
    return int(address)


def detach(address: int) -> None:
    """Let go of attached memory, which nobody may touch any more."""
    _library().shmdt(address)


def words(address: int, count: int) -> memoryview:
    """Return a view of so many 64-bit words of attached memory, which has to stay attached."""
    view = _python().PyMemoryView_FromMemory(address, count * 8, _WRITABLE)
    return memoryview(view).cast("Q")


def status(segment: int) -> Status:
    """Return what the kernel says of a segment. Raises OSError: there is none, or it may not be asked."""
    return Status(*_DS.unpack(_asked(segment, IPC_STAT)[1]))


def give_group(segment: int, group: int) -> None:
    """Have the bits for the group be this group's. Raises OSError."""
    _, found = _asked(segment, IPC_STAT)
    struct.pack_into("<I", found, _GROUP_OFFSET, group)
    _checked(_library().shmctl(segment, IPC_SET, found), "shmctl")


def remove(segment: int) -> None:
    """Free a segment, once no process has it attached any more. Raises OSError."""
    _checked(_library().shmctl(segment, IPC_RMID, None), "shmctl")


def read(segment: int, limit: int) -> bytes:
    """Return what stands in a segment of at most ``limit`` bytes. Raises OSError.

    It is read through the kernel: a page that another process's segment cannot give raises, and does not end this process.
    """
    size = status(segment).size
    if size > limit:
        raise OSError(f"a segment of {size} bytes is too long")
    address = attach(segment, SHM_RDONLY)
    try:
        descriptor = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.pread(descriptor, size, address)
        finally:
            os.close(descriptor)
    finally:
        detach(address)


def in_use() -> int:
    """Return how many segments there are, of whomever. Raises OSError."""
    return int(struct.unpack_from("<i", _asked(0, SHM_INFO)[1])[0])


def most() -> int:
    """Return how many segments the host may have, of whomever. Raises OSError."""
    return int(_LIMITS.unpack_from(_asked(0, IPC_INFO)[1])[0])


def every() -> Iterator[tuple[int, Status]]:
    """Yield the id and status of each segment that this process may ask of. Raises OSError."""
    highest, _ = _asked(0, SHM_INFO)
    for place in range(highest + 1):
        with suppress(OSError):  # a free place, or another user's
            segment, found = _asked(place, SHM_STAT)
            yield segment, Status(*_DS.unpack(found))


def _asked(number: int, command: int) -> tuple[int, ctypes.Array[ctypes.c_char]]:
    """Return the result of a question to the kernel, and the structure that it filled in."""
    found = ctypes.create_string_buffer(_DS.size)
    return _checked(_library().shmctl(number, command, found), "shmctl"), found


def _checked(result: int, call: str) -> int:
    if result == -1:
        error = ctypes.get_errno()
        raise OSError(error, f"{call}: {os.strerror(error)}")
    return int(result)


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.shmget.argtypes = (ctypes.c_int, ctypes.c_size_t, ctypes.c_int)
    library.shmat.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
    library.shmat.restype = ctypes.c_void_p
    library.shmdt.argtypes = (ctypes.c_void_p,)
    library.shmctl.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_char_p)
    return library


@lru_cache(maxsize=1)
def _python() -> ctypes.PyDLL:
    python = ctypes.PyDLL(None)
    python.PyMemoryView_FromMemory.argtypes = (ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int)
    python.PyMemoryView_FromMemory.restype = ctypes.py_object
    return python
