"""A publisher, or a subscriber of it (``reader``) that goes as it is told: ``close``, ``exit``, ``disconnect``; ``connect``: it comes again;
``send-too-much``: for its publisher.

Events: ``ready ENDPOINT`` (of a subscriber: its first message has come), ``closed``, ``disconnected``, ``connected``, ``sent``.
"""

import ctypes
import sys
from argparse import ArgumentParser

import hopwatch
import zmq

PAUSE_MS = 5
QUIET_MS = 100
TOO_MUCH = b"x" * 1000


def say(*words: str) -> None:
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


def publish(socket: zmq.Socket) -> None:
    """Until stdin ends."""
    poller = zmq.Poller()
    poller.register(sys.stdin.fileno(), zmq.POLLIN)
    while not poller.poll(PAUSE_MS):
        socket.send(b"tick")
        socket.getsockopt(zmq.EVENTS)


def read(socket: zmq.Socket, endpoint: str) -> None:
    socket.recv()
    say("ready")
    for line in sys.stdin:
        command = line.strip()
        if command == "close":
            socket.close()
            say("closed")
        elif command == "disconnect":
            socket.disconnect(endpoint)
            while socket.poll(QUIET_MS):  # what had come by then is read before the connection goes
                socket.recv()
            say("disconnected")
        elif command == "connect":
            socket.connect(endpoint)
            socket.recv()
            say("connected")
        elif command == "send-too-much":
            socket.subscribe(TOO_MUCH)
            say("sent")
        elif command == "exit":
            ctypes.pythonapi.Py_IncRef(
                ctypes.py_object(socket)
            )  # else it is collected, and so closed, before the end
            sys.exit()


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("endpoint")
    parser.add_argument("--maxmsgsize", type=int, default=-1)
    parser.add_argument("--bare", action="store_true")
    settings = parser.parse_args()
    context = zmq.Context()
    socket = context.socket(zmq.PUB if settings.name == "source" else zmq.SUB)
    if not settings.bare:
        hopwatch.wrap(socket, name=settings.name, sequence="stamp")
    socket.maxmsgsize = settings.maxmsgsize
    if settings.name == "source":
        socket.bind(settings.endpoint)
        say("ready", socket.last_endpoint.decode())
        publish(socket)
    else:
        socket.subscribe(b"")
        socket.connect(settings.endpoint)
        read(socket, settings.endpoint)


if __name__ == "__main__":
    main()
