"""What libzmq says that a socket was bound or connected to."""

from __future__ import annotations

from typing import cast

import zmq
from zmq.backend import Socket as BackendSocket


def last_endpoint(socket: zmq.Socket[bytes]) -> str:
    """The last one; empty where there was none, or one of more than the 254 bytes that pyzmq has room for."""
    try:
        endpoint = cast(bytes, BackendSocket.get(socket, zmq.LAST_ENDPOINT))
    except zmq.ZMQError as error:
        if error.errno != zmq.EINVAL:
            raise
        return ""
    return endpoint.rstrip(b"\0").decode(errors="replace")
