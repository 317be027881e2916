"""The stamp: the trailer frame that numbers a message (FORMAT.md, "Stamp")."""

import struct
from typing import NamedTuple

MAGIC = b"\xff\x48\x57\x01"
LAYOUT = struct.Struct(">4sHHIQQQQ")
SIZE = LAYOUT.size

SHARED_OUT = 1
"""Flag: the sending socket shares its messages out among its receivers."""

WHOLE_STREAM_LANE = 0xFFFFFFFF

pack = LAYOUT.pack
unpack = LAYOUT.unpack


class Stamp(NamedTuple):
    """A decoded stamp; ``sent_at`` is in nanoseconds of the sender's wall clock."""

    flags: int
    topic_length: int
    lane: int
    stream: int
    number: int
    lane_number: int
    sent_at: int


def is_stamp(frame: bytes) -> bool:
    """Whether a frame is a stamp of the version that this code reads."""
    return len(frame) == SIZE and frame.startswith(MAGIC)


def decode(frame: bytes) -> Stamp:
    """Fields of a frame for which ``is_stamp`` holds."""
    return Stamp._make(LAYOUT.unpack(frame)[1:])
