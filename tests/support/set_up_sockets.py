"""Sockets whose set-up is judged: what was found of them, and how much they hold."""

import time
from collections.abc import Callable
from contextlib import suppress

import hopwatch
import zmq

BODY = b"x" * 2000
LOOPBACK = "tcp://127.0.0.1:*"
NOWHERE = "tcp://127.0.0.1:1"


def rules(socket: zmq.Socket) -> list[str]:
    """The rules that found something, in their order."""
    return [finding.rule for finding in hopwatch.findings(socket)]


def bind_below_calling_ports(socket: zmq.Socket) -> int:
    """Bind to a port that the kernel gives to nobody who calls, so that it can be bound again."""
    return socket.bind_to_random_port("tcp://127.0.0.1", min_port=12_000, max_port=32_000)


def bind_once_free(socket: zmq.Socket, endpoint: str, until: Callable[[Callable[[], object]], None]) -> None:
    """Bind where another one was bound: libzmq ends its listener some time after its close()."""

    def is_bound() -> bool:
        try:
            socket.bind(endpoint)
        except zmq.ZMQError as error:
            if error.errno != zmq.EADDRINUSE:
                raise
            return False
        return True

    until(is_bound)


def bind(socket: zmq.Socket, endpoint: str = LOOPBACK) -> str:
    """Bind, and give the endpoint as libzmq resolved it."""
    socket.bind(endpoint)
    return socket.last_endpoint.decode()


def capacity(push: zmq.Socket, at_most: int = 100_000) -> int:
    """How many messages a sender is rid of while nobody reads."""
    sent = refused_in_a_row = 0
    while refused_in_a_row < 250 and sent < at_most:
        with suppress(zmq.Again):
            push.send(BODY, zmq.DONTWAIT)
            sent += 1
            refused_in_a_row = 0
            continue
        refused_in_a_row += 1
        time.sleep(0.001)  # a busy machine makes longer ones of these
    return sent
