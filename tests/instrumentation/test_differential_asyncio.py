"""Whatever is done to them, a wrapped pair of asyncio sockets and a bare one behave alike: what is awaited, what stays
pending, what is cancelled, and what they say of themselves.
"""

import asyncio
import time
from asyncio import Future
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import hopwatch
import pytest
import zmq
import zmq.asyncio
from alike import BITCOINS, LINGER_MS, PAIRINGS, SEQUENCES, differential, is_connected
from arrivals import Direction
from async_calls import Call, error_seen, seen
from hypothesis import given
from hypothesis import strategies as st
from journal_reader import Journal
from socket_actions import PATIENT_S

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
ASKING = {"settle", "get", "more", "poll"}
"""Operations that change nothing, and can be repeated."""
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
    st.tuples(st.just("send_multipart"), ENDS, AFTERWARDS, st.sampled_from(BITCOINS), FLAGS, st.booleans()),
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
    forth: Direction = field(init=False)
    back: Direction = field(init=False)

    def __post_init__(self) -> None:
        self.forth = Direction(self.sender, self.receiver)
        self.back = Direction(self.receiver, self.sender)

    async def arrive(self) -> None:
        """Returns when nothing is under way any more."""
        await self.forth.arrive()
        await self.back.arrive()

    def begin(self, operation: tuple[Any, ...]) -> Call:
        """Do one operation."""
        name, end, *arguments = operation
        socket = getattr(self, end)
        for each in (self.sender, self.receiver):
            # else libzmq takes in what its peers have told it only about once a millisecond
            zmq.backend.Socket.get(each, zmq.EVENTS)
        try:
            if name == "settle":
                return Call(socket, [seen(future) for future in self.left])
            if name == "get":
                return Call(socket, socket.get(*arguments))
            if name == "more":
                return Call(socket, (socket.rcvmore, socket.getsockopt(zmq.RCVMORE)))
            future = getattr(socket, name)(*arguments[1:])
            leaving, coming = (self.forth, self.back) if end == "sender" else (self.back, self.forth)
            if name in {"send", "send_multipart"}:
                leaving.sent(name, arguments[1], int(arguments[2]), future)
            if name in {"recv", "recv_multipart"}:
                coming.receives.append(future)
            return Call(socket, future=future)
        except Exception as error:  # noqa: BLE001 -- whatever the bare socket raises, the wrapped one must raise
            return Call(socket, error_seen(error))


async def turns() -> None:
    for _ in range(TURNS):
        await asyncio.sleep(0)


@asynccontextmanager
async def pair(
    kinds: tuple[int, int], address: str, wish: dict[str, Any] | None, *, narrow: bool
) -> AsyncIterator[Pair]:
    """Two connected sockets; over inproc a message is there as soon as it was sent."""
    context = zmq.asyncio.Context()
    sockets = Pair(context.socket(kinds[0]), context.socket(kinds[1]))
    for socket in (sockets.sender, sockets.receiver):
        socket.linger = LINGER_MS
        if narrow:
            socket.sndhwm = socket.rcvhwm = 2
        if socket.type in {zmq.DEALER, zmq.REQ}:
            socket.routing_id = b"me"
        if wish is not None:
            hopwatch.wrap(socket, **wish)
    sockets.sender.bind(address)
    sockets.receiver.connect(sockets.sender.last_endpoint.rstrip(b"\0").decode())
    if kinds[1] == zmq.SUB:
        sockets.receiver.subscribe(b"")
    if kinds[1] == zmq.XSUB:
        await sockets.receiver.send(b"\x01")
    deadline = time.monotonic() + PATIENT_S
    while not is_connected(sockets.sender, zmq.POLLIN if kinds[0] == zmq.XPUB else zmq.POLLOUT):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.001)
    try:
        yield sockets
    finally:
        for socket in (sockets.sender, sockets.receiver):
            socket.close()
        context.term()


async def compare(pairing: str, transport: str, sequence: str, operations: list[tuple[Any, ...]]) -> None:
    kinds, patience = PAIRINGS[pairing], 0 if transport == "inproc" else PATIENT_S
    address = {"inproc": "inproc://pair", "tcp": "tcp://127.0.0.1:*"}[transport]
    # a SUB, XSUB or ROUTER that is asked for a message takes a frame ahead: at a mark, stamps show there (see test_room_at_the_mark.py)
    narrow = not patience and (kinds[1] in {zmq.PULL, zmq.REP, zmq.PAIR} or "stamped" not in sequence)
    async with (
        pair(kinds, address, None, narrow=narrow) as bare,
        pair(kinds, address, SEQUENCES[sequence], narrow=narrow) as wrapped,
    ):
        for operation in operations:
            if not patience and is_a_send_to_who_is_within_a_message(bare, operation):
                continue
            calls = await compared(bare, wrapped, operation, patience)
            if patience:
                await asyncio.gather(bare.arrive(), wrapped.arrive())
                await turns()
            if calls[0].future is not None:
                await asyncio.gather(*(call.end(operation[2]) for call in calls))
                await turns()
                assert calls[1].seen() == calls[0].seen(), operation
            for made, call in zip((bare, wrapped), calls, strict=True):
                if call.future is not None and not call.future.done():
                    made.left.append(call.future)
        left = [*bare.left, *wrapped.left]
    await turns()
    assert all(future.done() for future in left)


def is_a_send_to_who_is_within_a_message(pair: Pair, operation: tuple[Any, ...]) -> bool:
    """Who takes off stamps has the next frame already: when that ends the message, there is room for one more a frame early."""
    name, end, *_ = operation
    peer = pair.receiver if end == "sender" else pair.sender
    return name in {"send", "send_multipart"} and bool(peer.rcvmore)


async def compared(bare: Pair, wrapped: Pair, operation: tuple[Any, ...], patience: float) -> list[Call]:
    """Do the same to both pairs, and assert that the same comes of it: at once, or when what is under way (for so many seconds) has come."""
    pairs = (bare, wrapped)
    calls = [made.begin(operation) for made in pairs]
    deadline = time.monotonic() + patience
    await turns()
    while calls[1].seen() != calls[0].seen() and time.monotonic() < deadline:
        await asyncio.sleep(0.001)
        calls = [
            made.begin(operation) if operation[0] in ASKING or call.found_nothing() else call
            for made, call in zip(pairs, calls, strict=True)
        ]
        await turns()
    assert calls[1].seen() == calls[0].seen(), operation
    return calls


@pytest.mark.parametrize("pairing", PAIRINGS)
@differential(40)
@given(sequence=st.sampled_from(sorted(SEQUENCES)), operations=st.lists(OPERATIONS, max_size=25))
def test_a_wrapped_pair_behaves_as_a_bare_one(
    journal: Journal, pairing: str, sequence: str, operations: list[tuple[Any, ...]]
) -> None:
    asyncio.run(compare(pairing, "inproc", sequence, operations))
    assert journal.faults() == []


@pytest.mark.extended("over a connection the kernel decides when a message is there")
@pytest.mark.parametrize("pairing", PAIRINGS)
@differential(15)
@given(sequence=st.sampled_from(sorted(SEQUENCES)), operations=st.lists(OPERATIONS, max_size=25))
def test_it_does_so_over_a_connection_too(
    journal: Journal, pairing: str, sequence: str, operations: list[tuple[Any, ...]]
) -> None:
    untimed = [
        tuple("cancel" if each == "time out" else each for each in operation) for operation in operations
    ]
    asyncio.run(compare(pairing, "tcp", sequence, untimed))
    assert journal.faults() == []
