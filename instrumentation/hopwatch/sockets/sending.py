"""Sending: counted, and where asked for stamped.

Every frame is first tried without blocking: that send succeeds wherever the blocking one would at once, and
``refusals.py`` says what follows where it is refused.
"""

from __future__ import annotations

from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.sockets.frames import as_bytes, size_of
from hopwatch.sockets.hooks import subscription_changed
from hopwatch.sockets.numbering import Numbered
from hopwatch.sockets.refusals import RefusalHandling
from hopwatch.sockets.state import Guard
from hopwatch.words import SENT, SENT_BYTES, SENT_MORE_FRAMES

DONTWAIT = int(zmq.DONTWAIT)
SNDMORE = int(zmq.SNDMORE)

backend_send = BackendSocket.send


class CountingSend(RefusalHandling):
    """Counts messages, frames and bytes that libzmq accepted."""

    def send(
        self,
        data: Any,
        flags: int = 0,
        copy: bool = True,
        track: bool = False,
        routing_id: int | None = None,
        group: str | None = None,
    ) -> Any:
        """As ``zmq.Socket.send``."""
        if flags.__class__ is not int or routing_id is not None or group is not None:
            if not isinstance(flags, int) or routing_id is not None or group is not None:
                return super().send(data, flags, copy, track, routing_id, group)
            flags = int(flags)
        refused = False
        tracker = None
        try:
            tracker = backend_send(self, data, flags | DONTWAIT, copy, track)
        except zmq.Again:
            if self._hopwatch_gives_up(flags):
                raise
            refused = True
        if refused:
            tracker = self._hopwatch_retry(data, flags, copy, track)
        words = self._hopwatch_words
        words[SENT_BYTES] += len(data) if data.__class__ is bytes else size_of(data)
        words[SENT_MORE_FRAMES if flags & SNDMORE else SENT] += 1
        return tracker


class SubscribingSend(CountingSend):
    """XSUB: what it sends upstream are its subscriptions, one byte (1 or 0) and the topic."""

    def send(self, data: Any, *args: Any, **kwargs: Any) -> Any:
        """As ``zmq.Socket.send``; subscriptions are followed."""
        tracker = super().send(data, *args, **kwargs)
        with Guard(self._hopwatch):
            frame = as_bytes(data)
            if frame[:1] in {b"\0", b"\1"}:
                action = "subscribe" if frame[0] else "unsubscribe"
                subscription_changed(self._hopwatch, action, frame[1:])
        return tracker


class StampingSend(RefusalHandling):
    """Counts, and appends the stamp to each message."""

    def send(
        self,
        data: Any,
        flags: int = 0,
        copy: bool = True,
        track: bool = False,
        routing_id: int | None = None,
        group: str | None = None,
    ) -> Any:
        """As ``zmq.Socket.send``; the last frame of a message takes the stamp behind it."""
        if not isinstance(flags, int) or routing_id is not None or group is not None:
            return super().send(data, flags, copy, track, routing_id, group)
        flags = int(flags)
        if not flags & SNDMORE:
            return self._hopwatch_send_last(data, flags, copy, track)
        tracker = self._hopwatch_transmit(data, flags, copy, track)
        state = self._hopwatch
        if state.numbering is not None:
            state.numbering.begin(data)
        words = self._hopwatch_words
        words[SENT_BYTES] += size_of(data)
        words[SENT_MORE_FRAMES] += 1
        return tracker

    def _hopwatch_send_last(self, data: Any, flags: int, copy: bool, track: bool) -> Any:
        state = self._hopwatch
        message = self._hopwatch_number(data)
        if message is None:
            tracker = self._hopwatch_transmit(data, flags, copy, track)
        else:
            tracker = self._hopwatch_transmit(data, flags | SNDMORE, copy, track)
            self._hopwatch_append(message.stamp)
        if state.onset_due:
            state.onset_due = False
            self._hopwatch_write_onset(message)
        if message is not None and state.numbering is not None:
            state.numbering.sent(message)
        words = self._hopwatch_words
        words[SENT_BYTES] += size_of(data)
        words[SENT] += 1
        return tracker

    def _hopwatch_number(self, last_frame: Any) -> Numbered | None:
        """Place of the message that this frame ends; None once numbering was given up."""
        state = self._hopwatch
        if state.faulty or state.numbering is None:
            return None
        message = None
        with Guard(state):
            message = state.numbering.end(last_frame)
        return message

    def _hopwatch_append(self, stamp: bytes) -> None:
        """End the message with its stamp; libzmq takes the rest of a message that it has begun."""
        backend_send(self, stamp, DONTWAIT)
