"""A program that receives numbered messages on one socket (SUB, PULL, PAIR, DEALER), at a pace of its own.

Commands: ``pause``, ``resume``, ``finish`` (receive until nothing has come for a while), ``subscribe TOPIC``, ``send COUNT`` (messages of
its own, where the socket sends as well), ``eat`` (all memory there is), ``close``.
Events: ``ready ENDPOINT``, ``first`` (message received), ``paused``, ``finished``, ``subscribed``, ``sent``, ``closed``.
"""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

import zmq
from control import CLOSE, Control
from payload import decode, encode
from sockets import add_socket_options, attach, open_socket
from truth_files import ReceivedNumbers, SentCounts
from waiting import wait

QUIET_MS = 700
SENT_BYTES = 200
MEGABYTE = 1_000_000


class Receiver:
    def __init__(self, socket: zmq.Socket, control: Control, settings: Namespace) -> None:
        self._socket = socket
        self._control = control
        self._delay: float = settings.delay
        self._pause_after: int | None = settings.pause_after
        self._name: str = settings.name
        self._numbers = ReceivedNumbers(settings.truth, settings.name)
        self._sent = SentCounts(settings.truth, settings.name)
        self._received = 0
        self._paused = False

    def run(self) -> None:
        """Receive until told to close."""
        poller = zmq.Poller()
        poller.register(sys.stdin.fileno(), zmq.POLLIN)
        while True:
            poller.register(self._socket, 0 if self._paused else zmq.POLLIN)
            ready = dict(poller.poll())
            if self._socket in ready:
                self._receive()
            if sys.stdin.fileno() in ready:
                for command in self._control.arrived():
                    if command == CLOSE:
                        return
                    self._obey(command)

    def _obey(self, command: list[str]) -> None:
        if command == ["pause"]:
            self._pause()
        elif command == ["resume"]:
            self._paused = False
        elif command == ["eat"]:
            eaten = []
            while True:
                eaten.append(b"x" * MEGABYTE)
        elif command[0] == "subscribe":
            self._socket.subscribe(command[1].encode())
            self._control.say("subscribed")
        elif command[0] == "send":
            self._send(int(command[1]))
        elif command == ["finish"]:
            self._paused = False
            while self._socket.poll(QUIET_MS):
                self._receive()
            self._control.say("finished")

    def _send(self, count: int) -> None:
        for _ in range(count):
            number = self._sent.next_number("")
            self._socket.send_multipart(encode(self._name, "", number, SENT_BYTES))
            self._sent.add("")
        self._control.say("sent")

    def _pause(self) -> None:
        self._paused = True
        self._control.say("paused")

    def _receive(self) -> None:
        sender, topic, number = decode(self._socket.recv_multipart())
        self._numbers.add(sender, topic, number)
        self._received += 1
        if self._received == 1:
            self._control.say("first")
        if self._received == self._pause_after:
            self._pause()
        if self._delay:
            wait(self._delay)


def subscribe(socket: zmq.Socket, settings: Namespace) -> None:
    """Subscribe as told, and last to a topic that nobody sends: its arrival tells the PUB of this subscriber.

    Of what a conflating one subscribes to, the PUB hears of the last alone.
    """
    for topic in settings.subscribe:
        socket.subscribe(topic.encode())
    if not settings.conflate:
        socket.subscribe(f"~{settings.name}".encode())


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--type", default="SUB")
    parser.add_argument("--name", required=True)
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--subscribe", action="append", default=[])
    parser.add_argument("--delay", type=float, default=0.0, help="seconds that each message takes")
    parser.add_argument("--routing-id", help="that a ROUTER knows this receiver by")
    parser.add_argument("--pause-after", type=int, help="messages after which to stop reading")
    add_socket_options(parser)
    settings = parser.parse_args()
    control = Control()
    context = zmq.Context()
    socket = open_socket(context, settings.type, settings.name, settings)
    receiver = Receiver(socket, control, settings)
    if settings.routing_id is not None:
        socket.setsockopt_string(zmq.ROUTING_ID, settings.routing_id)
    if settings.type == "SUB":
        subscribe(socket, settings)
    control.say("ready", attach(socket, settings))
    receiver.run()
    socket.close()
    context.term()
    control.say("closed")


if __name__ == "__main__":
    main()
