"""A closed socket leaves nothing behind that only the cycle collector would find: applications turn that off."""

import pytest
import zmq
from as_bare import outcome
from journal_reader import Journal

ROUNDS = """
import asyncio, gc, itertools, sys, time
import zmq, zmq.asyncio
way, one_type, other_type, loop = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
if way != "bare":
    import hopwatch
    from hopwatch.instrument import PROCESS
    from hopwatch.settings import from_environment
if way in ("stamp", "count", "bitcoin_core", "install"):
    hopwatch.install(sequence=None if way == "install" else way if way != "bitcoin_core" else hopwatch.sequences.bitcoin_core)
context = zmq.asyncio.Context() if loop == "asyncio" else zmq.Context()
names = map("inproc://{}".format, itertools.count())

def pair():
    one, other, name = context.socket(one_type), context.socket(other_type), next(names)
    for socket in (one, other):
        socket.linger = 0
        if socket.type == zmq.DEALER:
            socket.routing_id = b"dealer"
    one.bind(name)
    if other.type == zmq.SUB:
        other.subscribe(b"")
    other.connect(name)
    return one, other

def messages(one):
    first = [b"dealer"] if one.type == zmq.ROUTER else []
    return [[*first, b"x"], [*first, b"topic", b"x", b"\\1\\0\\0\\0"]]

def a_round():
    one, other = pair()
    if one.type == zmq.ROUTER:
        other.send(b"hello")
        one.recv_multipart()
    for message in messages(one):
        one.send_multipart(message)
        other.recv_multipart()
        if one.type == zmq.REQ:
            other.send_multipart(message)
            one.recv_multipart()
    one.close()
    other.close()

async def an_asynchronous_round():
    one, other = pair()
    if one.type == zmq.ROUTER:
        await other.send(b"hello")
        await one.recv_multipart()
    for message in messages(one):
        await one.send_multipart(message)
        await other.recv_multipart()
        if one.type == zmq.REQ:
            await other.send_multipart(message)
            await one.recv_multipart()
    one.close()
    other.close()

async def rounds(count):
    for _ in range(count):
        await an_asynchronous_round() if loop == "asyncio" else a_round()

async def left():
    await rounds(3)
    drain()
    gc.collect()
    gc.disable()
    await rounds(10)
    drain()
    found = gc.collect()
    gc.enable()
    return found

def drain():
    monitors = None if way == "bare" else PROCESS.instrument(from_environment()).monitors
    while monitors is not None and monitors.room.watched:
        time.sleep(0.01)

print(asyncio.run(left()))
"""
PAIRS = {
    "PUB-SUB": (zmq.PUB, zmq.SUB),
    "PUSH-PULL": (zmq.PUSH, zmq.PULL),
    "REQ-REP": (zmq.REQ, zmq.REP),
    "ROUTER-DEALER": (zmq.ROUTER, zmq.DEALER),
    "PAIR-PAIR": (zmq.PAIR, zmq.PAIR),
}


@pytest.mark.parametrize("loop", ["synchronous", "asyncio"])
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("way", ["install", "count", "stamp", "bitcoin_core"])
def test_closed_sockets_leave_as_little_to_collect_as_bare_ones(
    journal: Journal, way: str, pair: str, loop: str
) -> None:
    kinds = [int(kind) for kind in PAIRS[pair]]
    bare = outcome(ROUNDS, "bare", "bare", *kinds, loop)
    assert bare[0] == 0
    assert outcome(ROUNDS, "bare", way, *kinds, loop) == bare
