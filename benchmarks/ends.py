"""What the two processes of a run do: each makes two sockets, a bare and a counted one, and uses the one whose turn it is.

A turn sends warm-up messages before the measured ones. The first warm-up messages of all go until the receiver has one,
so that a subscription is in force by then.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

import zmq
import zmq.asyncio
from load import SENDER, Load
from variants import BARE, VARIANTS

BARE_SIDE, COUNTED_SIDE = "bare", "counted"
SIDES = (BARE_SIDE, COUNTED_SIDE)
END = "end"

WARM_UP = b"w"
MEASURED = b"m"
LAST = b"last"
WARM_UP_MESSAGES = 500

MEASURED_CORE, OTHER_CORE = 0, 1
CORES = frozenset(os.sched_getaffinity(0))


def send(pipe: Connection, variant: str, load: Load) -> None:
    """Send in turns, and say by the own clock how many seconds each took."""
    if load.bound == SENDER:
        stay_on(OTHER_CORE)
    with _sockets(load.sender_type, load) as sockets:
        senders = {
            side: VARIANTS[name].sender(socket)
            for (side, name), socket in zip(_names(variant), sockets, strict=True)
        }
        pipe.send(" ".join(_bound(socket) for socket in sockets))
        if load.bound == SENDER:
            stay_on(MEASURED_CORE)  # the context's threads stay where they were begun
        if load.asyncio:
            asyncio.run(_send_async(pipe, senders, load))
        else:
            _send(pipe, senders, load)


def receive(pipe: Connection, variant: str, load: Load) -> None:
    """Receive in turns, and say by the own clock how many seconds each took."""
    bare = load.bound == SENDER
    if bare:
        stay_on(OTHER_CORE)
    with _sockets(load.receiver_type, load, bare=bare) as sockets:
        receivers = {
            side: VARIANTS[BARE if bare else name].receiver(socket)
            for (side, name), socket in zip(_names(variant), sockets, strict=True)
        }
        for socket, endpoint in zip(sockets, pipe.recv().split(), strict=True):
            if load.receiver_type == zmq.SUB:
                socket.subscribe(b"")
            socket.connect(endpoint)
        if load.asyncio and not bare:
            asyncio.run(_receive_async(pipe, receivers, load))
        elif bare:
            _drain(pipe, receivers)
        else:
            _receive(pipe, receivers, load)


def stay_on(core: int) -> None:
    """Run this thread, and those that it begins, on one core: where the sender alone is measured, it has one to itself."""
    cores = sorted(CORES)
    os.sched_setaffinity(0, {cores[core % len(cores)]})


def _names(variant: str) -> list[tuple[str, str]]:
    return [(BARE_SIDE, BARE), (COUNTED_SIDE, variant)]


@contextmanager
def _sockets(kind: int, load: Load, *, bare: bool = False) -> Iterator[list[zmq.Socket[bytes]]]:
    context: Any = zmq.asyncio.Context() if load.asyncio and not bare else zmq.Context()
    with context, context.socket(kind) as first, context.socket(kind) as second:
        for socket in (first, second):
            if load.unlimited or bare:
                socket.set_hwm(0)
        yield [first, second]


def _bound(socket: zmq.Socket[bytes]) -> str:
    return f"tcp://127.0.0.1:{socket.bind_to_random_port('tcp://127.0.0.1')}"


def _send(pipe: Connection, senders: dict[str, Any], load: Load) -> None:
    warm_up, message = WARM_UP * load.size, MEASURED * load.size
    for send_one in senders.values():
        while not pipe.poll(0.001):
            send_one(warm_up)
        pipe.recv()
        send_one(LAST)
    while (side := pipe.recv()) != END:
        send_one = senders[side]
        for _ in range(WARM_UP_MESSAGES):
            send_one(warm_up)
        started = time.perf_counter()
        for _ in range(load.messages):
            send_one(message)
        took = time.perf_counter() - started
        send_one(LAST)
        pipe.send(str(took))


async def _send_async(pipe: Connection, senders: dict[str, Any], load: Load) -> None:
    warm_up, message = WARM_UP * load.size, MEASURED * load.size
    for send_one in senders.values():
        while not pipe.poll(0.001):
            await send_one(warm_up)
        pipe.recv()
        await send_one(LAST)
    while (side := pipe.recv()) != END:
        send_one = senders[side]
        for _ in range(WARM_UP_MESSAGES):
            await send_one(warm_up)
        started = time.perf_counter()
        for _ in range(load.messages):
            await send_one(message)
        took = time.perf_counter() - started
        await send_one(LAST)
        pipe.send(str(took))


def _receive(pipe: Connection, receivers: dict[str, Any], load: Load) -> None:
    for receive_one in receivers.values():
        receive_one()
        pipe.send("connected")
        while receive_one() != LAST:
            pass
    while (side := pipe.recv()) != END:
        receive_one = receivers[side]
        pipe.send("ready")
        while receive_one()[:1] == WARM_UP:
            pass
        started = time.perf_counter()
        for _ in range(load.messages - 1):
            receive_one()
        took = time.perf_counter() - started
        receive_one()
        pipe.send(str(took))


async def _receive_async(pipe: Connection, receivers: dict[str, Any], load: Load) -> None:
    for receive_one in receivers.values():
        await receive_one()
        pipe.send("connected")
        while await receive_one() != LAST:
            pass
    while (side := pipe.recv()) != END:
        receive_one = receivers[side]
        pipe.send("ready")
        while (await receive_one())[:1] == WARM_UP:
            pass
        started = time.perf_counter()
        for _ in range(load.messages - 1):
            await receive_one()
        took = time.perf_counter() - started
        await receive_one()
        pipe.send(str(took))


def _drain(pipe: Connection, receivers: dict[str, Any]) -> None:
    """Receive until the last message of each turn, whatever frames come."""
    for receive_one in receivers.values():
        receive_one()
        pipe.send("connected")
        while not receive_one().startswith(LAST):
            pass
    while (side := pipe.recv()) != END:
        pipe.send("ready")
        started = time.perf_counter()
        while not receivers[side]().startswith(LAST):
            pass
        pipe.send(str(time.perf_counter() - started))
