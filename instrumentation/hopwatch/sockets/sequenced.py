"""Sockets whose messages carry numbers of their own: each message is shown to the sequence, once it is whole."""

from __future__ import annotations

from typing import Any

import zmq

from hopwatch.alive import weakly
from hopwatch.frames import as_bytes
from hopwatch.journal.counters import Words
from hopwatch.lanes.sequenced import SequencedLanes
from hopwatch.sequences import NumberedMessages
from hopwatch.sockets.counting import arming_send, counting_send
from hopwatch.sockets.hooks import HookedSocket
from hopwatch.sockets.in_turn import sending_in_turn
from hopwatch.sockets.looking import looking_send
from hopwatch.sockets.reading import Reading
from hopwatch.sockets.sending import CountingSend
from hopwatch.sockets.stamped_receiving import StampedReceive
from hopwatch.sockets.state import Guard, SocketState
from hopwatch.sockets.taking_stamps import stamped_recv
from hopwatch.sockets.ways import Methods

SNDMORE = int(zmq.SNDMORE)

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

    def reading(*, sending: bool) -> Reading:
        lanes = SequencedLanes(state.identifier, sequence, words, state.journal, sending=sending)
        lanes.find = weakly(state.find)
        return Reading(lanes)

    if socket_type in SENDING:
        state.reading_sent = reading(sending=True)
        methods["_hopwatch_retire_send"]()
        sends = sending_in_turn(looking_send(counting_send(words, state.first_calls)), state)
        methods = {**methods, **(arming_send(sends) if "_hopwatch_armed" in methods else sends)}
        parts = (SequencedSend, *parts[1:])
    if socket_type in RECEIVING:
        state.reading_received = reading(sending=False)
        methods = {**methods, **sequenced_recv(words, state)}
        parts = (*parts[:2], SequencedReceive, *parts[3:])
    return parts, methods


def sequenced_recv(words: Words, state: SocketState) -> Methods:
    """``recv`` of a socket whose received messages are read."""

    def recv(self: Any, flags: int, copy: bool, track: bool) -> Any:
        return self._hopwatch_next(flags, track, copy)

    return {**stamped_recv(words, state), "_hopwatch_recv_now": recv}


class SequencedSend(CountingSend):
    """Counts, and reads the numbers that go out."""

    def _hopwatch_send_frame(self, data: Any, flags: int, copy: bool, track: bool) -> Any:
        tracker = self._hopwatch_transmit(data, flags, copy, track)
        state = self._hopwatch
        if state.reading_sent is not None and not state.faulty:
            with Guard(state):
                state.reading_sent.add(as_bytes(data), bool(flags & SNDMORE))
        return tracker


class SequencedReceive(StampedReceive):
    """Reads the numbers that come in; takes stamps off, should there be any."""

    _hopwatch_reads_whole = False

    def _hopwatch_by_frames(self) -> bool:
        """Senders of one numbering are told apart by their connections."""
        return True

    def _hopwatch_hold(self, frame: bytes | zmq.Frame, following: bytes | zmq.Frame, more: bool) -> None:
        super()._hopwatch_hold(frame, following, more)
        state = self._hopwatch
        if state.reading_received is not None and not state.faulty:
            with Guard(state):
                state.reading_received.add(frame, state.incoming.more)

    def _hopwatch_take_unstamped(self) -> None:
        """Only stamps would have a use for the count."""
