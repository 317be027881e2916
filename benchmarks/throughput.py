"""Messages per second over loopback TCP, sender and receiver each in a process of its own.

The receiver's clock runs from its first measured message to its last. Warm-up messages go before them
until the receiver has one, so that a subscription is in force before anything is measured.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

import zmq
from variants import VARIANTS

WARM_UP = b"w"
MEASURED = b"m"
WARM_UP_MESSAGES = 5_000
DEADLINE_SECONDS = 120.0


@dataclass(frozen=True)
class Load:
    """What is sent. A publisher's marks are unlimited, or it would drop; a PUSH waits, and keeps the defaults."""

    name: str
    sender_type: int
    receiver_type: int
    unlimited: bool
    size: int
    messages: int


def loads(messages: int) -> list[Load]:
    return [
        Load(name, sender, receiver, unlimited, size, messages)
        for name, sender, receiver, unlimited in (
            ("PUSH/PULL", zmq.PUSH, zmq.PULL, False),
            ("PUB/SUB", zmq.PUB, zmq.SUB, True),
        )
        for size in (64, 1024)
    ]


def messages_per_second(variant: str, load: Load) -> float:
    """One run in two fresh processes. Raises `RuntimeError` if one of them dies or they miss the deadline."""
    with _process(_send, variant, load) as sender, _process(_receive, variant, load) as receiver:
        receiver.send(_answer(sender, receiver))
        _answer(receiver, sender)
        sender.send("go")
        seconds = float(_answer(receiver, sender))
        sender.send("leave")
        return (load.messages - 1) / seconds


@contextmanager
def _process(
    target: Callable[[Connection, str, Load], None], variant: str, load: Load
) -> Iterator[Connection]:
    ours, theirs = multiprocessing.Pipe()
    process = SpawnProcess(target=target, args=(theirs, variant, load), daemon=True)
    process.start()
    theirs.close()
    try:
        yield ours
        process.join(DEADLINE_SECONDS)
    finally:
        process.kill()
        process.join()


def _answer(pipe: Connection, silent: Connection) -> str:
    ready = wait([pipe, silent], DEADLINE_SECONDS)
    if not ready:
        raise RuntimeError(f"the benchmark's processes said nothing for {DEADLINE_SECONDS:.0f} s")
    if silent in ready:
        raise RuntimeError("a benchmark process died; what it said is above")
    try:
        return str(pipe.recv())
    except EOFError as error:
        raise RuntimeError("a benchmark process died; what it said is above") from error


@contextmanager
def _socket(kind: int, load: Load) -> Iterator[zmq.Socket[bytes]]:
    with zmq.Context() as context, context.socket(kind) as socket:
        if load.unlimited:
            socket.set_hwm(0)
        yield socket


def _send(pipe: Connection, variant: str, load: Load) -> None:
    with _socket(load.sender_type, load) as socket:
        send = VARIANTS[variant].sender(socket)
        pipe.send(f"tcp://127.0.0.1:{socket.bind_to_random_port('tcp://127.0.0.1')}")
        warm_up = WARM_UP * load.size
        while not pipe.poll(0.001):
            send(warm_up)
        pipe.recv()
        for _ in range(WARM_UP_MESSAGES):
            send(warm_up)
        message = MEASURED * load.size
        for _ in range(load.messages):
            send(message)
        pipe.recv()


def _receive(pipe: Connection, variant: str, load: Load) -> None:
    with _socket(load.receiver_type, load) as socket:
        receive = VARIANTS[variant].receiver(socket)
        if load.receiver_type == zmq.SUB:
            socket.subscribe(b"")
        socket.connect(pipe.recv())
        receive()
        pipe.send("connected")
        while receive()[:1] == WARM_UP:
            pass
        started = time.perf_counter()
        for _ in range(load.messages - 1):
            receive()
        pipe.send(str(time.perf_counter() - started))
