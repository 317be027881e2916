"""The methods of an instrumented socket that send and receive: they leave all to what its state has for that.

What a call needs it takes from the state at its beginning: the socket may be unwrapped, closed or forked before the call ends.
"""

from collections.abc import Callable
from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.sockets.backend import RCVMORE, RCVTIMEO, RECEIVES_INTO, backend_get
from hopwatch.sockets.hooks import HookedSocket


class Worker(HookedSocket):
    """Sends and receives; of an asyncio or tornado socket that is the plain one within it."""

    _hopwatch_send_now: Callable[..., Any] | None
    _hopwatch_recv_now: Callable[..., Any] | None

    def send(
        self,
        data: Any,
        flags: int = 0,
        copy: bool = True,
        track: bool = False,
        routing_id: int | None = None,
        group: str | None = None,
    ) -> Any:
        """As ``zmq.Socket.send``."""
        try:
            send_now = self._hopwatch_send_now
        except AttributeError:
            send_now = None
        if send_now is None:  # somebody held on to this method, and the socket is wrapped no more
            return self.send(data, flags, copy, track, routing_id, group)
        return send_now(self, data, flags, copy, track, routing_id, group)

    def recv(self, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
        """As ``zmq.Socket.recv``."""
        try:
            recv_now = self._hopwatch_recv_now
        except AttributeError:
            recv_now = None
        if recv_now is None:
            return self.recv(flags, copy, track)
        return recv_now(self, flags, copy, track)

    def recv_multipart(self, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
        """As ``zmq.Socket.recv_multipart``."""
        state = self.__dict__.get("_hopwatch")
        if state is None:
            return self.recv_multipart(flags, copy, track)
        receives = state.receives
        is_replaced = "recv" in self.__dict__ or "getsockopt" in self.__dict__
        if receives is None or is_replaced or not getattr(self, "_hopwatch_direct", False):
            return zmq.Socket.recv_multipart(self, flags, copy, track)
        return receives.receive_whole(self, flags, copy, track)

    if RECEIVES_INTO:

        def recv_into(self, buffer: Any, /, *, nbytes: int = 0, flags: int = 0) -> int:
            """As ``zmq.Socket.recv_into``."""
            state = self.__dict__.get("_hopwatch")
            if state is None:
                return self.recv_into(buffer, nbytes=nbytes, flags=flags)
            receives = state.receives
            if receives is None:
                return int(BackendSocket.recv_into(self, buffer, nbytes=nbytes, flags=flags))
            return int(receives.receive_in(self, buffer, nbytes, flags))

    def get(self, option: int) -> Any:
        """As the bare socket's; what the application asks about more frames we need not ask."""
        state = self.__dict__.get("_hopwatch")
        if state is None:
            return self.get(option)
        value = backend_get(self, option)
        if option == RCVMORE and value and state.incoming.asked_sometimes:
            state.incoming.is_one_of_several()
        return state.without_stamp_room(option, value)

    getsockopt = get


class AskedByLoops(HookedSocket):
    """pyzmq's event loops ask three times a message, which needs no look; and for RCVTIMEO, which takes a third of a receive's time to find by its name."""

    get = getsockopt = BackendSocket.get

    rcvtimeo = property(
        lambda socket: BackendSocket.get(socket, RCVTIMEO),
        lambda socket, value: socket.set(RCVTIMEO, value),
    )
