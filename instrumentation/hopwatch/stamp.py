"""The stamp: the trailer frame that numbers a message (FORMAT.md, "Stamp")."""

import struct
import sys
from typing import NamedTuple

MAGIC = b"\xff\x48\x57\x01"
HEAD = struct.Struct("<4sHHIQ")
"""Magic, flags, length of the topic, lane, stream: the same in all stamps of a lane whose messages have one frame."""

NUMBERS = struct.Struct("@QQQ" if sys.byteorder == "little" else "<QQQ")
"""Number in the stream, number in the lane, send time. The machine's own order takes half the time of one that is asked for."""

HEAD_SIZE = HEAD.size
SIZE = HEAD_SIZE + NUMBERS.size

SHARED_OUT = 1
"""Flag: the sending socket shares its messages out among its receivers."""

WHOLE_STREAM_LANE = 0xFFFFFFFF

INTERVAL_SHIFT = 1
INTERVAL_MASK = 0x1F << INTERVAL_SHIFT
"""Five flag bits: how many bits ``stamp_every`` has; 0 where every message of the lane is stamped."""

BY_FIRST_FRAME = 1 << 6
"""Flag of sparse stamps: a message of two or more frames belongs to the lane whose topic is its first frame."""

LENGTH_SHIFT = 8
LENGTH_MASK = 0xFF << LENGTH_SHIFT
"""Eight flag bits of sparse stamps: every topic of the stream is that many leading bytes of the first frame."""

RULE_MASK = BY_FIRST_FRAME | LENGTH_MASK
"""Which lane of its stream a message without a stamp belongs to; 0: the one lane that there is."""

pack_head = HEAD.pack
pack_numbers = NUMBERS.pack
unpack_head = HEAD.unpack_from
unpack_numbers = NUMBERS.unpack_from


class Stamp(NamedTuple):
    """A decoded stamp; ``sent_at`` is in nanoseconds of the sender's wall clock."""

    flags: int
    topic_length: int
    lane: int
    stream: int
    number: int
    lane_number: int
    sent_at: int


def interval_flags(stamp_every: int) -> int:
    """The flag bits that say how sparse stamps are."""
    return min(stamp_every.bit_length(), 0x1F) << INTERVAL_SHIFT if stamp_every > 1 else 0


def most_between(flags: int) -> int:
    """More messages than a sender sends between two stamps of a lane."""
    return 2 << ((flags & INTERVAL_MASK) >> INTERVAL_SHIFT)


def is_stamp(frame: bytes) -> bool:
    """Whether a frame is a stamp of the version that this code reads."""
    return len(frame) == SIZE and frame.startswith(MAGIC)


def encode(stamp: Stamp) -> bytes:
    """The frame that says this."""
    head = pack_head(MAGIC, stamp.flags, stamp.topic_length, stamp.lane, stamp.stream)
    return head + pack_numbers(stamp.number, stamp.lane_number, stamp.sent_at)


def decode(frame: bytes) -> Stamp:
    """Fields of a frame for which ``is_stamp`` holds."""
    return Stamp._make((*unpack_head(frame)[1:], *unpack_numbers(frame, HEAD_SIZE)))
