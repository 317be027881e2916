"""What a callable of the application's says of a message: whether that can be used, and what it raised instead."""

import hashlib

from hopwatch.interruptions import comes_from_without
from hopwatch.lanes.topics import LONGEST_TOPIC


def told_by(error: BaseException) -> str:
    """An exception in words."""
    try:
        return f"{type(error).__name__}: {error}"
    except BaseException as worse:  # nor need it be able to say what it is
        if comes_from_without(worse):
            raise
        return type(error).__name__


def checked(found: object, modulus: int) -> tuple[bytes, int]:
    """The lane and number that a message was said to have. Raises TypeError, ValueError, and whatever else odd objects do."""
    if not isinstance(found, tuple) or len(found) != 2:
        raise TypeError(f"it gave {found!r}, and not a lane and a number")
    lane, number = found
    if isinstance(number, bool) or not isinstance(number, int):
        raise TypeError(f"it gave {number!r} for a number")
    number = int(number)
    if not 0 <= number < modulus:
        raise ValueError(f"it gave {number}, which is not from 0 to {modulus - 1}")
    if isinstance(lane, bytes):
        return _shortened(bytes(lane)), number
    if isinstance(lane, str | int):
        return _shortened(str(lane).encode()), number
    raise TypeError(f"it gave {lane!r} for a lane")


def _shortened(topic: bytes) -> bytes:
    """Topics are kept, and journaled: one that is too long for that is told by its beginning and a hash of it."""
    if len(topic) <= LONGEST_TOPIC:
        return topic
    digest = hashlib.blake2b(topic, digest_size=16).hexdigest().encode()
    return topic[: LONGEST_TOPIC - len(digest)] + digest
