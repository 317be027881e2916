"""A PUB and a SUB in one process and one thread, over inproc: NAME-out sends to NAME-in.

Commands: ``send COUNT READ_EVERY`` (one message is read after so many sent, if one waits), ``finish`` (reads what waits), ``close``.
Events: ``ready``, ``sent``, ``finished``, ``closed``.
"""

from argparse import ArgumentParser, Namespace
from pathlib import Path

import zmq
from control import Control
from payload import decode
from sender import Sender
from sockets import add_socket_options, open_socket
from truth_files import ReceivedNumbers

ENDPOINT = "inproc://quotes"


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--name", required=True)
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--size", type=int, default=200)
    add_socket_options(parser)
    settings = parser.parse_args()
    control = Control()
    context = zmq.Context()
    target = open_socket(context, "PUB", f"{settings.name}-out", settings)
    source = open_socket(context, "SUB", f"{settings.name}-in", settings)
    target.bind(ENDPOINT)
    source.connect(ENDPOINT)
    source.subscribe(b"")
    sender = Sender(target, Namespace(**{**vars(settings), "name": f"{settings.name}-out"}))
    sender.await_subscriptions(1)
    numbers = ReceivedNumbers(settings.truth, f"{settings.name}-in")
    control.say("ready")
    for command, *arguments in control.commands():
        if command == "send":
            count, read_every = map(int, arguments)
            for number in range(count):
                sender.send(1, 0, [""])
                if number % read_every == 0 and source.poll(0):
                    numbers.add(*decode(source.recv_multipart()))
            control.say("sent")
        elif command == "finish":
            while source.poll(0):
                numbers.add(*decode(source.recv_multipart()))
            control.say("finished")
    target.close()
    source.close()
    context.term()
    control.say("closed")


if __name__ == "__main__":
    main()
