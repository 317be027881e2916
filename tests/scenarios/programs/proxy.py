"""An XSUB/XPUB proxy between publishers and subscribers, until SIGTERM. Event: ``ready FRONTEND BACKEND``."""

import signal
import sys
from argparse import ArgumentParser
from types import FrameType

import hopwatch
import zmq
from control import Control
from sockets import BARE


def run_proxy(frontend: zmq.Socket, backend: zmq.Socket, name: str) -> None:
    if BARE:
        zmq.proxy(frontend, backend)
    else:
        hopwatch.proxy(frontend, backend, name=name)


def wrap_side(socket: zmq.Socket, name: str) -> None:
    if not BARE:
        hopwatch.wrap(socket, name=name)


def leave(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(0)


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--name", default="proxy")
    parser.add_argument("--in-hwm", type=int, default=1000, help="RCVHWM towards the publishers")
    parser.add_argument("--out-hwm", type=int, default=1000, help="SNDHWM towards the subscribers")
    settings = parser.parse_args()
    signal.signal(signal.SIGTERM, leave)
    context = zmq.Context()
    frontend, backend = context.socket(zmq.XSUB), context.socket(zmq.XPUB)
    wrap_side(frontend, f"{settings.name}-in")
    wrap_side(backend, f"{settings.name}-out")
    frontend.rcvhwm, frontend.rcvbuf = settings.in_hwm, 4096
    backend.sndhwm, backend.sndbuf = settings.out_hwm, 4096
    frontend.bind("tcp://127.0.0.1:*")
    backend.bind("tcp://127.0.0.1:*")
    endpoints = [socket.getsockopt_string(zmq.LAST_ENDPOINT) for socket in (frontend, backend)]
    Control().say("ready", *endpoints)
    try:
        run_proxy(frontend, backend, settings.name)
    finally:
        frontend.close()
        backend.close()
        context.term()


if __name__ == "__main__":
    main()
