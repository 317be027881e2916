"""An application may poll between the frames of a message: the next one is there."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import hopwatch
import pytest
import zmq
import zmq.asyncio
from journal_reader import Journal

PATIENT_MS = 5000

SEQUENCED: dict[str, Any] = {
    "count": "count",
    "stamp": "stamp",
    "numbers": lambda frames: (b"", len(frames)),
}


@contextmanager
def push_and_pull(sequence: Any) -> Iterator[tuple[zmq.Socket, zmq.Socket]]:
    with zmq.Context() as context, context.socket(zmq.PUSH) as push, context.socket(zmq.PULL) as pull:
        push.linger = 0
        pull.rcvtimeo = PATIENT_MS
        push.bind("inproc://pair")
        pull.connect("inproc://pair")
        yield push, hopwatch.wrap(pull, sequence=sequence)


def by_poller(pull: zmq.Socket) -> Any:
    poller = zmq.Poller()
    poller.register(pull, zmq.POLLIN)
    return poller.poll(PATIENT_MS) == [(pull, zmq.POLLIN)]


def by_select(pull: zmq.Socket) -> Any:
    return zmq.select([pull], [pull], [], None) == ([pull], [], [])


def by_function(pull: zmq.Socket) -> Any:
    return zmq.zmq_poll([(pull, zmq.POLLIN)], PATIENT_MS) == [(pull, zmq.POLLIN)]


def by_asyncio(pull: zmq.Socket) -> Any:
    async def poll() -> Any:
        poller = zmq.asyncio.Poller()
        poller.register(pull, zmq.POLLIN)
        return await poller.poll(PATIENT_MS)

    return asyncio.run(poll()) == [(pull, zmq.POLLIN)]


def by_shadow(pull: zmq.Socket) -> Any:
    return by_poller(zmq.Socket(pull))


POLLS: dict[str, Callable[[zmq.Socket], Any]] = {
    "Poller": by_poller,
    "select": by_select,
    "zmq_poll": by_function,
    "asyncio": by_asyncio,
    "shadow": by_shadow,
}


@pytest.mark.parametrize("sequence", SEQUENCED)
@pytest.mark.parametrize("how", POLLS)
def test_the_last_frame_of_a_message_is_told_of(journal: Journal, how: str, sequence: str) -> None:
    with push_and_pull(SEQUENCED[sequence]) as (push, pull):
        push.send_multipart([b"first", b"second", b"last"])
        for frame in (b"first", b"second", b"last"):
            assert POLLS[how](pull)
            assert pull.recv() == frame
        assert zmq.select([pull], [], [], 0) == ([], [], [])


def test_what_else_is_polled_with_it_is_told_of_too_in_its_place(journal: Journal) -> None:
    here, there = socket.socketpair()
    with here, there, push_and_pull("count") as (push, pull):
        poller = zmq.Poller()
        poller.register(there, zmq.POLLIN)
        poller.register(push, zmq.POLLOUT)
        poller.register(pull, zmq.POLLIN)
        push.send_multipart([b"first", b"last"])
        pull.recv()
        assert poller.poll() == [(push, zmq.POLLOUT), (pull, zmq.POLLIN)]
        here.send(b"x")
        assert poller.poll() == [(there.fileno(), zmq.POLLIN), (push, zmq.POLLOUT), (pull, zmq.POLLIN)]
        poller.modify(pull, zmq.POLLOUT)
        assert poller.poll() == [(there.fileno(), zmq.POLLIN), (push, zmq.POLLOUT)]


@pytest.mark.parametrize(
    ("sockets", "timeout"),
    [
        ([1.5], 0),
        ([(object(), zmq.POLLIN)], 0),
        ([("text", zmq.POLLIN)], 0),
        (None, 0),
        ([], "soon"),
        ([], 1 << 70),
        ([], None),
    ],
)
def test_what_pyzmq_refuses_to_poll_is_refused_as_before(
    journal: Journal, sockets: list[Any] | None, timeout: Any
) -> None:
    told = []
    with push_and_pull("count") as (push, pull):
        for _ in ("before a message", "within it"):
            polled = None if sockets is None else [(pull, zmq.POLLIN), *sockets]
            with pytest.raises((TypeError, ValueError, OverflowError)) as error:
                zmq.zmq_poll(polled, timeout)
            told.append((error.type, str(error.value)))
            push.send_multipart([b"first", b"last"])
            pull.recv()
    assert told[0] == told[1]


@pytest.mark.parametrize("timeout", ["soon", [1]])
def test_what_a_sockets_own_poll_refuses_is_refused_as_before(journal: Journal, timeout: Any) -> None:
    told = []
    with push_and_pull("count") as (push, pull):
        for _ in ("before a message", "within it"):
            with pytest.raises(TypeError) as error:
                pull.poll(timeout)
            told.append(str(error.value))
            push.send_multipart([b"first", b"last"])
            pull.recv()
    assert told[0] == told[1]


def test_a_closed_socket_is_polled_as_a_bare_one(journal: Journal) -> None:
    told = []
    for wrapped in (False, True):
        with push_and_pull("count") as (push, pull):
            if not wrapped:
                hopwatch.unwrap(pull)
            push.send_multipart([b"first", b"last"])
            pull.recv()
            pull.close()
            told.append(zmq.zmq_poll([(pull, zmq.POLLIN)], 0))  # pyzmq (27) polls file 0 then
    assert told[0] == told[1]
