"""A program that answers every request on a REP socket, or on a ROUTER: there a topic is the routing id of who asked.

Commands: ``close``. Events: ``ready ENDPOINT``, ``closed``.
"""

import sys
from argparse import ArgumentParser
from pathlib import Path

import zmq
from control import Control
from payload import decode
from sender import Sender
from sockets import add_socket_options, attach, open_socket
from truth_files import ReceivedNumbers


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--type", default="REP")
    parser.add_argument("--name", required=True)
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--size", type=int, default=200)
    add_socket_options(parser)
    settings = parser.parse_args()
    control = Control()
    context = zmq.Context()
    socket = open_socket(context, settings.type, settings.name, settings)
    numbers = ReceivedNumbers(settings.truth, settings.name)
    sender = Sender(socket, settings)
    control.say("ready", attach(socket, settings))
    poller = zmq.Poller()
    poller.register(socket, zmq.POLLIN)
    poller.register(sys.stdin.fileno(), zmq.POLLIN)
    while True:
        ready = dict(poller.poll())
        if socket in ready:
            frames = socket.recv_multipart()
            numbers.add(*decode(frames))
            sender.send(1, 0, [frames[0].decode() if settings.type == "ROUTER" else ""])
        if sys.stdin.fileno() in ready:
            break
    socket.close()
    context.term()
    control.say("closed")


if __name__ == "__main__":
    main()
