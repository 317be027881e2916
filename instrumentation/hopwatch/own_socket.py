"""The contexts and sockets that hopwatch makes for itself."""

import os
from contextlib import ExitStack

import zmq

PIPES_OF_A_CONTEXT = 8
"""A context with two sockets takes fewer than the sixteen descriptors of these."""


class OwnSocket(zmq.Socket[bytes]):
    """A socket of hopwatch's own: never instrumented, or ``install`` would instrument itself without end."""


def own_context() -> "zmq.Context[zmq.Socket[bytes]]":
    """Return a new context. Raises OSError if it could not have all descriptors that it may need: libzmq would end the process."""
    with ExitStack() as opened:
        for _ in range(PIPES_OF_A_CONTEXT):
            for descriptor in os.pipe2(os.O_CLOEXEC):
                opened.callback(os.close, descriptor)
    return zmq.Context()
