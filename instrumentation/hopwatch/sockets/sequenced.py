"""Sockets whose messages carry numbers of their own: each message is shown to the sequence, once it is whole."""

from typing import Any

import zmq

from hopwatch.alive import weakly
from hopwatch.frames import as_bytes
from hopwatch.lanes.sequenced import SequencedLanes
from hopwatch.sequences import NumberedMessages
from hopwatch.sockets.backend import SNDMORE
from hopwatch.sockets.receives import Receives
from hopwatch.sockets.refusals import Refusals
from hopwatch.sockets.sends import Sends
from hopwatch.sockets.state import Guard, SocketState

TWO_WAY = {zmq.DEALER, zmq.ROUTER, zmq.REQ, zmq.REP, zmq.PAIR}
SENDING = {zmq.PUB, zmq.XPUB, zmq.PUSH, *TWO_WAY}
RECEIVING = {zmq.SUB, zmq.XSUB, zmq.PULL, *TWO_WAY}


def read_numbers(
    state: SocketState,
    socket_type: zmq.SocketType,
    sequence: NumberedMessages,
    sends: Sends,
    receives: Receives,
) -> tuple[Sends, Receives]:
    """Have the messages of a socket read, in the directions that its type has: its ways to send and receive then."""

    def lanes_of(*, sending: bool) -> SequencedLanes:
        lanes = SequencedLanes(state.identifier, sequence, state.slot.words, state.journal, sending=sending)
        lanes.find = weakly(state.find)
        state.readings.append(lanes)
        return lanes

    if socket_type in SENDING:
        sends = SequencedSends(state, sends.refusals, lanes_of(sending=True))
    if socket_type in RECEIVING:
        state.takes_stamps = True
        receives = SequencedReceives(state, lanes_of(sending=False))
    return sends, receives


class SequencedSends(Sends):
    """Counts, and reads the numbers that go out."""

    def __init__(self, state: SocketState, refusals: Refusals, lanes: SequencedLanes) -> None:
        super().__init__(state, refusals)
        self._lanes = lanes

    def _send_frame(self, socket: Any, data: Any, flags: int, copy: bool, track: bool) -> Any:
        tracker = self.refusals.transmit(socket, data, flags, copy, track)
        if not self.state.faulty:
            with Guard(self.state):
                self._lanes.add(as_bytes(data), bool(flags & SNDMORE))
        return tracker


class SequencedReceives(Receives):
    """Reads the numbers that come in; takes stamps off, should there be any."""

    reads = True

    def __init__(self, state: SocketState, lanes: SequencedLanes) -> None:
        super().__init__(state)
        self._lanes = lanes

    def by_frames(self) -> bool:
        """Senders of one numbering are told apart by their connections."""
        return True

    def came(self, frame: Any, more: bool) -> None:
        """Show it to the reader."""
        if not self.state.faulty:
            with Guard(self.state):
                self._lanes.add(frame, more)

    def track(self, found: bytes, first_frame: Any, several: bool) -> None:
        """Take in a stamp; only stamps would have a use for the count of messages without one."""
        if found:
            super().track(found, first_frame, several)
