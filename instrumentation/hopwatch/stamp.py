"""The stamp: the trailer frame that numbers a message (FORMAT.md, "Stamp")."""

import struct
import sys
from typing import NamedTuple

MAGIC = b"\xff\x48\x57\x01"
HEAD = struct.Struct("<4sHHQQ")
"""Magic, flags, length of the topic, lane, stream: the same in all stamps of a lane whose messages have one frame."""

_ORDER = "@" if sys.byteorder == "little" else "<"
"""The machine's own order takes half the time of one that is asked for."""

NUMBERS = struct.Struct(_ORDER + "QQd")
"""How many messages of the stream before this one are of other lanes; number in the stream; send time in seconds, which takes
less time to come by than nanoseconds do."""

_WORDS = struct.Struct(_ORDER + "QQQ")
_TIME = struct.Struct("<d")
_FIRST_WORD = struct.Struct("<4sHH")
_NS = 1_000_000_000
_LAST_SECOND = 1 << 33
_FLAGS_SHIFT = 32
WHOLE_WORD = (1 << 64) - 1

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
unpack_words = _WORDS.unpack_from
"""The numbers as they stand in words: the time as ``nanoseconds`` takes it."""


NO_TIME = -1
"""``sent_at`` of a stamp whose send time is none."""


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


def nanoseconds(time_word: int) -> int:
    """The send time that a word holds, of the wall clock, good to a microsecond; 0 where that is no time."""
    (seconds,) = _TIME.unpack(time_word.to_bytes(8, "little"))
    return max(0, _in_nanoseconds(seconds))


def _in_nanoseconds(seconds: float) -> int:
    return round(seconds * 1_000_000) * 1_000 if 0 <= seconds < _LAST_SECOND else NO_TIME


def time_word(nanoseconds: int) -> int:
    """The word that holds a send time."""
    return int.from_bytes(_TIME.pack(nanoseconds / _NS), "little")


def first_word(flags: int, topic_length: int) -> int:
    """The first eight bytes of a stamp, as a number."""
    return int.from_bytes(_FIRST_WORD.pack(MAGIC, flags, topic_length), "little")


def flags_of(first_word: int) -> int:
    """The flags in the first eight bytes."""
    return first_word >> _FLAGS_SHIFT & 0xFFFF


def is_stamp(frame: bytes) -> bool:
    """Whether a frame is a stamp of the version that this code reads."""
    return len(frame) == SIZE and frame.startswith(MAGIC)


def encode(stamp: Stamp) -> bytes:
    """The frame that says this."""
    head = pack_head(MAGIC, stamp.flags, stamp.topic_length, stamp.lane, stamp.stream)
    behind = (stamp.number - stamp.lane_number) & WHOLE_WORD
    return head + pack_numbers(behind, stamp.number, stamp.sent_at / _NS)


def decode(frame: bytes) -> Stamp:
    """Fields of a frame for which ``is_stamp`` holds."""
    _, flags, topic_length, lane, stream = unpack_head(frame)
    behind, number, seconds = NUMBERS.unpack_from(frame, HEAD_SIZE)
    lane_number = (number - behind) & WHOLE_WORD
    return Stamp(flags, topic_length, lane, stream, number, lane_number, _in_nanoseconds(seconds))
