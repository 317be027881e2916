"""Frames that look like stamps, as somebody would write them who has read FORMAT.md."""

import struct
import time

STREAM = 0xDEAD0000


def stamp_like(
    number: int = 0, lane_number: int | None = None, *, stream: int = STREAM, lane: int = 0, flags: int = 0,
    topic_length: int = 0, sent_at: float | None = None,
) -> bytes:  # fmt: skip
    """A frame with these fields; the number in the lane is the stream's, if it is not given."""
    behind = 0 if lane_number is None else (number - lane_number) % 2**64
    at = time.time() if sent_at is None else sent_at
    return struct.pack("<4sHHQQQQd", b"\xffHW\x01", flags, topic_length, lane, stream, behind, number, at)


def looks_like_one(frame: bytes) -> bool:
    """Whether a receiver may take it for a stamp."""
    return len(frame) == 48 and frame.startswith(b"\xffHW\x01")
