"""The stamp: the bytes that number a message, at the end of its last frame (FORMAT.md, "Stamp")."""

import struct
import sys
from typing import NamedTuple

MAGIC = b"\x02WH\xff"
LAST_BYTE = MAGIC[-1]

_ORDER = "@" if sys.byteorder == "little" else "<"
"""The machine's own order takes half the time of one that is asked for."""

NUMBERS = struct.Struct(_ORDER + "QQd")
"""How many messages of the stream before this one are of other lanes; number in the stream; send time in seconds, which takes
less time to come by than nanoseconds do."""

LABEL = struct.Struct("<QQHH4s")
"""Stream, lane, length of the topic, flags, magic: the same in all stamps of a lane. They are the last bytes of its messages."""

_WORDS = struct.Struct(_ORDER + "QQQ")
_TIME = struct.Struct("<d")
_NS = 1_000_000_000
_LAST_SECOND = 1 << 33
WHOLE_WORD = (1 << 64) - 1

LABEL_SIZE = LABEL.size
SIZE = NUMBERS.size + LABEL_SIZE

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

pack_stamp = struct.Struct(f"{NUMBERS.format}{LABEL.size}s").pack
"""A stamp from its three numbers and its label."""

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


def pack_label(stream: int, lane: int, topic_length: int, flags: int) -> bytes:
    """The end of all stamps of a lane."""
    return LABEL.pack(stream, lane, topic_length, flags, MAGIC)


def ends_stamped(frame: bytes) -> bool:
    """Whether a frame ends as one with a stamp of the version that this code reads."""
    return len(frame) >= SIZE and frame.endswith(MAGIC)


def encode(stamp: Stamp) -> bytes:
    """The bytes that say this."""
    behind = (stamp.number - stamp.lane_number) & WHOLE_WORD
    label = pack_label(stamp.stream, stamp.lane, stamp.topic_length, stamp.flags)
    return pack_stamp(behind, stamp.number, stamp.sent_at / _NS, label)


def decode(frame: bytes) -> Stamp:
    """The stamp at the end of a frame for which ``ends_stamped`` holds."""
    behind, number, seconds = NUMBERS.unpack_from(frame, len(frame) - SIZE)
    stream, lane, topic_length, flags, _ = LABEL.unpack_from(frame, len(frame) - LABEL_SIZE)
    lane_number = (number - behind) & WHOLE_WORD
    return Stamp(flags, topic_length, lane, stream, number, lane_number, _in_nanoseconds(seconds))
