"""A program that sends numbered messages on one socket (PUB, PUSH, PAIR, DEALER, ROUTER: there a topic is a routing id), as commanded.

Commands: ``send COUNT EVERY_SECONDS [TOPIC ...]`` (topics in turn; 0 seconds: as fast as possible), ``await-subscriptions N``,
``size BYTES`` (of the messages from here on), ``close``. Events: ``ready ENDPOINT``, ``sent REFUSED`` (how many so far, with
``--dontwait``), ``subscribed``, ``sized``, ``closed``.
"""

import time
from argparse import ArgumentParser, Namespace
from itertools import cycle, islice
from pathlib import Path

import zmq
from control import Control
from payload import encode
from sockets import add_socket_options, attach, open_socket, subscriptions_arrived
from truth_files import SentCounts
from waiting import wait

SUBSCRIPTION_DEADLINE = 60.0


class Sender:
    def __init__(self, socket: zmq.Socket, settings: Namespace, *, wait: bool = True) -> None:
        self._socket = socket
        self._name: str = settings.name
        self.size: int = settings.size
        self._flags = 0 if wait else zmq.DONTWAIT
        self._counts = SentCounts(settings.truth, settings.name)
        self.refused = 0

    def send(self, count: int, every: float, topics: list[str]) -> None:
        for topic in islice(cycle(topics), count):
            number = self._counts.next_number(topic)
            try:
                self._socket.send_multipart(encode(self._name, topic, number, self.size), self._flags)
            except zmq.Again:
                self.refused += 1
            else:
                self._counts.add(topic)
            if every:
                wait(every)

    def await_subscriptions(self, count: int) -> None:
        deadline = time.monotonic() + SUBSCRIPTION_DEADLINE
        while subscriptions_arrived(self._socket) < count:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{subscriptions_arrived(self._socket)} of {count} subscriptions came")
            wait(0.002)


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--type", default="PUB")
    parser.add_argument("--name", required=True)
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--size", type=int, default=200)
    parser.add_argument("--dontwait", action="store_true", help="let go what is refused")
    add_socket_options(parser)
    settings = parser.parse_args()
    control = Control()
    context = zmq.Context()
    socket = open_socket(context, settings.type, settings.name, settings)
    sender = Sender(socket, settings, wait=not settings.dontwait)
    control.say("ready", attach(socket, settings))
    for command, *arguments in control.commands():
        if command == "send":
            count, every, *topics = arguments
            sender.send(int(count), float(every), topics or [""])
            control.say("sent", sender.refused)
        elif command == "await-subscriptions":
            sender.await_subscriptions(int(arguments[0]))
            control.say("subscribed")
        elif command == "size":
            sender.size = int(arguments[0])
            control.say("sized")
    socket.close()
    context.term()
    control.say("closed")


if __name__ == "__main__":
    main()
