"""Which way to send and receive a socket gets, by its type and by what was asked for."""

from __future__ import annotations

from typing import Any

import zmq

from hopwatch.sockets.backend import backend_send
from hopwatch.sockets.hooks import HookedSocket
from hopwatch.sockets.hot_receives import counting_recv, stamped_recv
from hopwatch.sockets.hot_sends import Sender, counting_send, slow_send, stamping_send
from hopwatch.sockets.receiving import AskedByLoops, CountingReceive
from hopwatch.sockets.refusals import Arming, Waiting
from hopwatch.sockets.routing import RoutingProbe, routing_send
from hopwatch.sockets.sending import CountingSend, StampingSend, StreamSend, SubscribingSend
from hopwatch.sockets.state import SocketState
from hopwatch.sockets.trying import asking_send, sends_ask_first
from hopwatch.sockets.ways import Methods, Way

SENT_IN_THEIR_OWN_WAY: dict[int, type[HookedSocket]] = {zmq.XSUB: SubscribingSend, zmq.STREAM: StreamSend}
LOOKED_AT = frozenset({"XSUB", "STREAM", "ROUTER"})
"""Types each of whose frames is looked at as it is sent."""


def parts_of(
    socket_type: zmq.SocketType, way: Way, *, stamps: bool, probed: bool
) -> tuple[type[HookedSocket], ...]:
    """The classes between ``zmq.Socket`` and the application's own, the first of them asked first."""
    sending: type[HookedSocket] = StampingSend if stamps else CountingSend
    sending = SENT_IN_THEIR_OWN_WAY.get(socket_type, sending)
    probing = RoutingProbe if socket_type == zmq.ROUTER else Arming
    refusals: type[HookedSocket] = probing if probed else Waiting
    if way.asynchronous:
        return (sending, refusals, AskedByLoops, CountingReceive)
    return (sending, refusals, CountingReceive)


def methods_of(state: SocketState, *, stamps: bool, probed: bool) -> Methods:
    """The functions made for this socket alone, around its counters."""
    receiving = stamped_recv(state) if state.takes_stamps else counting_recv(state)
    return {**sending_methods(_send_of(state, stamps=stamps), probed and state.unrouted is None), **receiving}


def sending_methods(send: Sender, arms: bool) -> Methods:
    """The functions that a socket sends by; one that ``arms`` is to be probed from its first send on."""
    if not arms:
        return {"_hopwatch_send_now": send}

    def arming_send(self: Any, *arguments: Any) -> Any:
        self._hopwatch_arm()
        return send(self, *arguments)

    return {"_hopwatch_send_now": arming_send, "_hopwatch_armed": send}


def _send_of(state: SocketState, *, stamps: bool) -> Sender:
    if state.unrouted is not None and not stamps:
        return routing_send(state, state.unrouted)
    if state.type_name in LOOKED_AT:
        return slow_send
    asks = not state.way.plain_flags and sends_ask_first(state.type_name)
    try_send = asking_send if asks else backend_send
    if stamps and state.numbering is not None:
        return stamping_send(state, state.numbering, try_send)
    return counting_send(state, try_send)
