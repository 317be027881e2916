"""ROUTER: which messages it swallows, because the peer is not there or its pipe is full.

ROUTER_MANDATORY makes libzmq refuse such a message at its first frame, the routing id. It is on for no longer than that frame's
send: while it is on, a poll for POLLOUT answers differently. So nothing of the probing is left between two calls of the
application, whatever it does with the socket then.
"""

from typing import Any

import zmq

from hopwatch import finding, native_state
from hopwatch.alive import weakly
from hopwatch.frames import as_bytes, size_of
from hopwatch.rules.sending import swallowed
from hopwatch.sockets.backend import DONTWAIT, FAILED, MANDATORY, SNDMORE, backend_send, backend_set, errno_of
from hopwatch.sockets.hot_sends import Sender
from hopwatch.sockets.refusals import Refusals, Waiting
from hopwatch.sockets.sends import Sends
from hopwatch.sockets.state import Guard, SocketState
from hopwatch.sockets.unrouted import ALONE, FULL, UNKNOWN, Place, Unrouted

REASONS = {int(zmq.EHOSTUNREACH): UNKNOWN, int(zmq.EAGAIN): FULL}

NOBODY = b"\0hopwatch: no peer has a routing id of more than 255 bytes".ljust(256, b".")
"""Sent before a routing id that was refused: libzmq swallows the frames behind it, as a bare ROUTER would have swallowed them,
even if the peer appears in the meantime."""


class RoutingProbe(Refusals):
    """A ROUTER whose routing ids are sent with ROUTER_MANDATORY on. Like a bare one it takes every message and never waits."""

    def transmit(self, socket: Any, data: Any, flags: int, copy: bool, track: bool) -> Any:
        """Send a frame, the first of a message as its routing id."""
        unrouted = self.state.unrouted
        number = self.state.outgoing.messages
        if unrouted is None or unrouted.begun_message == number:
            return backend_send(socket, data, flags, copy, track)
        if not flags & SNDMORE:
            tracker = backend_send(socket, data, flags, copy, track)
            self._refused(data, ALONE)
            return tracker
        tracker = self.send_routing_id(socket, data, flags | DONTWAIT, copy, track)
        unrouted.begun_message = number
        return tracker

    def send_routing_id(self, socket: Any, data: Any, flags: int, copy: bool, track: bool) -> Any:
        """Send the first frame of a message, and see whether its peer is there and has room."""
        is_open = True
        try:
            backend_set(socket, MANDATORY, 1)
        except zmq.ZMQError:
            is_open = False
        if not is_open:  # a bare one may have something else to say of the arguments
            return backend_send(socket, data, flags, copy, track)
        try:
            tracker = backend_send(socket, data, flags, copy, track)
        except FAILED as error:
            reason = REASONS.get(errno_of(error) or 0)
            if reason is None:
                raise
        else:
            state = self.state
            if state.unrouted:
                with Guard(state):
                    state.unrouted.routed(as_bytes(data))
            return tracker
        finally:
            backend_set(socket, MANDATORY, 0)
        backend_send(socket, NOBODY, flags)
        self._refused(data, reason)
        return backend_send(socket, data, flags, copy, track)

    def _refused(self, routing_id: Any, reason: str) -> None:
        state = self.state
        with Guard(state):
            peer = as_bytes(routing_id)
            place = Place(self.state.outgoing.messages)
            if state.numbering is not None and reason != ALONE:
                place = state.numbering.place(routing_id, peer_is_there=reason == FULL)
            if state.unrouted is not None and state.unrouted.refused(peer, reason, place) and reason != FULL:
                state.find(swallowed(reason))

    def stop_probing(self, socket: Any) -> None:
        """Let libzmq swallow untold from here on."""
        if socket.closed:
            return
        self._give_way_to(Waiting(self.state))
        state = self.state
        if state.unrouted is not None:
            state.unrouted.probing = False
            state.outgoing.begun = state.unrouted.begun_message == self.state.outgoing.messages
        state.event("probing_stopped")


def may_probe_routing(socket: zmq.Socket[bytes], state: SocketState, *, new: bool) -> bool:
    """Whether a ROUTER may be probed: not where the application has set ROUTER_MANDATORY, which of a new one it has not.

    Then it is told itself what has no peer: nothing is swallowed.
    """
    mandatory = False if new else native_state.mandatory_is_set(socket)
    if mandatory is None:
        state.find(finding.mandatory_unknown())
    state.unrouted = Unrouted(state.slot.words, weakly(state.event), probing=mandatory is False)
    if not new and native_state.message_is_begun(socket):
        state.unrouted.begun_message = state.outgoing.messages
    return state.unrouted.probing


def routing_send(state: SocketState, sends: Sends, unrouted: Unrouted) -> Sender:
    """``send`` of a ROUTER that is not stamped: here routing ids and last frames, as ``hot_sends.py`` for other types."""
    out, first_calls, plain = state.outgoing, state.first_calls, state.way.plain_flags
    looked_at, probe = False, sends.refusals
    first = plain | SNDMORE

    def send(
        socket: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        nonlocal looked_at
        if not looked_at:
            looked_at = not first_calls.sends
        elif unrouted.probing and isinstance(probe, RoutingProbe) and routing_id is None and group is None:
            number = out.messages
            begun = unrouted.begun_message == number
            if begun and flags == plain:
                tracker = backend_send(socket, data, plain, copy, track)
                out.count(len(data) if data.__class__ is bytes else size_of(data), False)
                return tracker
            if not begun and flags == first:
                tracker = probe.send_routing_id(socket, data, first | DONTWAIT, copy, track)
                unrouted.begun_message = number
                out.count(len(data) if data.__class__ is bytes else size_of(data), True)
                return tracker
        return sends.send(socket, data, flags, copy, track, routing_id, group)

    return send
