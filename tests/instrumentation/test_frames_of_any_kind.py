"""Whatever pyzmq takes for a frame arrives as from a bare socket, and is counted by what was sent."""

import ctypes
import sys
from array import array
from typing import Any

import hopwatch
import pytest
import zmq
from alike import SEQUENCES
from hopwatch.words import RECEIVED_BYTES, SENT_BYTES
from journal_reader import Journal


class Said(ctypes.Structure):
    _fields_ = (("number", ctypes.c_int64),)

    def __bytes__(self) -> bytes:
        return b"something else"


class Indexed(bytearray):
    def __index__(self) -> int:
        return 3


class Adding(bytes):
    def __add__(self, other: Any) -> bytes:
        return b"a sum"


BUFFERS = {
    "array": array("q", [5, -1]),
    "bytearray": bytearray(b"content"),
    "memoryview": memoryview(b"content"),
    "structure": Said(7),
    "an index": Indexed(b"content"),
    "a sum": Adding(b"content"),
    "Frame": zmq.Frame(b"content"),
}


@pytest.mark.parametrize("several", [False, True], ids=["alone", "behind another"])
@pytest.mark.parametrize("kind", BUFFERS)
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_any_buffer_arrives_as_what_it_holds(
    context, journal: Journal, link, sequence: str, kind: str, several: bool
) -> None:
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    for socket in (push, pull):
        hopwatch.wrap(socket, **SEQUENCES[sequence])
    link(push, pull)
    frame = BUFFERS[kind]
    content = frame.bytes if isinstance(frame, zmq.Frame) else memoryview(frame).tobytes()
    push.send_multipart([frame, frame] if several else [frame])
    push.send(b"last")
    assert pull.recv_multipart() == [content] * (2 if several else 1)
    assert pull.recv() == b"last"
    size = len(content) * (2 if several else 1) + 4
    assert push._hopwatch.slot.words[SENT_BYTES] == size
    assert pull._hopwatch.slot.words[RECEIVED_BYTES] == size
    assert journal.faults() == []


@pytest.mark.parametrize("sequence", ["topics counted", "stamped", "every third stamped"])
def test_a_buffer_may_be_used_again_or_released_once_its_frame_was_sent(
    context, journal: Journal, link, sequence: str
) -> None:
    pub, sub = context.socket(zmq.PUB), context.socket(zmq.SUB)
    for socket, name in ((pub, "pub"), (sub, "sub")):
        hopwatch.wrap(socket, name=name, **SEQUENCES[sequence])
    sub.subscribe(b"A")
    link(pub, sub)
    buffer = bytearray(1)
    for number in range(20):
        buffer[:] = b"AB"[number % 2 : number % 2 + 1]
        pub.send(buffer, zmq.SNDMORE)
        buffer[:] = b"%d" % (number // 2 % 10)
        pub.send(buffer)
    with memoryview(b"A") as topic:
        pub.send(topic, zmq.SNDMORE)
    pub.send(b"released")
    assert [sub.recv_multipart()[1] for _ in range(11)] == [
        *(b"%d" % number for number in range(10)),
        b"released",
    ]
    assert {bytes.fromhex(lane["topic"]) for lane in journal.of("pub", "lane")} == {b"A", b"B"}
    assert (journal.of("sub", "gap"), journal.faults()) == ([], [])


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("bound", [100, 1 << 62, sys.maxsize, -1])
def test_any_bound_on_the_size_of_messages_can_be_set_and_read(context, bound: int, late: bool) -> None:
    pull = context.socket(zmq.PULL)
    if not late:
        pull.set(zmq.MAXMSGSIZE, bound)
    hopwatch.wrap(pull, sequence="stamp")
    if late:
        pull.set(zmq.MAXMSGSIZE, bound)
    assert pull.get(zmq.MAXMSGSIZE) == bound
    hopwatch.unwrap(pull)
    assert pull.get(zmq.MAXMSGSIZE) == bound


def test_a_receive_that_the_application_replaced_is_called_for_each_frame(context, link) -> None:
    push, pull = context.socket(zmq.PUSH), hopwatch.wrap(context.socket(zmq.PULL))
    link(push, pull)
    calls = []

    def recv(*arguments: Any, **options: Any) -> bytes:
        calls.append(arguments)
        return bytes(type(pull).recv(pull, *arguments, **options))

    pull.recv = recv
    push.send_multipart([b"1", b"2"])
    assert (pull.recv_multipart(), len(calls)) == ([b"1", b"2"], 2)


def test_a_router_that_becomes_raw_is_probed_no_more(context, journal: Journal) -> None:
    router = hopwatch.wrap(context.socket(zmq.ROUTER), name="router")
    router.set(zmq.ROUTER_RAW, 1)
    assert len(journal.of("router", "probing_stopped")) == 1
