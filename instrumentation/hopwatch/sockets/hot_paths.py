"""Which way to send and receive a socket gets, by its type and by what was asked for."""

from typing import Any

import zmq

from hopwatch.sockets.backend import backend_send
from hopwatch.sockets.hot_receives import counting_recv, stamped_recv
from hopwatch.sockets.hot_sends import Sender, counting_send, stamping_send
from hopwatch.sockets.receives import Receives
from hopwatch.sockets.refusals import Arming, Refusals, Waiting
from hopwatch.sockets.routing import RoutingProbe, routing_send
from hopwatch.sockets.sends import Sends, StampingSends, StreamSends, SubscribingSends
from hopwatch.sockets.sequenced import SequencedReceives, SequencedSends
from hopwatch.sockets.state import SocketState
from hopwatch.sockets.trying import asking_send, sends_ask_first

SENT_IN_THEIR_OWN_WAY: dict[int, type[Sends]] = {zmq.XSUB: SubscribingSends, zmq.STREAM: StreamSends}
LOOKED_AT = frozenset({"XSUB", "STREAM", "ROUTER"})
"""Types each of whose frames is looked at as it is sent."""


def sends_of(state: SocketState, socket_type: zmq.SocketType, *, stamps: bool, probed: bool) -> Sends:
    """What sends that the hot path leaves go by."""
    sends: type[Sends] = StampingSends if stamps else Sends
    sends = SENT_IN_THEIR_OWN_WAY.get(socket_type, sends)
    probing = RoutingProbe if socket_type == zmq.ROUTER else Arming
    refusals: type[Refusals] = probing if probed else Waiting
    return sends(state, refusals(state))


def give_methods(state: SocketState, sends: Sends, receives: Receives) -> None:
    """Give a socket its ways to send and receive, and the functions made for it alone, around its counters."""
    state.sends, state.receives = sends, receives
    recv: Any = stamped_recv if state.takes_stamps else counting_recv
    if isinstance(receives, SequencedReceives):
        state.methods["_hopwatch_recv_now"] = receives.next
    else:
        state.methods["_hopwatch_recv_now"] = recv(state, receives)
    send = _send_of(state, sends)
    state.methods["_hopwatch_send_now"] = (
        _arming(state, sends, send) if isinstance(sends.refusals, Arming) else send
    )


def _arming(state: SocketState, sends: Sends, send: Sender) -> Sender:
    """``send`` of a socket that is to be probed from its first send on."""

    def arming_send(socket: Any, *arguments: Any) -> Any:
        if isinstance(sends.refusals, Arming):
            sends.refusals.arm(socket)
        state.give({"_hopwatch_send_now": send})
        return send(socket, *arguments)

    return arming_send


def _send_of(state: SocketState, sends: Sends) -> Sender:
    if isinstance(sends, SequencedSends):
        return sends.send
    stamps = isinstance(sends, StampingSends)
    if state.unrouted is not None and not stamps:
        return routing_send(state, sends, state.unrouted)
    if state.type_name in LOOKED_AT:
        return sends.send
    asks = not state.way.plain_flags and sends_ask_first(state.type_name)
    try_send = asking_send if asks else backend_send
    if stamps and state.numbering is not None:
        return stamping_send(state, sends, state.numbering, try_send)
    return counting_send(state, sends, try_send)
