"""What follows when libzmq does not take a frame at once: waiting, or the onset of a drop."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.sockets.backend import DONTWAIT, POLLOUT, REFUSED, backend_send, is_refusal
from hopwatch.sockets.classes import exchange
from hopwatch.sockets.hooks import HookedSocket
from hopwatch.sockets.numbering import Numbered
from hopwatch.sockets.state import Guard
from hopwatch.sockets.trying import refuse_unless, sends_ask_first
from hopwatch.words import EAGAIN_SENDS, ONSETS, SENT

PROMPT_NS = 50_000
"""Within this time of a refusal the pipe is still full: libzmq looks for news from its readers about once a millisecond."""


class RefusalHandling(HookedSocket):
    """Sends one frame; its subclasses say what happens where that is refused.

    The first frame of a message is tried without blocking. The others find room wherever the first did, unless the pipe has died:
    then libzmq drops the message, silently for a blocking send, and with EAGAIN for one that does not block. So they are sent as the application sends them.
    """

    def _hopwatch_transmit(self, data: Any, flags: int, copy: bool, track: bool) -> Any:
        begun = self._hopwatch.outgoing.begun
        refused = False
        tracker = None
        try:
            if not begun and not flags & DONTWAIT and sends_ask_first(self._hopwatch.type_name):
                refuse_unless(self, POLLOUT)
            tracker = backend_send(self, data, flags if begun else flags | DONTWAIT, copy, track)
        except REFUSED as error:
            if not is_refusal(error) or self._hopwatch_gives_up(flags) or begun:
                raise
            refused = True
        return self._hopwatch_retry(data, flags, copy, track) if refused else tracker

    def _hopwatch_gives_up(self, flags: int) -> bool:
        """Whether the refusal is the application's answer."""
        raise NotImplementedError

    def _hopwatch_retry(self, data: Any, flags: int, copy: bool, track: bool) -> Any:
        """Send a frame that was refused once."""
        raise NotImplementedError

    def _hopwatch_write_onset(self, message: Numbered | None) -> None:
        """Journal the onset met by the message that is being sent; unstamped messages have no lane."""
        state = self._hopwatch
        with Guard(state):
            lane = None if message is None else message.lane.index
            lane_number = None if message is None else message.lane_number
            state.event("onset", number=self._hopwatch.slot.words[SENT], lane=lane, lane_number=lane_number)


class Waiting(RefusalHandling):
    """Types that block when there is no room: the send waits as the bare one does, and the wait is counted."""

    def _hopwatch_gives_up(self, flags: int) -> bool:
        if not flags & DONTWAIT:
            return False
        if not self._hopwatch.way.sends_deferred:
            self._hopwatch.slot.words[EAGAIN_SENDS] += 1
        return True

    def _hopwatch_retry(self, data: Any, flags: int, copy: bool, track: bool) -> Any:
        state = self._hopwatch
        with Guard(state):
            state.waits()
        began = state.begin_wait()
        try:
            return backend_send(self, data, flags, copy, track)
        except zmq.Again:
            state.slot.words[EAGAIN_SENDS] += 1
            raise
        finally:
            state.end_wait(began)


class Probing(RefusalHandling):
    """PUB and XPUB with XPUB_NODROP on, which a refusal shows the onset of a drop by.

    Turned off for the frame that was refused, the message still reaches every subscriber whose pipe has room, as from a bare
    socket; the full pipe is set aside by libzmq until its reader has caught up. A bare PUB never blocks, and a probed one
    would, so no frame is sent without DONTWAIT. Where another thread held the interpreter after the refusal, the pipe may have
    room again by now and the message would not be lost: so it is asked once more, and the drop let happen promptly. (tests/instrumentation/test_onsets.py shows each of these.)
    """

    def _hopwatch_gives_up(self, flags: int) -> bool:  # noqa: ARG002
        return False

    def _hopwatch_retry(self, data: Any, flags: int, copy: bool, track: bool) -> Any:
        flags |= DONTWAIT
        state = self._hopwatch
        for last_try in (False, True):
            began = time.perf_counter_ns()
            try:
                return backend_send(self, data, flags, copy, track)
            except REFUSED as error:
                if not is_refusal(error):
                    raise
                BackendSocket.set(self, zmq.XPUB_NODROP, 0)
            try:
                if last_try or time.perf_counter_ns() - began < PROMPT_NS:
                    tracker = backend_send(self, data, flags, copy, track)
                    break
            finally:
                if isinstance(self, Probing):  # or another thread has unwrapped it
                    BackendSocket.set(self, zmq.XPUB_NODROP, 1)
        state.slot.words[ONSETS] += 1
        if state.numbering is not None:
            state.onset_due = True
        elif isinstance(self, Probing):
            self._hopwatch_write_onset(None)
        return tracker

    def _hopwatch_stop_probing(self) -> None:
        if self.closed:
            return
        exchange(self, Probing, Waiting)
        BackendSocket.set(self, zmq.XPUB_NODROP, 0)
        self._hopwatch.event("probing_stopped")


class Arming(RefusalHandling):
    """A PUB or XPUB that is to be probed and has not been sent on yet.

    ``zmq.proxy`` sends past us, and blocks on a socket with XPUB_NODROP on: a socket that only a proxy sends on must never have it.
    """

    _hopwatch_armed: Callable[..., Any]
    """How to send once it is armed; made by the hot path."""

    def _hopwatch_arm(self) -> None:
        """Before the first send, after which every one is probed."""
        if self.closed:
            return
        BackendSocket.set(self, zmq.XPUB_NODROP, 1)
        exchange(self, Arming, Probing, {"_hopwatch_send_now": self._hopwatch_armed})

    def _hopwatch_stop_probing(self) -> None:
        exchange(self, Arming, Waiting, {"_hopwatch_send_now": self._hopwatch_armed})
        self._hopwatch.event("probing_stopped")
