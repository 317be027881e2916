"""Bytes that are not stored for each message, because the count of messages tells them (FORMAT.md, "Runs of one size").

A store into the mapped file is a good part of what counting costs. While messages of one size come one after the other, only their
count is stored. The word that says so is the last to be written when that begins and when it ends: what the words say
is exact at every instant, also that at which the process is killed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hopwatch.words import (
    COUNTER_NAMES,
    RECEIVED,
    RECEIVED_BYTES,
    RECEIVED_RUN_BASE,
    RECEIVED_RUN_SIZE,
    SENT,
    SENT_BYTES,
    SENT_RUN_BASE,
    SENT_RUN_SIZE,
    STAMP_WORDS,
)

MORE_COUNTERS = slice(STAMP_WORDS, STAMP_WORDS + len(COUNTER_NAMES) - 1)
"""Where the counters behind ``sent`` stand."""

NO_RUN = -1
"""The size of a run's messages where there is no run."""

_WHOLE_WORD = (1 << 64) - 1
_MOST_BYTES = (1 << 63) - 1


@dataclass(frozen=True)
class SizeRun:
    """A run of one direction, in the slot of a socket."""

    words: memoryview
    count: int
    total: int
    base: int
    size: int

    def begin(self, size: int) -> int:
        """From now on the count is stored alone; returns the size."""
        words = self.words
        words[self.base] = (words[self.total] - words[self.count] * size) & _WHOLE_WORD
        words[self.size] = size + 1
        return size

    def end(self) -> int:
        """From now on bytes are stored, too; returns how many there are."""
        words = self.words
        words[self.total] = total = _total(
            words[self.count], words[self.total], words[self.base], words[self.size]
        )
        words[self.size] = 0
        return total


def sent_run(words: memoryview) -> SizeRun:
    """The run of what a socket sends."""
    return SizeRun(words, SENT, SENT_BYTES, SENT_RUN_BASE, SENT_RUN_SIZE)


def received_run(words: memoryview) -> SizeRun:
    """The run of what a socket receives."""
    return SizeRun(words, RECEIVED, RECEIVED_BYTES, RECEIVED_RUN_BASE, RECEIVED_RUN_SIZE)


def told_counters(words: Sequence[int]) -> tuple[int, ...]:
    """What a socket slot says, in the order of ``COUNTER_NAMES``, with the bytes of runs that have not ended.

    Words that were read while their process wrote them may be of two runs; where that makes no sense, the stored bytes are given.
    """
    told = list(words)
    told[SENT_BYTES] = _total(told[SENT], told[SENT_BYTES], told[SENT_RUN_BASE], told[SENT_RUN_SIZE])
    told[RECEIVED_BYTES] = _total(
        told[RECEIVED], told[RECEIVED_BYTES], told[RECEIVED_RUN_BASE], told[RECEIVED_RUN_SIZE]
    )
    return (told[SENT], *told[MORE_COUNTERS])


def _total(count: int, stored: int, base: int, size: int) -> int:
    total = (count * (size - 1) + base) & _WHOLE_WORD
    return total if size and total <= _MOST_BYTES else stored
