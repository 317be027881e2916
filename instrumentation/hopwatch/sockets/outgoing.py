"""What one socket has sent, and where it stands within a message."""

from __future__ import annotations

from dataclasses import dataclass

import zmq

from hopwatch.journal.counters import Words
from hopwatch.sockets.first_calls import FirstCalls
from hopwatch.words import SENT, SENT_BYTES, SENT_MORE_FRAMES

SNDMORE = int(zmq.SNDMORE)

NOT_NOW = object()
"""What the flags of no send or receive are: stands for the plain ones while no call is plain."""


@dataclass(eq=False, slots=True)
class Outgoing:
    """Owns the counts of what was sent, whichever way it went.

    ``alone`` and ``not_last`` are the flags of the sends that the hot path takes (``hot_sends.py``): of a message's only frame, and of
    a frame that others follow. ``begun``: others are still to follow the frame that was sent last.
    """

    words: Words
    first_calls: FirstCalls
    plain_flags: int
    messages: int = 0
    total_bytes: int = 0
    begun: bool = False
    alone: object = NOT_NOW
    not_last: object = NOT_NOW
    retired: bool = False

    def count(self, size: int, more: bool) -> None:
        """Count a frame, which more of its message follow or not."""
        self.total_bytes = self.words[SENT_BYTES] = self.total_bytes + size
        self.begun = more
        if more:
            self.words[SENT_MORE_FRAMES] += 1
            self.alone = NOT_NOW
        else:
            self.messages = self.words[SENT] = self.messages + 1
            self.begin_afresh()

    def begin_afresh(self) -> None:
        """The next frame begins a message."""
        self.begun = False
        if not self.first_calls.sends and not self.retired:
            self.alone, self.not_last = self.plain_flags, self.plain_flags | SNDMORE

    def retire(self) -> None:
        """Nobody sends by the hot path any more."""
        self.alone = self.not_last = NOT_NOW
        self.retired = True
