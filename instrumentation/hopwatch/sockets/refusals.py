"""What follows when libzmq does not take a frame at once: waiting, or the onset of a drop."""

from __future__ import annotations

import time
from typing import Any

import zmq

from hopwatch.sockets.backend import DONTWAIT, POLLOUT, REFUSED, backend_send, backend_set, is_refusal
from hopwatch.sockets.numbering import Numbered
from hopwatch.sockets.state import Guard, SocketState
from hopwatch.sockets.trying import refuse_unless, sends_ask_first
from hopwatch.words import EAGAIN_SENDS, ONSETS

PROMPT_NS = 50_000
"""Within this time of a refusal the pipe is still full: libzmq looks for news from its readers about once a millisecond."""


class Refusals:
    """Sends one frame; its subclasses say what happens where that is refused.

    The first frame of a message is tried without blocking. The others find room wherever the first did, unless the pipe has died:
    then libzmq drops the message, silently for a blocking send, and with EAGAIN for one that does not block. So they are sent as the application sends them.
    """

    def __init__(self, state: SocketState) -> None:
        self.state = state

    def transmit(self, socket: Any, data: Any, flags: int, copy: bool, track: bool) -> Any:
        """Send a frame; returns what pyzmq does."""
        begun = self.state.outgoing.begun
        refused = False
        tracker = None
        try:
            if not begun and not flags & DONTWAIT and sends_ask_first(self.state.type_name):
                refuse_unless(socket, POLLOUT)
            tracker = backend_send(socket, data, flags if begun else flags | DONTWAIT, copy, track)
        except REFUSED as error:
            if not is_refusal(error) or self.gives_up(flags) or begun:
                raise
            refused = True
        return self.retry(socket, data, flags, copy, track) if refused else tracker

    def gives_up(self, flags: int) -> bool:
        """Whether the refusal is the application's answer."""
        raise NotImplementedError

    def retry(self, socket: Any, data: Any, flags: int, copy: bool, track: bool) -> Any:
        """Send a frame that was refused once."""
        raise NotImplementedError

    def stop_probing(self, socket: Any) -> None:
        """Nothing to stop where nothing probes."""

    def write_onset(self, message: Numbered | None) -> None:
        """Journal the onset met by the message that is being sent; unstamped messages have no lane."""
        with Guard(self.state):
            lane = None if message is None else message.lane.index
            lane_number = None if message is None else message.lane_number
            self.state.event("onset", number=self.state.outgoing.messages, lane=lane, lane_number=lane_number)

    def _give_way_to(self, others: Refusals) -> None:
        if self.state.sends is not None:
            self.state.sends.refusals = others

    def _are_in_force(self) -> bool:
        """Whether the socket still sends so: another thread may have closed or unwrapped it, or had its probing stopped."""
        return self.state.sends is not None and self.state.sends.refusals is self


class Waiting(Refusals):
    """Types that block when there is no room: the send waits as the bare one does, and the wait is counted."""

    def gives_up(self, flags: int) -> bool:
        """With DONTWAIT, if nobody waits in the application's place."""
        if not flags & DONTWAIT:
            return False
        if not self.state.way.sends_deferred:
            self.state.slot.words[EAGAIN_SENDS] += 1
        return True

    def retry(self, socket: Any, data: Any, flags: int, copy: bool, track: bool) -> Any:
        """Wait."""
        state = self.state
        with Guard(state):
            state.waits()
        began = state.begin_wait()
        try:
            return backend_send(socket, data, flags, copy, track)
        except zmq.Again:
            state.slot.words[EAGAIN_SENDS] += 1
            raise
        finally:
            state.end_wait(began)


class Probing(Refusals):
    """PUB and XPUB with XPUB_NODROP on, which a refusal shows the onset of a drop by.

    Turned off for the frame that was refused, the message still reaches every subscriber whose pipe has room, as from a bare
    socket; the full pipe is set aside by libzmq until its reader has caught up. A bare PUB never blocks, and a probed one
    would, so no frame is sent without DONTWAIT. Where another thread held the interpreter after the refusal, the pipe may have
    room again by now and the message would not be lost: so it is asked once more, and the drop let happen promptly. (tests/instrumentation/test_onsets.py shows each of these.)
    """

    def gives_up(self, flags: int) -> bool:  # noqa: ARG002
        """Never: a bare one takes every message."""
        return False

    def retry(self, socket: Any, data: Any, flags: int, copy: bool, track: bool) -> Any:
        """Send it to all whose pipes have room, and count the onset for those whose have none."""
        flags |= DONTWAIT
        state = self.state
        for last_try in (False, True):
            began = time.perf_counter_ns()
            try:
                return backend_send(socket, data, flags, copy, track)
            except REFUSED as error:
                if not is_refusal(error):
                    raise
                backend_set(socket, zmq.XPUB_NODROP, 0)
            try:
                if last_try or time.perf_counter_ns() - began < PROMPT_NS:
                    tracker = backend_send(socket, data, flags, copy, track)
                    break
            finally:
                if self._are_in_force():
                    backend_set(socket, zmq.XPUB_NODROP, 1)
        state.slot.words[ONSETS] += 1
        if state.numbering is not None:
            state.onset_due = True
        elif self._are_in_force():
            self.write_onset(None)
        return tracker

    def stop_probing(self, socket: Any) -> None:
        """Let what finds no room be dropped untold from here on."""
        if socket.closed:
            return
        self._give_way_to(Waiting(self.state))
        backend_set(socket, zmq.XPUB_NODROP, 0)
        self.state.event("probing_stopped")


class Arming(Refusals):
    """A PUB or XPUB that is to be probed and has not been sent on yet.

    ``zmq.proxy`` sends past us, and blocks on a socket with XPUB_NODROP on: a socket that only a proxy sends on must never have it.
    """

    def gives_up(self, flags: int) -> bool:  # noqa: ARG002
        """A socket that is not closed is armed before it sends."""
        return True

    def arm(self, socket: Any) -> None:
        """Before the first send, after which every one is probed."""
        if not socket.closed:
            backend_set(socket, zmq.XPUB_NODROP, 1)
            self._give_way_to(Probing(self.state))

    def stop_probing(self, socket: Any) -> None:  # noqa: ARG002
        """Never arm it."""
        self._give_way_to(Waiting(self.state))
        self.state.event("probing_stopped")
