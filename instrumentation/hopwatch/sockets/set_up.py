"""A socket's set-up at the moment that it is wrapped."""

from typing import cast

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.rules.setup import Kind, SetUp
from hopwatch.sockets.hooks import HookedSocket
from hopwatch.sockets.state import Guard, SocketState

JUDGED_OPTIONS = ("SNDHWM", "RCVHWM", "LINGER", "CONFLATE")


def set_up_of(socket: "zmq.Socket[bytes]", socket_type: zmq.SocketType) -> SetUp:
    """What can be asked of a socket that was set up before it was wrapped."""
    options = {
        name.lower(): cast(int, BackendSocket.get(socket, getattr(zmq, name))) for name in JUDGED_OPTIONS
    }
    return SetUp(socket_type.name, zmq.zmq_version_info(), options)


def look_at_wrapped(socket: HookedSocket, state: SocketState) -> None:
    """The first look at a set-up."""
    with Guard(state):
        if state.setup is not None and state.setup.option("conflate") == 1:
            socket._hopwatch_conflate()
        state.consider(Kind.WRAPPED)
