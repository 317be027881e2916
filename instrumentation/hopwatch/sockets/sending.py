"""Sending what the hot path leaves: frames of multipart messages, flags, refusals.

Every frame is first tried without blocking: that send succeeds wherever the blocking one would at once, and
``refusals.py`` says what follows where it is refused.
"""

from __future__ import annotations

from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.frames import as_bytes, size_of
from hopwatch.sockets.hooks import subscription_changed
from hopwatch.sockets.numbering import Numbered
from hopwatch.sockets.refusals import RefusalHandling
from hopwatch.sockets.state import Guard

DONTWAIT = int(zmq.DONTWAIT)
SNDMORE = int(zmq.SNDMORE)

backend_send = BackendSocket.send


class CountingSend(RefusalHandling):
    """Counts messages, frames and bytes that libzmq accepted."""

    @staticmethod
    def _hopwatch_count_sent(size: int, more: bool) -> None:
        """Count a frame, which more of its message follow or not; made for each socket by ``counting.py``."""
        raise NotImplementedError

    def _hopwatch_send(
        self, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        if not isinstance(flags, int) or routing_id is not None or group is not None:
            return zmq.Socket.send(self, data, flags, copy, track, routing_id, group)
        flags = int(flags)
        count_sent = (
            self._hopwatch_count_sent
        )  # looked up before a wait, in which another thread may unwrap the socket
        tracker = self._hopwatch_send_frame(data, flags, copy, track)
        count_sent(size_of(data), bool(flags & SNDMORE))
        return tracker

    def _hopwatch_send_frame(self, data: Any, flags: int, copy: bool, track: bool) -> Any:
        return self._hopwatch_transmit(data, flags, copy, track)


class SubscribingSend(CountingSend):
    """XSUB: what it sends upstream are its subscriptions, one byte (1 or 0) and the topic."""

    def _hopwatch_send_frame(self, data: Any, flags: int, copy: bool, track: bool) -> Any:
        tracker = self._hopwatch_transmit(data, flags, copy, track)
        with Guard(self._hopwatch):
            frame = as_bytes(data)
            if frame[:1] in {b"\0", b"\1"}:
                action = "subscribe" if frame[0] else "unsubscribe"
                subscription_changed(self._hopwatch, action, frame[1:])
        return tracker


class StampingSend(CountingSend):
    """Counts, and appends the stamp to each message."""

    def _hopwatch_send_frame(self, data: Any, flags: int, copy: bool, track: bool) -> Any:
        state = self._hopwatch
        if not flags & SNDMORE:
            return self._hopwatch_send_last(data, flags, copy, track)
        tracker = self._hopwatch_transmit(data, flags, copy, track)
        if state.numbering is not None:
            state.numbering.begun.append(data)
        return tracker

    def _hopwatch_send_last(self, data: Any, flags: int, copy: bool, track: bool) -> Any:
        state = self._hopwatch
        message = self._hopwatch_number(data)
        if message is None:
            tracker = self._hopwatch_transmit(data, flags, copy, track)
        else:
            tracker = self._hopwatch_transmit(data, flags | SNDMORE, copy, track)
            backend_send(self, message.stamp, DONTWAIT)
        if state.onset_due:
            state.onset_due = False
            self._hopwatch_write_onset(message)
        if message is not None and state.numbering is not None:
            state.numbering.sent(message)
        return tracker

    def _hopwatch_number(self, last_frame: Any) -> Numbered | None:
        """Place of the message that this frame ends; None once numbering was given up."""
        state = self._hopwatch
        if state.faulty or state.numbering is None:
            return None
        with Guard(state):
            return state.numbering.end(last_frame)
        return None
