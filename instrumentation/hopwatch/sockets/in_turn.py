"""REQ and REP, which receive and send in turn.

To libzmq, one of whose message the last frame was taken ahead is through with it, and may send. To the application, which has that frame
still to receive, it is not: sends are refused, and no question is answered with POLLOUT, as by a bare socket.
"""

from __future__ import annotations

from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.own_socket import OwnSocket
from hopwatch.sockets.state import SocketState
from hopwatch.sockets.ways import Methods

IN_TURN = {"REQ", "REP"}
TYPE = int(zmq.TYPE)
POLLOUT = int(zmq.POLLOUT)


def events_as_bare(state: SocketState, events: int) -> int:
    """Of these events, those that a bare socket would tell, or wait for, where a frame is held."""
    return events & ~POLLOUT if state.type_name in IN_TURN else events


def sending_in_turn(methods: Methods, state: SocketState) -> Methods:
    """``send`` of a socket that receives and sends in turn; of another one, what it was."""
    if state.type_name not in IN_TURN:
        return methods
    hot, incoming = methods["_hopwatch_send_now"], state.incoming

    def send(
        self: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        if incoming.held is not None:
            return refused(self, data, flags, copy, track, routing_id, group)
        return hot(self, data, flags, copy, track, routing_id, group)

    return {**methods, "_hopwatch_send_now": send}


def refused(socket: Any, *arguments: Any) -> Any:
    """Raises what a bare socket would: another one, whose turn it is not, is asked."""
    BackendSocket.get(socket, TYPE)  # which it may be too late for
    with zmq.Context() as context, OwnSocket(context, zmq.REP) as other:
        other.copy_threshold = socket.copy_threshold
        return other.send(*arguments)
