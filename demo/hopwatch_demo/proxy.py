"""A proxy between publishers and subscribers, until SIGTERM: ``python -m hopwatch_demo.proxy``.

Prints the endpoints to which publishers and subscribers connect.
"""

import signal
import sys
from types import FrameType

import hopwatch
import zmq


def leave(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(0)


def main() -> None:
    signal.signal(signal.SIGTERM, leave)
    context = zmq.Context()
    frontend = hopwatch.wrap(context.socket(zmq.XSUB), name="proxy-in")
    backend = hopwatch.wrap(context.socket(zmq.XPUB), name="proxy-out")
    backend.sndbuf = 8192  # small kernel buffers, or it takes minutes until they are full
    for socket in (frontend, backend):
        socket.bind("tcp://127.0.0.1:*")
        print(socket.getsockopt_string(zmq.LAST_ENDPOINT), flush=True)
    try:
        hopwatch.proxy(frontend, backend, name="proxy")
    finally:
        frontend.close()
        backend.close()
        context.term()


if __name__ == "__main__":
    main()
