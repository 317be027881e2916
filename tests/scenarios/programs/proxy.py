"""A proxy, XSUB/XPUB or of other types, until SIGTERM. Event: ``ready FRONTEND BACKEND``."""

import signal
import sys
from argparse import ArgumentParser
from types import FrameType

import hopwatch
import zmq
from control import Control
from sockets import BARE, marked, subscriptions_arrived
from waiting import wait

ANYWHERE = "tcp://127.0.0.1:*"


def run_proxy(frontend: zmq.Socket, backend: zmq.Socket, name: str, *, dark: bool) -> None:
    if dark:
        zmq.proxy(frontend, backend)
    else:
        hopwatch.proxy(frontend, backend, name=marked(name))


def leave(_signal: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it comes again until this has ended
    sys.exit(0)


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--name", default="proxy")
    parser.add_argument("--in-hwm", type=int, default=1000, help="RCVHWM towards the publishers")
    parser.add_argument("--out-hwm", type=int, default=1000, help="SNDHWM towards the subscribers")
    parser.add_argument("--types", nargs=2, default=["XSUB", "XPUB"], metavar=("FRONTEND", "BACKEND"))
    parser.add_argument("--bind", nargs=2, default=[ANYWHERE, ANYWHERE], metavar=("FRONTEND", "BACKEND"))
    parser.add_argument("--upstream", help="what the frontend connects to, besides being bound")
    parser.add_argument("--dark", action="store_true", help="without instrumentation")
    parser.add_argument(
        "--await-subscriptions", type=int, help="to so many topics, before publishers find it"
    )
    settings = parser.parse_args()
    dark = BARE or settings.dark
    signal.signal(signal.SIGTERM, leave)
    context = zmq.Context()
    frontend, backend = (context.socket(getattr(zmq, kind)) for kind in settings.types)
    if not dark:
        hopwatch.wrap(frontend, name=marked(f"{settings.name}-in"))
        hopwatch.wrap(backend, name=marked(f"{settings.name}-out"))
    frontend.rcvhwm, frontend.rcvbuf = settings.in_hwm, 4096
    backend.sndhwm, backend.sndbuf = settings.out_hwm, 4096
    backend.bind(settings.bind[1])
    while settings.await_subscriptions and subscriptions_arrived(backend) < settings.await_subscriptions:
        wait(0.002)
    frontend.bind(settings.bind[0])
    endpoints = [socket.getsockopt_string(zmq.LAST_ENDPOINT) for socket in (frontend, backend)]
    if settings.upstream is not None:
        frontend.connect(settings.upstream)
    Control().say("ready", *endpoints)
    try:
        run_proxy(frontend, backend, settings.name, dark=dark)
    finally:
        frontend.close()
        backend.close()
        context.term()


if __name__ == "__main__":
    main()
