"""A socket's set-up, as libzmq says at the moment that it is wrapped."""

from collections.abc import Mapping
from typing import cast

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.rules.setup import Kind, SetUp
from hopwatch.sockets.state import Guard, SocketState

PUBLISHERS = (zmq.PUB, zmq.XPUB)
JUDGED_OPTIONS = ("sndhwm", "rcvhwm", "linger", "conflate")
JOURNALED_OPTIONS = {
    name: int(getattr(zmq, name.upper()))
    for name in (*JUDGED_OPTIONS, "sndbuf", "rcvbuf", "immediate", "maxmsgsize", "reconnect_ivl")
}


def options_of(socket: "zmq.Socket[bytes]") -> dict[str, int]:
    """The options that are journaled with a socket, as they are now."""
    return {name: cast(int, BackendSocket.get(socket, number)) for name, number in JOURNALED_OPTIONS.items()}


def options_of_new(
    socket: "zmq.Socket[bytes]", socket_type: int, known: dict[int, dict[str, int]]
) -> dict[str, int]:
    """The same of a socket that was just made: libzmq gives each of a type the same, but for what its context decides."""
    if getattr(socket.context, "sockopts", None):
        return options_of(socket)
    if socket_type not in known:
        known[socket_type] = options_of(socket)
    return {**known[socket_type], "linger": cast(int, BackendSocket.get(socket, zmq.LINGER))}


def set_up_of(
    socket: "zmq.Socket[bytes]",
    socket_type: zmq.SocketType,
    journaled: Mapping[str, int],
    *,
    probed: bool,
) -> SetUp:
    """What can be asked of a socket that was set up before it was wrapped; a ROUTER is probed if ROUTER_MANDATORY is known to be off, a PUB or
    XPUB if XPUB_NODROP is.
    """
    options = {name: journaled[name] for name in JUDGED_OPTIONS}
    if probed and socket_type == zmq.ROUTER:
        options["router_mandatory"] = 0
    if probed and socket_type in PUBLISHERS:
        options["xpub_nodrop"] = 0
    given = getattr(socket.context, "sockopts", {})
    inherited = {
        name: given[number]
        for name in JUDGED_OPTIONS
        if (number := JOURNALED_OPTIONS[name]) in given and isinstance(given[number], int)
    }
    return SetUp(socket_type.name, zmq.zmq_version_info(), options, inherited)


def last_endpoint(socket: "zmq.Socket[bytes]") -> str:
    """The last one; empty where there was none, or one of more than the 254 bytes that pyzmq has room for."""
    try:
        endpoint = cast(bytes, BackendSocket.get(socket, zmq.LAST_ENDPOINT))
    except zmq.ZMQError as error:
        if error.errno != zmq.EINVAL:
            raise
        return ""
    return endpoint.rstrip(b"\0").decode(errors="replace")


def look_at_wrapped(state: SocketState, endpoint: str) -> None:
    """The first look at a set-up; ``endpoint``: the last one it was bound or connected to before, if any."""
    with Guard(state):
        if state.setup is not None and state.setup.option("conflate") == 1:
            state.conflates()
        state.consider(Kind.WRAPPED, endpoint)
