"""A program that asks a REP socket question after question.

Commands: ``ask COUNT``, ``send COUNT`` (without waiting for answers), ``close``. Events: ``ready``, ``asked``, ``sent``, ``closed``.
"""

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
    parser.add_argument("--name", required=True)
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--size", type=int, default=200)
    parser.add_argument("--relaxed", action="store_true", help="may ask anew before it is answered")
    add_socket_options(parser)
    settings = parser.parse_args()
    control = Control()
    context = zmq.Context()
    socket = open_socket(context, "REQ", settings.name, settings)
    if settings.relaxed:
        socket.setsockopt(zmq.REQ_RELAXED, 1)
        socket.setsockopt(zmq.REQ_CORRELATE, 1)
    numbers = ReceivedNumbers(settings.truth, settings.name)
    sender = Sender(socket, settings)
    attach(socket, settings)
    control.say("ready")
    for command, count in control.commands():
        for _ in range(int(count)):
            sender.send(1, 0, [""])
            if command == "ask":
                numbers.add(*decode(socket.recv_multipart()))
        control.say("asked" if command == "ask" else "sent")
    socket.close()
    context.term()
    control.say("closed")


if __name__ == "__main__":
    main()
