"""The hot path of sockets that look at each frame: an XSUB's subscriptions, and stamps that no receive may find alone."""

from __future__ import annotations

from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.journal.counters import Words
from hopwatch.sockets.backend import backend_recv
from hopwatch.sockets.counting import slow_send
from hopwatch.sockets.hooks import HookedSocket
from hopwatch.sockets.ways import Methods
from hopwatch.words import RECEIVED, RECEIVED_BYTES

RCVMORE = int(zmq.RCVMORE)
RCVTIMEO = int(zmq.RCVTIMEO)

Again = zmq.Again

backend_get = BackendSocket.get


def looking_send(methods: Methods) -> Methods:
    """``send`` of an XSUB: each frame may be a subscription, and is looked at."""
    return {**methods, "_hopwatch_send_now": slow_send}


def looking_recv(words: Words) -> Methods:
    """``recv`` of a socket that counts and never leaves a stamp for the next receive to find."""
    received = received_bytes = 0

    def recv(self: Any, flags: int, copy: bool, track: bool) -> Any:
        nonlocal received, received_bytes
        try:
            frame = backend_recv(self, flags, copy, track)
        except Again:
            self._hopwatch_count_refused_receive()
            raise
        if backend_get(self, RCVMORE) if copy else frame.more:
            self._hopwatch_look_ahead(frame)
        else:
            received += 1
            words[RECEIVED] = received
            received_bytes += len(frame)
            words[RECEIVED_BYTES] = received_bytes
        return frame

    def count_received(messages: int, size: int) -> None:
        nonlocal received, received_bytes
        received += messages
        words[RECEIVED] = received
        received_bytes += size
        words[RECEIVED_BYTES] = received_bytes

    return {"_hopwatch_recv_now": recv, "_hopwatch_count_received": count_received}


class TimeLimited(HookedSocket):
    """pyzmq's event loops ask for RCVTIMEO with each message, and find an attribute that is an option by its name in a third of a receive's time."""

    rcvtimeo = property(
        lambda socket: BackendSocket.get(socket, RCVTIMEO),
        lambda socket, value: socket.set(RCVTIMEO, value),
    )
