"""The hot path of sockets that look at each frame: an XSUB's subscriptions, and stamps that no receive may find alone."""

from __future__ import annotations

from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.journal.counters import Words
from hopwatch.sockets.backend import backend_recv
from hopwatch.sockets.counting import Methods, Sender, recv_as_it_is_now, send_as_it_is_now, slow_send
from hopwatch.words import RECEIVED, RECEIVED_BYTES

ASKING = ("get", "getsockopt")
"""Each frame tells whether more follow: what the application asks needs no look. pyzmq's event loops ask three times a message."""

RCVMORE = int(zmq.RCVMORE)
RCVTIMEO = int(zmq.RCVTIMEO)
RECEIVE_TIME_LIMIT = property(
    lambda socket: BackendSocket.get(socket, RCVTIMEO), lambda socket, value: socket.set(RCVTIMEO, value)
)
"""pyzmq's event loops ask for it with each message, and find an attribute that is an option by its name in a third of a receive's time."""

Again = zmq.Again

backend_get = BackendSocket.get


def looking_send(methods: Methods) -> Methods:
    """``send`` of an XSUB: each frame may be a subscription, and is looked at."""

    def send(
        self: Any,
        data: Any,
        flags: int = 0,
        copy: bool = True,
        track: bool = False,
        routing_id: int | None = None,
        group: str | None = None,
    ) -> Any:
        """As ``zmq.Socket.send``."""
        return otherwise(self, data, flags, copy, track, routing_id, group)

    otherwise: Sender = slow_send

    def retire() -> None:
        nonlocal otherwise
        otherwise = send_as_it_is_now

    return {**methods, "send": send, "_hopwatch_retire_send": staticmethod(retire)}


def looking_recv(words: Words) -> Methods:
    """``recv`` of a socket that counts and never leaves a stamp for the next receive to find."""
    received = received_bytes = 0
    retired = False

    def recv(self: Any, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
        """As ``zmq.Socket.recv``."""
        nonlocal received, received_bytes
        if retired:
            return recv_as_it_is_now(self, flags, copy, track)
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

    def retire() -> None:
        nonlocal retired
        retired = True

    return {
        "recv": recv,
        **dict.fromkeys(ASKING, BackendSocket.get),
        "_hopwatch_count_received": staticmethod(count_received),
        "_hopwatch_retire_receive": staticmethod(retire),
    }
