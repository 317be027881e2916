"""Whatever is done to them, a wrapped pair of sockets and a bare one behave alike: results, errors, and what they say of themselves."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import hopwatch
import pytest
import zmq
from alike import differential
from hypothesis import given
from hypothesis import strategies as st
from journal_reader import Journal

BODIES = st.one_of(
    st.binary(max_size=6),
    st.just(b"x" * 48),
    st.just(b"\xff\x48\x57\x01" + b"x" * 43),
    st.just(b"y" * 70_000),
    st.sampled_from(["text", 7, None]),
)
FLAGS = st.sampled_from([0, zmq.DONTWAIT, zmq.SNDMORE, zmq.SNDMORE | zmq.DONTWAIT])
RECEIVING_FLAGS = st.sampled_from([0, int(zmq.DONTWAIT)])
ENDS = st.sampled_from(["sender", "receiver"])

OPERATIONS = st.one_of(
    st.tuples(st.just("send"), ENDS, BODIES, FLAGS, st.booleans()),
    st.tuples(st.just("send"), st.just("sender"), st.binary(max_size=6), st.just(0), st.booleans()),
    st.tuples(st.just("send_multipart"), ENDS, st.lists(BODIES, max_size=3), FLAGS, st.booleans()),
    st.tuples(st.just("recv"), ENDS, RECEIVING_FLAGS, st.booleans()),
    st.tuples(st.just("recv_multipart"), ENDS, RECEIVING_FLAGS, st.booleans()),
    st.tuples(
        st.just("recv_into"), ENDS, st.integers(0, 8), st.sampled_from([-1, 0, 3, 20]), RECEIVING_FLAGS
    ),
    st.tuples(st.just("poll"), ENDS, st.sampled_from([zmq.POLLIN, zmq.POLLOUT, zmq.POLLIN | zmq.POLLOUT])),
    st.tuples(st.just("get"), ENDS, st.sampled_from([zmq.RCVMORE, zmq.EVENTS, zmq.SNDHWM, zmq.TYPE, 9999])),
    st.tuples(st.just("more"), ENDS),
)


def send(socket: zmq.Socket, body: Any, flags: int, copy: bool) -> Any:
    return type(socket.send(body, flags, copy)).__name__


def send_multipart(socket: zmq.Socket, bodies: list[Any], flags: int, copy: bool) -> Any:
    return type(socket.send_multipart(bodies, flags, copy)).__name__


def recv(socket: zmq.Socket, flags: int, copy: bool) -> Any:
    return seen(socket.recv(flags, copy))


def recv_multipart(socket: zmq.Socket, flags: int, copy: bool) -> Any:
    return [seen(part) for part in socket.recv_multipart(flags, copy)]


def recv_into(socket: zmq.Socket, size: int, nbytes: int, flags: int) -> Any:
    buffer = bytearray(size)
    return socket.recv_into(buffer, nbytes=nbytes, flags=flags), bytes(buffer)


def poll(socket: zmq.Socket, flags: int) -> int:
    return socket.poll(0, flags)


def get(socket: zmq.Socket, option: int) -> Any:
    return socket.get(option)


def more(socket: zmq.Socket) -> Any:
    return socket.rcvmore, socket.getsockopt(zmq.RCVMORE)


def seen(part: bytes | zmq.Frame) -> Any:
    """What an application can see of a received frame."""
    if isinstance(part, bytes):
        return part
    return part.bytes, part.more, len(part)


ACTIONS: dict[str, Callable[..., Any]] = {
    action.__name__: action
    for action in (send, send_multipart, recv, recv_multipart, recv_into, poll, get, more)
}


def outcome(sockets: dict[str, zmq.Socket], operation: tuple[Any, ...]) -> Any:
    """What comes of one operation: its result, or its error."""
    name, end, *arguments = operation
    try:
        return ACTIONS[name](sockets[end], *arguments)
    except zmq.ZMQError as error:
        return type(error), error.errno
    except Exception as error:  # noqa: BLE001 -- whatever the bare socket raises, the wrapped one must raise
        return type(error)


@contextmanager
def pair(kinds: tuple[int, int], *, wrapped: bool, sequence: str | None) -> Iterator[dict[str, zmq.Socket]]:
    """Two sockets over inproc, where a message is there as soon as it was sent."""
    with zmq.Context() as context, context.socket(kinds[0]) as sender, context.socket(kinds[1]) as receiver:
        for socket in (sender, receiver):
            socket.linger = 0
            socket.sndhwm = socket.rcvhwm = 3
            socket.sndtimeo = socket.rcvtimeo = 2
            if wrapped:
                hopwatch.wrap(socket, sequence=sequence)
        sender.bind("inproc://pair")
        receiver.connect("inproc://pair")
        yield {"sender": sender, "receiver": receiver}


@pytest.mark.parametrize("sequence", [None, "stamp"])
@pytest.mark.parametrize(
    "kinds", [(zmq.PUSH, zmq.PULL), (zmq.PAIR, zmq.PAIR)], ids=["PUSH-PULL", "PAIR-PAIR"]
)
@differential(25, shrink=True)
@given(operations=st.lists(OPERATIONS, max_size=25))
def test_a_wrapped_pair_behaves_as_a_bare_one(
    journal: Journal, kinds: tuple[int, int], sequence: str | None, operations: list[tuple[Any, ...]]
) -> None:
    with (
        pair(kinds, wrapped=False, sequence=None) as bare,
        pair(kinds, wrapped=True, sequence=sequence) as wrapped,
    ):
        for operation in operations:
            assert outcome(wrapped, operation) == outcome(bare, operation), operation
    assert journal.faults() == []


@pytest.mark.parametrize("sequence", [None, "count", "stamp"])
def test_what_pyzmq_refuses_leaves_nothing_behind(journal: Journal, sequence: str | None) -> None:
    left = []
    for wrapped in (False, True):
        with pair((zmq.PUSH, zmq.PULL), wrapped=wrapped, sequence=sequence) as sockets:
            push, pull = sockets["sender"], sockets["receiver"]
            push.sndhwm = pull.rcvhwm = 100
            told = [raised(push.send, b"a", None)]
            push.send(b"first", zmq.SNDMORE)
            told.append(raised(push.send, b"b", None))
            told.append(raised(push.send, zmq.Frame(b"untracked"), track=True))
            told.append(raised(push.send, b"c", 1 << 40))
            push.send(b"last")
            told.append(raised(push.send, zmq.Frame(b"untracked"), track=True))
            push.send(b"alone")
            poller = zmq.Poller()
            poller.register(pull)
            while poller.poll(20):
                told.append((pull.recv(copy=False).bytes, pull.rcvmore))
            left.append(told)
    assert left[0] == left[1]


def raised(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    with pytest.raises((TypeError, ValueError, OverflowError)) as error:
        call(*arguments, **options)
    return error.type, str(error.value)
