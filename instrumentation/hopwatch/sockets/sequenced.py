"""Sockets whose messages carry numbers of their own: each message is shown to the sequence, once it is whole."""

from __future__ import annotations

from typing import Any

import zmq

from hopwatch.alive import weakly
from hopwatch.frames import as_bytes
from hopwatch.lanes.sequenced import SequencedLanes
from hopwatch.sequences import NumberedMessages
from hopwatch.sockets.backend import SNDMORE
from hopwatch.sockets.hooks import HookedSocket
from hopwatch.sockets.hot_paths import sending_methods
from hopwatch.sockets.hot_sends import slow_send
from hopwatch.sockets.receiving import CountingReceive
from hopwatch.sockets.sending import CountingSend
from hopwatch.sockets.state import Guard, SocketState
from hopwatch.sockets.ways import Methods

TWO_WAY = {zmq.DEALER, zmq.ROUTER, zmq.REQ, zmq.REP, zmq.PAIR}
SENDING = {zmq.PUB, zmq.XPUB, zmq.PUSH, *TWO_WAY}
RECEIVING = {zmq.SUB, zmq.XSUB, zmq.PULL, *TWO_WAY}

Made = tuple[tuple[type[HookedSocket], ...], Methods]
"""The parts of a socket's class, and what the socket has for itself."""


def read_numbers(
    state: SocketState, socket_type: zmq.SocketType, sequence: NumberedMessages, made: Made
) -> Made:
    """Have the messages of a socket read, in the directions that its type has."""
    parts, methods = made
    words = state.slot.words

    def reading(*, sending: bool) -> SequencedLanes:
        lanes = SequencedLanes(state.identifier, sequence, words, state.journal, sending=sending)
        lanes.find = weakly(state.find)
        return lanes

    if socket_type in SENDING:
        state.reading_sent = reading(sending=True)
        methods = {**methods, **sending_methods(slow_send, arms="_hopwatch_armed" in methods)}
        parts = (SequencedSend, *parts[1:])
    if socket_type in RECEIVING:
        state.reading_received = reading(sending=False)
        state.takes_stamps = True
        state.incoming.may_ask_seldom = False
        methods = {**methods, "_hopwatch_recv_now": receive_by_frames}
        parts = tuple(SequencedReceive if part is CountingReceive else part for part in parts)
    return parts, methods


def receive_by_frames(self: Any, flags: int, copy: bool, track: bool) -> Any:
    """``recv`` of a socket whose received messages are read."""
    return self._hopwatch_next(flags, copy, track)


class SequencedSend(CountingSend):
    """Counts, and reads the numbers that go out."""

    def _hopwatch_send_frame(self, data: Any, flags: int, copy: bool, track: bool) -> Any:
        tracker = self._hopwatch_transmit(data, flags, copy, track)
        state = self._hopwatch
        if state.reading_sent is not None and not state.faulty:
            with Guard(state):
                state.reading_sent.add(as_bytes(data), bool(flags & SNDMORE))
        return tracker


class SequencedReceive(CountingReceive):
    """Reads the numbers that come in; takes stamps off, should there be any."""

    _hopwatch_reads = True

    def _hopwatch_by_frames(self) -> bool:
        """Senders of one numbering are told apart by their connections."""
        return True

    def _hopwatch_came(self, frame: Any, more: bool) -> None:
        state = self._hopwatch
        if state.reading_received is not None and not state.faulty:
            with Guard(state):
                state.reading_received.add(frame, more)

    def _hopwatch_track(self, found: bytes, first_frame: Any, several: bool) -> None:
        """Take in a stamp; only stamps would have a use for the count of messages without one."""
        if found:
            super()._hopwatch_track(found, first_frame, several)
