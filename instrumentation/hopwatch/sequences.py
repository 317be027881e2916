"""Numbers that messages already carry: read where they arrive, and nothing changed on the wire.

hopwatch.wrap(socket, sequence=hopwatch.sequences.bitcoin_core)
hopwatch.wrap(socket, sequence=lambda frames: (frames[0], int(frames[1])))
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hopwatch.errors import UsageError

Numbered = tuple[bytes | str | int, int]
"""A lane (topic, or whatever is numbered by itself), and a number that grows by one from message to message of the lane."""

Reader = Callable[[Sequence[bytes]], Numbered | None]
"""From a message's frames to its lane and number; None: a message that carries none."""

UINT64 = 2**64


@dataclass(frozen=True)
class NumberedMessages:
    """Where a message's number stands, and the modulus at which numbers begin again at 0."""

    name: str
    read: Reader
    modulus: int = UINT64


def _bitcoin_core(frames: Sequence[bytes]) -> Numbered | None:
    if len(frames) != 3 or len(frames[2]) != 4:
        return None
    return frames[0], int.from_bytes(frames[2], "little")


def _vllm_kv_events(frames: Sequence[bytes]) -> Numbered | None:
    if len(frames) != 3 or len(frames[1]) != 8:
        return None
    return frames[0], int.from_bytes(frames[1], "big")


bitcoin_core = NumberedMessages("bitcoin_core", _bitcoin_core, modulus=2**32)
"""Bitcoin Core's ZMQ notifications: topic, body, 4-byte little-endian number per topic."""

vllm_kv_events = NumberedMessages("vllm_kv_events", _vllm_kv_events)
"""vLLM's KV cache events: topic, 8-byte big-endian number, payload."""

KNOWN = {sequence.name: sequence for sequence in (bitcoin_core, vllm_kv_events)}


def numbered(read: Reader, *, modulus: int = UINT64, name: str = "callable") -> NumberedMessages:
    """A sequence of one's own: ``read`` gets a message's frames and gives its lane and number, or None.

    ``modulus`` is the number at which the numbers begin again at 0 (2**32 for a four-byte number). ``name`` is what reports call
    it; both ends of a hop that know the same sequence are to give it the same name. Raises UsageError.
    """
    if not callable(read):
        raise UsageError(f"a sequence is read by a callable, not by {read!r}")
    if not isinstance(modulus, int) or isinstance(modulus, bool) or not 2 <= modulus <= UINT64:
        raise UsageError(f"modulus must be an integer from 2 to 2**64, not {modulus!r}")
    return NumberedMessages(name, read, modulus)


def named(sequence: object) -> NumberedMessages | None:
    """What ``wrap(sequence=...)`` means where it is not a stamp; None for None. Raises UsageError."""
    if sequence is None or isinstance(sequence, NumberedMessages):
        return sequence
    if isinstance(sequence, str) and sequence in KNOWN:
        return KNOWN[sequence]
    if callable(sequence):
        return numbered(sequence, name=getattr(sequence, "__name__", "callable"))
    names = ", ".join(f'"{name}"' for name in ("stamp", "count", *KNOWN))
    raise UsageError(f"sequence must be None, {names} or a callable, not {sequence!r}")
