"""REQ and REP that take a message frame by frame may send when the application has the last one, as bare sockets do."""

import asyncio
from collections.abc import Callable
from typing import Any

import hopwatch
import pytest
import zmq
import zmq.asyncio
from alike import SEQUENCES
from journal_reader import Journal

EITHER = zmq.POLLIN | zmq.POLLOUT
WISHES = [*SEQUENCES.values(), {"sequence": hopwatch.sequences.vllm_kv_events}]


def polled(socket: zmq.Socket, flags: int) -> Any:
    poller = zmq.Poller()
    poller.register(socket, flags)
    return [events for _, events in poller.poll(1)]


def raised(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (zmq.ZMQError, TypeError, ValueError) as error:
        return type(error), getattr(error, "errno", None), str(error)


def told_by(socket: zmq.Socket) -> list[Any]:
    """What a socket says, and refuses, before its turn to send has come or after."""
    return [
        socket.rcvmore,
        socket.getsockopt(zmq.EVENTS),
        socket.poll(0, EITHER),
        socket.poll(1, zmq.POLLOUT),
        polled(socket, EITHER),
        polled(socket, zmq.POLLOUT),
        [len(ready) for ready in zmq.select([socket], [socket], [], 0)],
    ]


def within_a_message(socket: zmq.Socket) -> list[Any]:
    return [
        socket.recv(),
        told_by(socket),
        raised(lambda: socket.send(b"early")),
        raised(lambda: socket.send(b"early", zmq.DONTWAIT, copy=False)),
        raised(lambda: socket.send("text")),
        raised(lambda: socket.send(7)),
        raised(lambda: socket.send(zmq.Frame(b"x"), track=True)),
        raised(lambda: socket.send_multipart([b"early", b"too"])),
        socket.recv(),
        told_by(socket),
    ]


def exchange(context: zmq.Context, endpoint: str, wishes: list[dict[str, Any] | None]) -> list[Any]:
    """A request of two frames, and a reply of two, both taken frame by frame."""
    req, rep = context.socket(zmq.REQ), context.socket(zmq.REP)
    for socket, wish in zip((req, rep), wishes, strict=True):
        if wish is not None:
            hopwatch.wrap(socket, **wish)
    rep.bind(endpoint)
    req.connect(endpoint)
    req.send_multipart([b"a", b"b"])
    told = within_a_message(rep)
    rep.send_multipart([b"c", b"d"])
    told += within_a_message(req)
    req.send(b"again")
    return [*told, rep.recv()]


@pytest.mark.parametrize("wish", WISHES)
def test_nobody_sends_before_its_turn(context: zmq.Context, journal: Journal, wish: dict[str, Any]) -> None:
    bare = exchange(context, "inproc://bare", [None, None])
    assert exchange(context, "inproc://wrapped", [wish, wish]) == bare
    if wish.get("sequence") != "stamp":  # a bare socket would get the stamps
        assert exchange(context, "inproc://rep", [None, wish]) == bare
        assert exchange(context, "inproc://req", [wish, None]) == bare
    assert journal.faults() == []


async def asynchronous_exchange(wish: dict[str, Any] | None) -> list[Any]:
    with zmq.asyncio.Context() as context, context.socket(zmq.REQ) as req, context.socket(zmq.REP) as rep:
        for socket in (req, rep):
            if wish is not None:
                hopwatch.wrap(socket, **wish)
        rep.bind("inproc://asynchronous")
        req.connect("inproc://asynchronous")
        await req.send_multipart([b"a", b"b"])
        told: list[Any] = [
            await rep.recv(),
            rep.rcvmore,
            rep.getsockopt(zmq.EVENTS),
            await rep.poll(0, EITHER),
        ]
        try:
            await rep.send(b"early")
        except zmq.ZMQError as error:
            told.append((error.errno, str(error)))
        return [*told, await rep.recv(), await rep.send(b"reply"), await req.recv()]


@pytest.mark.parametrize("wish", WISHES)
def test_no_asyncio_socket_does(journal: Journal, wish: dict[str, Any]) -> None:
    assert asyncio.run(asynchronous_exchange(wish)) == asyncio.run(asynchronous_exchange(None))
    assert journal.faults() == []
