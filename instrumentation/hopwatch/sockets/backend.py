"""pyzmq's own functions, and what they raise where libzmq refuses: an ImportError in place of its errors while the interpreter takes its modules down.

Before 26.4 a receive asks the socket's ``get`` whether more frames follow; ours answers for the application.
"""

import sys
from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

ASKS_LIBZMQ_FROM = (26, 4)

DONTWAIT = int(zmq.DONTWAIT)
SNDMORE = int(zmq.SNDMORE)
RCVMORE = int(zmq.RCVMORE)
RCVTIMEO = int(zmq.RCVTIMEO)
MAXMSGSIZE = int(zmq.MAXMSGSIZE)
MANDATORY = int(zmq.ROUTER_MANDATORY)
EVENTS = int(zmq.EVENTS)
POLLIN = int(zmq.POLLIN)
POLLOUT = int(zmq.POLLOUT)
"""Flags and options as plain numbers: pyzmq's own are enumerations, which take longer to compare and combine."""

backend_send: Any = BackendSocket.send
backend_get = BackendSocket.get
backend_set = BackendSocket.set


class Bare:
    """Functions of ``zmq.Socket`` without our redirects, but with the patches of other libraries.

    ``unbound_calls.py`` keeps the functions that it replaces in ``__dict__``.
    """

    def __getattr__(self, name: str) -> Any:
        """Return a function that is not replaced."""
        return getattr(zmq.Socket, name)


BARE = Bare()


def recv_with_more(socket: Any, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
    """As the backend's; a frame's ``more`` is what libzmq says, and its asking is not taken for the application's."""
    if copy:
        return BackendSocket.recv(socket, flags, copy, track)
    state = vars(socket).get("_hopwatch")
    if state is None or not state.incoming.asked_sometimes:
        frame = BackendSocket.recv(socket, flags, copy, track)
    else:
        state.incoming.asked_sometimes = False
        try:
            frame = BackendSocket.recv(socket, flags, copy, track)
        finally:
            state.incoming.asked_sometimes = True
    frame.more = bool(BackendSocket.get(socket, RCVMORE))
    return frame


backend_recv: Any = BackendSocket.recv if zmq.pyzmq_version_info()[:2] >= ASKS_LIBZMQ_FROM else recv_with_more

RECEIVES_INTO = hasattr(BackendSocket, "recv_into")
"""Whether this pyzmq has ``recv_into``: an application may ask a socket whether it has."""

REFUSED = (zmq.Again, ImportError)
FAILED = (zmq.ZMQError, ImportError)


def is_refusal(error: Exception) -> bool:
    """Whether one of ``REFUSED`` stands for EAGAIN."""
    return isinstance(error, zmq.Again) or errno_of(error) == zmq.EAGAIN


def errno_of(error: Exception) -> int | None:
    """The number that libzmq gave for one of ``FAILED``; None where it is no error of libzmq's."""
    if isinstance(error, zmq.ZMQError):
        return error.errno
    return zmq.zmq_errno() if sys.is_finalizing() else None
