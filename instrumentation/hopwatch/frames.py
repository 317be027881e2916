"""Frames in whatever form pyzmq takes them: bytes, Frame, memoryview or any other buffer.

Where ``copy_threshold`` is 0 and ``copy`` False, pyzmq sends None as an empty frame.
"""

from typing import Any

import zmq


def size_of(data: Any) -> int:
    """Bytes of a frame that pyzmq accepted."""
    if data.__class__ is bytes or isinstance(data, zmq.Frame):
        return len(data)
    return 0 if data is None else memoryview(data).nbytes


def is_frame(data: Any) -> bool:
    """Whether pyzmq takes this for a frame."""
    if isinstance(data, bytes | zmq.Frame):
        return True
    try:
        memoryview(data)
    except TypeError:
        return False
    return True


def as_bytes(data: Any) -> bytes:
    """The bytes of a frame; no copy where it is bytes already. Of a buffer, whatever else it can be made bytes by."""
    if isinstance(data, zmq.Frame):
        return data.bytes
    return data if data.__class__ is bytes else b"" if data is None else memoryview(data).tobytes()
