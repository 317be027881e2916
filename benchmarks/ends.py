"""What the two processes of a run do: each makes its socket, says when it is ready, and sends or receives.

Warm-up messages go before the measured ones, until the receiver has one, so that a subscription is in force by then.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

import zmq
import zmq.asyncio
from load import SENDER, Load
from variants import BARE, VARIANTS

WARM_UP = b"w"
MEASURED = b"m"
LAST = b"last"
WARM_UP_MESSAGES = 5_000


def send(pipe: Connection, variant: str, load: Load) -> None:
    """Send all messages; says its endpoint, and by its own clock how many seconds it took."""
    if load.asyncio:
        asyncio.run(_send_async(pipe, variant, load))
    else:
        _send(pipe, variant, load)


def receive(pipe: Connection, variant: str, load: Load) -> None:
    """Receive all messages; says that it is connected, and by its own clock how many seconds it took."""
    if load.bound == SENDER:
        _drain(pipe, load)
    elif load.asyncio:
        asyncio.run(_receive_async(pipe, variant, load))
    else:
        _receive(pipe, variant, load)


@contextmanager
def _socket(kind: int, load: Load) -> Iterator[zmq.Socket[bytes]]:
    context = zmq.asyncio.Context() if load.asyncio else zmq.Context()
    with context, context.socket(kind) as socket:
        if load.unlimited:
            socket.set_hwm(0)
        yield socket


def _send(pipe: Connection, variant: str, load: Load) -> None:
    with _socket(load.sender_type, load) as socket:
        send_one = VARIANTS[variant].sender(socket)
        pipe.send(f"tcp://127.0.0.1:{socket.bind_to_random_port('tcp://127.0.0.1')}")
        warm_up, message = WARM_UP * load.size, MEASURED * load.size
        while not pipe.poll(0.001):
            send_one(warm_up)
        pipe.recv()
        for _ in range(WARM_UP_MESSAGES):
            send_one(warm_up)
        started = time.perf_counter()
        for _ in range(load.messages):
            send_one(message)
        pipe.send(str(time.perf_counter() - started))
        send_one(LAST)
        pipe.recv()


async def _send_async(pipe: Connection, variant: str, load: Load) -> None:
    with _socket(load.sender_type, load) as socket:
        send_one = VARIANTS[variant].sender(socket)
        pipe.send(f"tcp://127.0.0.1:{socket.bind_to_random_port('tcp://127.0.0.1')}")
        warm_up, message = WARM_UP * load.size, MEASURED * load.size
        while not pipe.poll(0.001):
            await send_one(warm_up)
        pipe.recv()
        started = time.perf_counter()
        for _ in range(load.messages):
            await send_one(message)
        pipe.send(str(time.perf_counter() - started))
        await send_one(LAST)
        pipe.recv()


def _receive(pipe: Connection, variant: str, load: Load) -> None:
    with _socket(load.receiver_type, load) as socket:
        receive_one = VARIANTS[variant].receiver(socket)
        _connect(socket, pipe, load)
        receive_one()
        pipe.send("connected")
        while receive_one()[:1] == WARM_UP:
            pass
        started = time.perf_counter()
        for _ in range(load.messages - 1):
            receive_one()
        pipe.send(str(time.perf_counter() - started))


async def _receive_async(pipe: Connection, variant: str, load: Load) -> None:
    with _socket(load.receiver_type, load) as socket:
        receive_one = VARIANTS[variant].receiver(socket)
        _connect(socket, pipe, load)
        await receive_one()
        pipe.send("connected")
        while (await receive_one())[:1] == WARM_UP:
            pass
        started = time.perf_counter()
        for _ in range(load.messages - 1):
            await receive_one()
        pipe.send(str(time.perf_counter() - started))


def _drain(pipe: Connection, load: Load) -> None:
    """Receive, bare, until the last message, whatever frames come."""
    with zmq.Context() as context, context.socket(load.receiver_type) as socket:
        socket.set_hwm(0)
        receive_one = VARIANTS[BARE].receiver(socket)
        _connect(socket, pipe, load)
        receive_one()
        pipe.send("connected")
        while receive_one() != LAST:
            pass
        pipe.send("drained")


def _connect(socket: zmq.Socket[bytes], pipe: Connection, load: Load) -> None:
    if load.receiver_type == zmq.SUB:
        socket.subscribe(b"")
    socket.connect(pipe.recv())
