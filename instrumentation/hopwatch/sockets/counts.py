"""What one socket has sent and received, and where it stands within a message."""

from dataclasses import dataclass

import zmq

from hopwatch.journal.counters import Words, private_slot
from hopwatch.sockets.backend import SNDMORE
from hopwatch.sockets.first_calls import FirstCalls
from hopwatch.words import (
    RECEIVED,
    RECEIVED_BYTES,
    RECEIVED_MORE_FRAMES,
    SENT,
    SENT_BYTES,
    SENT_MORE_FRAMES,
    SOCKET_SLOT_WORDS,
)

NOT_NOW = object()
"""What the flags of no send or receive are: stands for the plain ones while no call is plain."""

FRAMES_ASKED_AT_FIRST = 64
"""Whether more frames follow costs several times what the receive itself does. It is asked of each of the first frames, then of two
frames in sixty-four, and of every frame again from the first multipart message on. Where the application asks itself, or receives
frames that tell, nothing is missed."""

ASKED_AGAIN = 63
ASK_SOMETIMES = 62
"""Masks of the counts of messages at which is asked: two frames in a row, so that one of them shows a message of two frames."""

ALWAYS = -1
"""``look_at`` of a socket each of whose frames is looked at."""


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
        """Nobody sends by the hot path any more; who is in it counts in no slot."""
        self.words = private_slot(SOCKET_SLOT_WORDS).words
        self.alone = self.not_last = NOT_NOW
        self.retired = True


@dataclass(eq=False, slots=True)
class Incoming:
    """Owns the counts of what was received, whichever way it came.

    ``frames``: how many of the message that is begun came, and ``first_frame``: the first of them. ``counted``: it was taken for a whole
    one at its first frame. ``asked_sometimes``: whether more frames follow is asked of a few, which ``may_ask_seldom`` allows.
    ``look_at``: from which count of messages on the hot path leaves the next frame to a closer look.
    """

    words: Words
    messages: int = 0
    total_bytes: int = 0
    frames: int = 0
    first_frame: bytes | zmq.Frame | None = None
    multipart: bool = False
    asked_sometimes: bool = False
    may_ask_seldom: bool = False
    counted: bool = False
    retired: bool = False
    look_at: int = 0

    def count_more(self, frame: bytes | zmq.Frame) -> None:
        """Take in a frame that others of its message follow."""
        if not self.frames:
            self.first_frame = frame
        self.frames += 1
        self._ask_always()
        self._count(0, len(frame))

    def count_last(self, size: int) -> None:
        """A message has ended, with so many bytes after those already counted of it."""
        if self.frames:
            self.words[RECEIVED_MORE_FRAMES] += self.frames
            self.multipart = True
        self._count(0 if self.counted else 1, size)
        self.counted = False
        self.frames = 0
        self.first_frame = None
        if self.messages == FRAMES_ASKED_AT_FIRST and not self.multipart and self.may_ask_seldom:
            self.asked_sometimes = True
            self._look_next()

    def is_one_of_several(self) -> None:
        """The frame that was taken for a whole message, and counted, is followed by others."""
        self.frames, self.counted = 1, True
        self._ask_always()

    def stamps_come(self) -> None:
        """Each frame is looked at from here on."""
        self.may_ask_seldom = self.asked_sometimes = False
        self.look_at = ALWAYS

    def retire(self) -> None:
        """Nobody receives by the hot path any more; who waits in it counts in no slot."""
        self.words = private_slot(SOCKET_SLOT_WORDS).words
        self.retired, self.look_at = True, ALWAYS

    def _ask_always(self) -> None:
        self.multipart, self.asked_sometimes = True, False
        self._look_next()

    def _count(self, messages: int, size: int) -> None:
        self.total_bytes = self.words[RECEIVED_BYTES] = self.total_bytes + size
        self.messages = self.words[RECEIVED] = self.messages + messages
        self._look_next()

    def _look_next(self) -> None:
        if self.look_at == ALWAYS:
            return
        now = not self.asked_sometimes or not self.messages & ASK_SOMETIMES
        self.look_at = self.messages if now else (self.messages | ASKED_AGAIN) + 1
