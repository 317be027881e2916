"""Bytes that look like stamps, as somebody would write them who has read FORMAT.md."""

import struct
import time

STREAM = 0xDEAD0000
MAGIC = b"\x02WH\xff"


def stamp_like(
    number: int = 0, lane_number: int | None = None, *, stream: int = STREAM, lane: int = 0, flags: int = 0,
    topic_length: int = 0, sent_at: float | None = None,
) -> bytes:  # fmt: skip
    """The end of a message with these fields; the number in the lane is the stream's, if it is not given."""
    behind = 0 if lane_number is None else (number - lane_number) % 2**64
    at = time.time() if sent_at is None else sent_at
    return struct.pack("<QQdQQHH4s", behind, number, at, stream, lane, topic_length, flags, MAGIC)


def looks_like_one(frame: bytes) -> bool:
    """Whether a receiver may take the end of it for a stamp."""
    return len(frame) >= 48 and frame.endswith(MAGIC)
