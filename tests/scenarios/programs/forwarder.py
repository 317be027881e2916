"""An application between two hops: it receives on a SUB and sends a message of its own on a PUB for each.

Commands: ``await-subscriptions N``, ``finish`` (until nothing has come for a while), ``close``.
Events: ``ready ENDPOINT``, ``subscribed``, ``finished``, ``closed``.
"""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

import zmq
from control import CLOSE, Control
from payload import decode
from receiver import QUIET_MS, subscribe
from sender import Sender
from sockets import add_socket_options, attach, open_socket
from truth_files import ReceivedNumbers


class Forwarder:
    def __init__(self, source: zmq.Socket, sender: Sender, settings: Namespace) -> None:
        self._source = source
        self._sender = sender
        self._numbers = ReceivedNumbers(settings.truth, f"{settings.name}-in")

    def forward(self) -> None:
        sender, topic, number = decode(self._source.recv_multipart())
        self._numbers.add(sender, topic, number)
        self._sender.send(1, 0, [""])

    def finish(self) -> None:
        while self._source.poll(QUIET_MS):
            self.forward()


def run(control: Control, source: zmq.Socket, forwarder: Forwarder, sender: Sender) -> None:
    poller = zmq.Poller()
    poller.register(source, zmq.POLLIN)
    poller.register(sys.stdin.fileno(), zmq.POLLIN)
    while True:
        ready = dict(poller.poll())
        if source in ready:
            forwarder.forward()
        if sys.stdin.fileno() not in ready:
            continue
        for command in control.arrived():
            if command == CLOSE:
                return
            if command[0] == "await-subscriptions":
                sender.await_subscriptions(int(command[1]))
                control.say("subscribed")
            elif command == ["finish"]:
                forwarder.finish()
                control.say("finished")


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--name", required=True, help="the sockets are NAME-in and NAME-out")
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--size", type=int, default=200)
    parser.add_argument("--subscribe", action="append", default=[""])
    parser.add_argument("--from", dest="source", required=True)
    add_socket_options(parser)
    settings = parser.parse_args()
    control = Control()
    context = zmq.Context()
    source = open_socket(context, "SUB", f"{settings.name}-in", settings)
    target = open_socket(context, "PUB", f"{settings.name}-out", settings)
    sender = Sender(target, Namespace(**{**vars(settings), "name": f"{settings.name}-out"}))
    endpoint = attach(target, settings)
    subscribe(source, settings)
    source.connect(settings.source)
    control.say("ready", endpoint)
    run(control, source, Forwarder(source, sender, settings), sender)
    source.close()
    target.close()
    context.term()
    control.say("closed")


if __name__ == "__main__":
    main()
