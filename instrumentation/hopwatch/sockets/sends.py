"""Sending what the hot path leaves: frames of multipart messages, flags, refusals.

Every frame is first tried without blocking: that send succeeds wherever the blocking one would at once, and
``refusals.py`` says what follows where it is refused.
"""

from typing import Any

from hopwatch import finding
from hopwatch.frames import as_bytes, is_frame, size_of
from hopwatch.rules.setup import Kind
from hopwatch.sockets.backend import BARE, REFUSED, SNDMORE, is_refusal
from hopwatch.sockets.numbering import Numbered
from hopwatch.sockets.options import subscription_changed
from hopwatch.sockets.refusals import Refusals
from hopwatch.sockets.state import Guard, SocketState
from hopwatch.sockets.trimming import stamped


class Sends:
    """Counts messages, frames and bytes that libzmq accepted."""

    def __init__(self, state: SocketState, refusals: Refusals) -> None:
        self.state, self.refusals = state, refusals

    def send(
        self,
        socket: Any,
        data: Any,
        flags: int,
        copy: bool,
        track: bool,
        routing_id: int | None,
        group: str | None,
    ) -> Any:
        """As ``zmq.Socket.send``."""
        if not isinstance(flags, int) or routing_id is not None or group is not None:
            return BARE.send(socket, data, flags, copy, track, routing_id, group)
        flags = int(flags)
        if self.state.first_calls.sends:
            self.state.look_at_send(flags)
        out = self.state.outgoing
        try:
            tracker = self._send_frame(socket, data, flags, copy, track)
        except REFUSED as error:
            if out.begun and is_refusal(error):
                self.drop_begun()
            raise
        out.count(size_of(data), self._more_follows(flags, out.begun))
        return tracker

    @staticmethod
    def _more_follows(flags: int, begun: bool) -> bool:  # noqa: ARG004
        """Whether the frame that was just sent is not the last of its message, which had ``begun`` before it or not."""
        return bool(flags & SNDMORE)

    def drop_begun(self) -> None:
        """The pipe has died under a message of several frames: libzmq has dropped those that it had taken."""
        state = self.state
        state.outgoing.begin_afresh()
        if state.numbering is not None:
            state.numbering.drop_begun()

    def _send_frame(self, socket: Any, data: Any, flags: int, copy: bool, track: bool) -> Any:
        if flags & SNDMORE and not self.state.sends_parts:
            with Guard(self.state):
                self.state.consider(Kind.SENT_SEVERAL_FRAMES)
        return self.refusals.transmit(socket, data, flags, copy, track)


class StreamSends(Sends):
    """STREAM: each second frame ends a message, whether more were said to follow or not."""

    @staticmethod
    def _more_follows(flags: int, begun: bool) -> bool:  # noqa: ARG004
        return not begun


class SubscribingSends(Sends):
    """XSUB: what it sends upstream are its subscriptions, one byte (1 or 0) and the topic."""

    def _send_frame(self, socket: Any, data: Any, flags: int, copy: bool, track: bool) -> Any:
        tracker = self.refusals.transmit(socket, data, flags, copy, track)
        with Guard(self.state):
            frame = as_bytes(data)
            if frame[:1] in {b"\0", b"\1"}:
                action = "subscribe" if frame[0] else "unsubscribe"
                subscription_changed(self.state, action, frame[1:])
        return tracker


class StampingSends(Sends):
    """Counts and numbers; the stamp becomes the end of a message's last frame."""

    def _send_frame(self, socket: Any, data: Any, flags: int, copy: bool, track: bool) -> Any:
        state = self.state
        if not flags & SNDMORE:
            return self._send_last(socket, data, flags, copy, track)
        tracker = super()._send_frame(socket, data, flags, copy, track)
        if state.numbering is not None:
            state.numbering.begun.append(as_bytes(data))
        return tracker

    def _send_last(self, socket: Any, data: Any, flags: int, copy: bool, track: bool) -> Any:
        state = self.state
        message = self._number(data) if is_frame(data) else None
        frame = stamped(data, message.stamp) if message is not None and message.stamp else data
        try:
            tracker = super()._send_frame(socket, frame, flags, copy, track)
        except BaseException:
            if message is not None:
                message.lane.give_back(message.lane_number)
            raise
        if state.onset_due:
            state.onset_due = False
            self.refusals.write_onset(message)
        if message is not None and state.numbering is not None:
            state.numbering.sent(message.lane, message.lane_number)
        return tracker

    def _number(self, last_frame: Any) -> Numbered | None:
        """Place of the message that this frame ends; None once numbering was given up."""
        state = self.state
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
