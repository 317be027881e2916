"""The sockets that hopwatch makes for itself."""

import zmq


class OwnSocket(zmq.Socket[bytes]):
    """A socket of hopwatch's own: never instrumented, or ``install`` would instrument itself without end."""
