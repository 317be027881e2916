"""Which way to send and receive a socket gets, by its type and by what was asked for."""

from __future__ import annotations

from functools import partial

import zmq

from hopwatch.sockets.counting import PartsSender, Sender, arming_send, counting_send, no_parts
from hopwatch.sockets.counting_receives import counting_recv
from hopwatch.sockets.hooks import HookedSocket
from hopwatch.sockets.in_turn import sending_in_turn
from hopwatch.sockets.looking import TimeLimited, looking_recv, looking_send
from hopwatch.sockets.numbering import Numbering
from hopwatch.sockets.parts import counting_parts, stamping_parts
from hopwatch.sockets.receiving import CountingReceive, LookingReceive
from hopwatch.sockets.refusals import Arming, Waiting
from hopwatch.sockets.routing import Routing, RoutingProbe, routing_send
from hopwatch.sockets.sending import CountingSend, StampingSend, StreamSend, SubscribingSend
from hopwatch.sockets.stamped_receiving import StampedReceive
from hopwatch.sockets.stamping import stamping_send
from hopwatch.sockets.state import SocketState
from hopwatch.sockets.taking_stamps import stamped_recv
from hopwatch.sockets.trying import asking_send, backend_send, sends_ask_first
from hopwatch.sockets.ways import Methods, Way

SENT_IN_THEIR_OWN_WAY: dict[int, type[HookedSocket]] = {zmq.XSUB: SubscribingSend, zmq.STREAM: StreamSend}


def parts_of(
    socket_type: zmq.SocketType, way: Way, *, stamps: bool, reads_stamps: bool, probed: bool
) -> tuple[type[HookedSocket], ...]:
    """The classes between ``zmq.Socket`` and the application's own, the first of them asked first."""
    sending: type[HookedSocket] = StampingSend if stamps else CountingSend
    sending = SENT_IN_THEIR_OWN_WAY.get(socket_type, sending)
    counts: type[HookedSocket] = LookingReceive if way.looks_ahead else CountingReceive
    receiving = StampedReceive if reads_stamps else counts
    refusals: type[HookedSocket] = Arming if probed else Waiting
    if socket_type == zmq.ROUTER:
        refusals = RoutingProbe if probed else Routing
    return (sending, refusals, receiving, *((TimeLimited,) if way.looks_ahead else ()))


def methods_of(state: SocketState, *, stamps: bool, reads_stamps: bool, probed: bool) -> Methods:
    """The functions made for this socket alone, around its counters."""
    words, way = state.slot.words, state.way
    plain = way.plain_flags
    numbering = state.numbering if stamps else None
    try_send = asking_send if not plain and sends_ask_first(state.type_name) else backend_send
    parts = _parts_sender(state, numbering, try_send)
    if numbering is None:
        sending = counting_send(words, state.first_calls, plain, parts, try_send)
    else:
        sending = stamping_send(words, state.first_calls, numbering, plain, parts, try_send)
    if state.unrouted is not None and numbering is None:
        sending = routing_send(words, state.first_calls, sending, state.unrouted, plain)
    if state.subscriptions is not None or state.type_name == "STREAM":
        sending = looking_send(sending)
    sending = sending_in_turn(sending, state)
    if reads_stamps:
        receiving = stamped_recv(words, state)
    elif way.looks_ahead:
        receiving = looking_recv(words)
    else:
        receiving = counting_recv(words, state.first_calls)
    arms = probed and state.unrouted is None
    return {**(arming_send(sending) if arms else sending), **receiving}


def _parts_sender(state: SocketState, numbering: Numbering | None, try_send: Sender) -> PartsSender:
    if state.type_name == "ROUTER":
        return no_parts
    if numbering is None:
        return partial(counting_parts, state, try_send)
    known = numbering.known_lane
    return no_parts if known is None else partial(stamping_parts, state, numbering, known, try_send)
