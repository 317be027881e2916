"""Sockets whose set-up is judged: what was found of them, and how much they hold."""

import time
from contextlib import suppress

import hopwatch
import zmq

BODY = b"x" * 2000
LOOPBACK = "tcp://127.0.0.1:*"
NOWHERE = "tcp://127.0.0.1:1"


def rules(socket: zmq.Socket) -> list[str]:
    """The rules that found something, in their order."""
    return [finding.rule for finding in hopwatch.findings(socket)]


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
