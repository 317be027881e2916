"""Arguments of receives, for those that are answered without asking libzmq: what pyzmq refuses is to be refused."""

from pickle import PickleBuffer
from typing import Any


def are_flags(flags: Any) -> bool:
    """Whether pyzmq takes this for flags."""
    if isinstance(flags, int):
        return -1 << 31 <= flags < 1 << 31
    return hasattr(flags, "__int__") and are_flags(int(flags))


def writable_memory(buffer: Any, nbytes: Any, flags: Any) -> memoryview | None:
    """The bytes that a buffer gives room for; None where pyzmq's ``recv_into`` refuses these arguments."""
    try:
        view = memoryview(buffer)
        memory = PickleBuffer(view).raw()
        fits = view.contiguous and 0 <= nbytes <= len(memory)
    except (TypeError, ValueError, BufferError):
        return None
    return memory if fits and not memory.readonly and are_flags(flags) else None
