"""Sending what the hot path leaves: frames of multipart messages, flags, refusals.

Every frame is first tried without blocking: that send succeeds wherever the blocking one would at once, and
``refusals.py`` says what follows where it is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hopwatch import finding
from hopwatch.frames import as_bytes, is_frame, size_of
from hopwatch.rules.setup import Kind
from hopwatch.sockets.backend import BARE, REFUSED, SNDMORE, is_refusal
from hopwatch.sockets.numbering import Numbered
from hopwatch.sockets.options import subscription_changed
from hopwatch.sockets.refusals import RefusalHandling
from hopwatch.sockets.state import Guard, SocketState
from hopwatch.sockets.trimming import stamped


class CountingSend(RefusalHandling):
    """Counts messages, frames and bytes that libzmq accepted."""

    _hopwatch_send_now: Callable[..., Any]

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
        send_now = getattr(self, "_hopwatch_send_now", None)
        if send_now is None:  # somebody held on to this method, and the socket is wrapped no more
            return self.send(data, flags, copy, track, routing_id, group)
        return send_now(self, data, flags, copy, track, routing_id, group)

    def _hopwatch_send(
        self, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        if not isinstance(flags, int) or routing_id is not None or group is not None:
            return BARE.send(self, data, flags, copy, track, routing_id, group)
        flags = int(flags)
        state = self._hopwatch
        if state.first_calls.sends:
            state.look_at_send(flags)
        out = state.outgoing
        more_follows = (
            self._hopwatch_more_follows
        )  # before a wait, in which another thread may unwrap the socket
        try:
            tracker = self._hopwatch_send_frame(data, flags, copy, track)
        except REFUSED as error:
            if out.begun and is_refusal(error):
                self._hopwatch_drop_begun()
            raise
        out.count(size_of(data), more_follows(flags, out.begun))
        return tracker

    @staticmethod
    def _hopwatch_more_follows(flags: int, begun: bool) -> bool:  # noqa: ARG004
        """Whether the frame that was just sent is not the last of its message, which had ``begun`` before it or not."""
        return bool(flags & SNDMORE)

    def _hopwatch_drop_begun(self) -> None:
        """The pipe has died under a message of several frames: libzmq has dropped those that it had taken."""
        state = self._hopwatch
        state.outgoing.begin_afresh()
        if state.numbering is not None:
            state.numbering.drop_begun()

    def _hopwatch_send_frame(self, data: Any, flags: int, copy: bool, track: bool) -> Any:
        if flags & SNDMORE and not self._hopwatch.sends_parts:
            with Guard(self._hopwatch):
                self._hopwatch.consider(Kind.SENT_SEVERAL_FRAMES)
        return self._hopwatch_transmit(data, flags, copy, track)


class StreamSend(CountingSend):
    """STREAM: each second frame ends a message, whether more were said to follow or not."""

    @staticmethod
    def _hopwatch_more_follows(flags: int, begun: bool) -> bool:  # noqa: ARG004
        return not begun


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
    """Counts and numbers; the stamp becomes the end of a message's last frame."""

    def _hopwatch_send_frame(self, data: Any, flags: int, copy: bool, track: bool) -> Any:
        state = self._hopwatch
        if not flags & SNDMORE:
            return self._hopwatch_send_last(data, flags, copy, track)
        tracker = super()._hopwatch_send_frame(data, flags, copy, track)
        if state.numbering is not None:
            state.numbering.begun.append(data)
        return tracker

    def _hopwatch_send_last(self, data: Any, flags: int, copy: bool, track: bool) -> Any:
        state = self._hopwatch
        message = self._hopwatch_number(data) if is_frame(data) else None
        frame = stamped(data, message.stamp) if message is not None and message.stamp else data
        try:
            tracker = super()._hopwatch_send_frame(frame, flags, copy, track)
        except BaseException:
            if message is not None:
                message.lane.give_back(message.lane_number)
            raise
        if state.onset_due:
            state.onset_due = False
            self._hopwatch_write_onset(message)
        if message is not None and state.numbering is not None:
            state.numbering.sent(message.lane, message.lane_number)
        return tracker

    def _hopwatch_number(self, last_frame: Any) -> Numbered | None:
        """Place of the message that this frame ends; None once numbering was given up."""
        state = self._hopwatch
        if state.faulty or state.numbering is None:
            return None
        if state.type_name == "ROUTER" and not state.numbering.begun:
            return None  # a routing id and no more is swallowed; with a stamp it would be a message
        with Guard(state):
            refuse_bare_peers(state)
            return None if state.numbering is None else state.numbering.end(last_frame)
        return None


def refuse_bare_peers(state: SocketState) -> None:
    """Stop stamping where no wrapped socket was seen to bind an inproc endpoint: a bare one would get the stamps."""
    while state.connected_within:
        peer = state.connected_within.pop()
        if not state.is_wrapped(peer):
            state.stop_stamping(finding.stamp_refused(f"no wrapped socket was seen to bind {peer[1]}"))
