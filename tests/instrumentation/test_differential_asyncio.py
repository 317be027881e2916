"""Whatever is done to them, a wrapped pair of asyncio sockets and a bare one behave alike: what is awaited, what stays
pending, what is cancelled, and what they say of themselves.
"""

import asyncio
from asyncio import Future
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import hopwatch
import pytest
import zmq
import zmq.asyncio
from alike import PAIRINGS, differential
from hypothesis import given
from hypothesis import strategies as st
from journal_reader import Journal

TURNS = 8
"""So many turns of the loop are enough for whatever can be done between two sockets of one thread."""

BODIES = st.one_of(
    st.binary(max_size=6),
    st.just(b"x" * 48),
    st.just(b"\xff\x48\x57\x01" + b"x" * 43),
    st.sampled_from(["text", 7, None]),
)
FLAGS = st.sampled_from([0, 0, zmq.DONTWAIT, zmq.SNDMORE])
RECEIVING_FLAGS = st.sampled_from([0, 0, int(zmq.DONTWAIT)])
ENDS = st.sampled_from(["sender", "receiver"])
AFTERWARDS = st.sampled_from(["cancel", "leave", "cancel", "leave", "time out"])
"""What becomes of a call that is still pending after some turns."""

OPERATIONS = st.one_of(
    st.tuples(st.just("send"), ENDS, AFTERWARDS, BODIES, FLAGS, st.booleans()),
    st.tuples(
        st.just("send"), st.just("sender"), AFTERWARDS, st.binary(max_size=6), st.just(0), st.just(True)
    ),
    st.tuples(
        st.just("send_multipart"), ENDS, AFTERWARDS, st.lists(BODIES, max_size=3), FLAGS, st.booleans()
    ),
    st.tuples(st.just("recv"), ENDS, AFTERWARDS, RECEIVING_FLAGS, st.booleans()),
    st.tuples(st.just("recv_multipart"), ENDS, AFTERWARDS, RECEIVING_FLAGS, st.booleans()),
    st.tuples(st.just("recv_multipart"), st.just("receiver"), AFTERWARDS, st.just(0), st.just(True)),
    st.tuples(st.just("poll"), ENDS, AFTERWARDS, st.sampled_from([0, 10_000]), st.sampled_from([1, 2, 3])),
    st.tuples(st.just("get"), ENDS, st.sampled_from([zmq.RCVMORE, zmq.EVENTS, zmq.SNDHWM, zmq.TYPE, 9999])),
    st.tuples(st.just("more"), ENDS),
    st.tuples(st.just("settle"), st.just("sender")),
)


@dataclass
class Pair:
    """Two connected sockets, and the calls that were left pending on them."""

    sender: zmq.asyncio.Socket
    receiver: zmq.asyncio.Socket
    left: list[Future[Any]] = field(default_factory=list)

    async def outcome(self, operation: tuple[Any, ...]) -> Any:
        """What comes of one operation: its result, its error, or that it is pending."""
        name, end, *arguments = operation
        socket = getattr(self, end)
        if name == "settle":
            await turns()
            return [seen(future) for future in self.left]
        for each in (self.sender, self.receiver):
            # else libzmq takes in what its peers have told it only about once a millisecond
            zmq.backend.Socket.get(each, zmq.EVENTS)
        try:
            if name == "get":
                return socket.get(*arguments)
            if name == "more":
                return socket.rcvmore, socket.getsockopt(zmq.RCVMORE)
            afterwards, *arguments = arguments
            future = getattr(socket, name)(*arguments)
        except Exception as error:  # noqa: BLE001 -- whatever the bare socket raises, the wrapped one must raise
            return error_seen(error)
        await turns()
        if not future.done() and afterwards == "cancel":
            future.cancel()
            await turns()
        elif not future.done() and afterwards == "time out":
            with suppress(TimeoutError, asyncio.TimeoutError):
                await asyncio.wait_for(future, 0.002)
        elif not future.done():
            self.left.append(future)
        return seen(future), counted(socket)


async def turns() -> None:
    for _ in range(TURNS):
        await asyncio.sleep(0)


def counted(socket: zmq.asyncio.Socket) -> tuple[int, int]:
    """How many calls pyzmq has in its own queues."""
    return len(socket._send_futures), len(socket._recv_futures)  # noqa: SLF001


def seen(future: Future[Any]) -> Any:
    """What an application can see of a call."""
    if not future.done():
        return "pending"
    if future.cancelled():
        return "cancelled"
    error = future.exception()
    if error is not None:
        return error_seen(error)
    result = future.result()
    return [part_seen(part) for part in result] if isinstance(result, list) else part_seen(result)


def part_seen(part: Any) -> Any:
    if isinstance(part, zmq.Frame):
        return part.bytes, part.more
    return part if isinstance(part, bytes | int | None) else type(part).__name__


def error_seen(error: BaseException) -> Any:
    return type(error), getattr(error, "errno", None), str(error)


@asynccontextmanager
async def pair(kinds: tuple[int, int], *, wrapped: bool, sequence: str | None) -> AsyncIterator[Pair]:
    """Two sockets over inproc, where a message is there as soon as it was sent."""
    context = zmq.asyncio.Context()
    sockets = Pair(context.socket(kinds[0]), context.socket(kinds[1]))
    for socket in (sockets.sender, sockets.receiver):
        socket.linger = 0
        socket.sndhwm = socket.rcvhwm = 2
        if socket.type in {zmq.DEALER, zmq.REQ}:
            socket.routing_id = b"me"
        if wrapped:
            hopwatch.wrap(socket, sequence=sequence)
    sockets.sender.bind("inproc://pair")
    sockets.receiver.connect("inproc://pair")
    if kinds[1] == zmq.SUB:
        sockets.receiver.subscribe(b"")
    yield sockets
    for socket in (sockets.sender, sockets.receiver):
        socket.close()
    context.term()


async def compare(kinds: tuple[int, int], sequence: str | None, operations: list[tuple[Any, ...]]) -> None:
    async with (
        pair(kinds, wrapped=False, sequence=None) as bare,
        pair(kinds, wrapped=True, sequence=sequence) as wrapped,
    ):
        for operation in operations:
            assert await wrapped.outcome(operation) == await bare.outcome(operation), operation
        left = [*bare.left, *wrapped.left]
    await turns()
    assert all(future.done() for future in left)


@pytest.mark.parametrize("sequence", [None, "stamp"])
@pytest.mark.parametrize("pairing", [name for name in PAIRINGS if name != "REQ-REP"])
@differential(20)
@given(operations=st.lists(OPERATIONS, max_size=25))
def test_a_wrapped_pair_behaves_as_a_bare_one(
    journal: Journal, pairing: str, sequence: str | None, operations: list[tuple[Any, ...]]
) -> None:
    asyncio.run(compare(PAIRINGS[pairing], sequence, operations))
    assert journal.events("fault") == []
