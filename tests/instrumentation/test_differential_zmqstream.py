"""Whatever is done to tornado's streams over wrapped sockets, they and those over bare ones behave alike: what comes, what was sent, what is left."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import hopwatch
import pytest
import zmq
from alike import BITCOINS, SEQUENCES, differential
from hypothesis import given
from hypothesis import strategies as st
from journal_reader import Journal
from socket_actions import PATIENT_S, seen, seen_of_error
from zmq.eventloop.zmqstream import ZMQStream

PAIRINGS = {
    "PUSH-PULL": (zmq.PUSH, zmq.PULL),
    "PAIR-PAIR": (zmq.PAIR, zmq.PAIR),
    "DEALER-DEALER": (zmq.DEALER, zmq.DEALER),
}
TURNS = 8

ENDS = st.sampled_from(["one", "other"])
PARTS = st.one_of(
    st.lists(st.one_of(st.binary(max_size=4), st.just(b"x" * 48)), min_size=1, max_size=3),
    st.sampled_from(BITCOINS),
)
OPERATIONS = st.one_of(
    st.tuples(st.just("send"), ENDS, PARTS, st.booleans()),
    st.tuples(st.just("send"), st.just("one"), PARTS, st.just(True)),
    st.tuples(st.just("send_past_the_stream"), ENDS, PARTS),
    st.tuples(st.just("recv_past_the_stream"), ENDS),
    st.tuples(st.just("take"), ENDS, st.booleans()),
    st.tuples(st.just("take"), st.just("other"), st.just(True)),
    st.tuples(st.just("leave"), ENDS),
    st.tuples(st.just("hear"), ENDS),
    st.tuples(st.just("flush"), ENDS, st.sampled_from([1, 2, 3]), st.sampled_from([None, 1, 2])),
)


@dataclass
class Streams:
    """Two streams over connected sockets, and what their callbacks were told."""

    one: ZMQStream
    other: ZMQStream
    told: dict[str, list[Any]] = field(default_factory=lambda: {"one": [], "other": []})

    def do(self, operation: tuple[Any, ...]) -> Any:
        name, end, *arguments = operation
        try:
            return ACTIONS[name](getattr(self, end), self.told[end], *arguments)
        except zmq.ZMQError as error:
            return seen_of_error(error)

    def state(self) -> Any:
        """All that can be seen of them without doing anything to them."""
        states = [(stream.sending(), stream.receiving()) for stream in (self.one, self.other)]
        return self.told, states


def send(stream: ZMQStream, _: list[Any], parts: list[bytes], copy: bool) -> None:
    stream.send_multipart(parts, copy=copy)


def send_past_the_stream(stream: ZMQStream, _: list[Any], parts: list[bytes]) -> None:
    stream.socket.send_multipart(parts, zmq.DONTWAIT)


def recv_past_the_stream(stream: ZMQStream, _: list[Any]) -> Any:
    return stream.socket.recv_multipart(zmq.DONTWAIT)


def take(stream: ZMQStream, told: list[Any], copy: bool) -> None:
    stream.on_recv(lambda message: told.append(seen(message)), copy=copy)


def leave(stream: ZMQStream, _: list[Any]) -> None:
    stream.stop_on_recv()


def hear(stream: ZMQStream, told: list[Any]) -> None:
    stream.on_send(lambda message, status: told.append((message, status)))


def flush(stream: ZMQStream, _: list[Any], flags: int, limit: int | None) -> int:
    return stream.flush(flags, limit)


ACTIONS: dict[str, Callable[..., Any]] = {
    action.__name__: action
    for action in (send, send_past_the_stream, recv_past_the_stream, take, leave, hear, flush)
}


@contextmanager
def streams(kinds: tuple[int, int], wish: dict[str, Any] | None) -> Iterator[Streams]:
    with zmq.Context() as context, context.socket(kinds[0]) as one, context.socket(kinds[1]) as other:
        for socket in (one, other):
            socket.linger = 0
            socket.sndhwm = socket.rcvhwm = 2
            if wish is not None:
                hopwatch.wrap(socket, **wish)
        one.bind("inproc://streams")
        other.connect("inproc://streams")
        made = Streams(ZMQStream(one), ZMQStream(other))
        yield made
        made.one.close()
        made.other.close()


async def settle(bare: Streams, wrapped: Streams) -> None:
    """Returns when both are in one state, or a deadline is over."""
    deadline = time.monotonic() + PATIENT_S
    for _ in range(TURNS):
        await asyncio.sleep(0)
    while wrapped.state() != bare.state() and time.monotonic() < deadline:
        await asyncio.sleep(0.001)


async def compare(kinds: tuple[int, int], wish: dict[str, Any], operations: list[tuple[Any, ...]]) -> None:
    with streams(kinds, None) as bare, streams(kinds, wish) as wrapped:
        for operation in operations:
            assert wrapped.do(operation) == bare.do(operation), operation
            await settle(bare, wrapped)
            assert wrapped.state() == bare.state(), operation


@pytest.mark.parametrize("pairing", PAIRINGS)
@differential(30)
@given(sequence=st.sampled_from(sorted(SEQUENCES)), operations=st.lists(OPERATIONS, max_size=25))
def test_streams_over_wrapped_sockets_behave_as_over_bare_ones(
    journal: Journal, pairing: str, sequence: str, operations: list[tuple[Any, ...]]
) -> None:
    asyncio.run(compare(PAIRINGS[pairing], SEQUENCES[sequence], operations))
    assert journal.faults() == []
