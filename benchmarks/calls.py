"""What one call costs: nanoseconds a send and a receive, over inproc, in one thread.

No network and no second thread takes part, so that the figures are those of the calls alone. Messages are
sent into an unlimited queue and then received from it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

import zmq
from variants import VARIANTS

MESSAGE = b"m" * 64
WARM_UP_CALLS = 2_000
"""hopwatch looks closer at a socket's first thousand."""


@dataclass(frozen=True)
class CallCost:
    """Medians over the rounds, in nanoseconds a call."""

    variant: str
    pattern: str
    send: float
    receive: float


def call_costs(variants: Iterable[str], rounds: int, calls: int) -> Iterator[CallCost]:
    """The variants take turns in each round, so that a slow moment of the machine hits all of them."""
    names = list(variants)
    for pattern, sender, receiver in (("PUSH/PULL", zmq.PUSH, zmq.PULL), ("PUB/SUB", zmq.PUB, zmq.SUB)):
        costs: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
        for _ in range(rounds):
            for name in names:
                costs[name].append(_one_round(name, sender, receiver, calls))
        for name in names:
            sends, receives = zip(*costs[name], strict=True)
            yield CallCost(name, pattern, median(sends), median(receives))


def _one_round(variant: str, sender_type: int, receiver_type: int, calls: int) -> tuple[float, float]:
    with _linked(sender_type, receiver_type) as (sender, receiver):
        send = VARIANTS[variant].sender(sender)
        receive = VARIANTS[variant].receiver(receiver)
        receiver.connect(_link(sender))
        if receiver_type == zmq.SUB:
            receiver.subscribe(b"")
            _wait_for_subscription(sender, receiver)
        for _ in range(WARM_UP_CALLS):
            send(MESSAGE)
        for _ in range(WARM_UP_CALLS):
            receive()
        started = time.perf_counter_ns()
        for _ in range(calls):
            send(MESSAGE)
        sent = time.perf_counter_ns()
        for _ in range(calls):
            receive()
        received = time.perf_counter_ns()
    return (sent - started) / calls, (received - sent) / calls


@contextmanager
def _linked(sender_type: int, receiver_type: int) -> Iterator[tuple[zmq.Socket[bytes], zmq.Socket[bytes]]]:
    with (
        zmq.Context() as context,
        context.socket(sender_type) as sender,
        context.socket(receiver_type) as receiver,
    ):
        for socket in (sender, receiver):
            socket.set_hwm(0)
        yield sender, receiver


def _link(sender: zmq.Socket[bytes]) -> str:
    endpoint = "inproc://calls"
    sender.bind(endpoint)
    return endpoint


def _wait_for_subscription(sender: zmq.Socket[bytes], receiver: zmq.Socket[bytes]) -> None:
    while not receiver.poll(1):
        sender.send(MESSAGE)
    while receiver.poll(10):
        receiver.recv()
