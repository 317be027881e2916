"""Frames that nearly are stamps, drawn: the application gets every message, and the instrumentation goes on."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hopwatch
import pytest
import zmq
from alike import differential, is_connected
from forged import looks_like_one, stamp_like
from hopwatch.words import RECEIVED
from hopwatch_agent.journal import counters_file
from hopwatch_agent.journal.counters_file import Content, Room
from hopwatch_agent.journal.lines import Envelope, read_event
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from journal_reader import Journal, counters_of
from socket_actions import PATIENT_S

EDGES = [
    0,
    1,
    2,
    3,
    9_999,
    10_000,
    2**16,
    2**32 - 1,
    2**53,
    2**62,
    2**62 + 1,
    2**63 - 1,
    2**63,
    2**64 - 2,
    2**64 - 1,
]
NUMBERS = st.one_of(st.integers(0, 40), st.sampled_from(EDGES), st.integers(0, 2**64 - 1))
FLAGS = st.one_of(
    st.sampled_from([0, 0, 1, 2 << 1, 3 << 1 | 1, 3 << 1 | 1 << 6, 2 << 1 | 1 << 8]),
    st.integers(0, 2**16 - 1),
)
TIMES = st.one_of(st.none(), st.floats())
STAMPS = st.builds(
    stamp_like, NUMBERS, st.one_of(st.none(), NUMBERS), stream=st.one_of(st.sampled_from([1, 2]), NUMBERS),
    lane=st.one_of(st.sampled_from([0, 1, 2**32 - 1]), NUMBERS), flags=FLAGS,
    topic_length=st.one_of(st.sampled_from([0, 1, 255, 256]), st.integers(0, 2**16 - 1)), sent_at=TIMES,
)  # fmt: skip
SPOILT = st.builds(
    lambda frame, at, byte: frame[:at] + bytes([byte]) + frame[at + 1 :],
    STAMPS,
    st.integers(0, 47),
    st.integers(0, 255),
)
FRAMES = st.one_of(st.sampled_from([b"", b"a", b"ab", b"x" * 48, b"y" * 300]), STAMPS, SPOILT)


def unlike(frame: bytes) -> bytes:
    """A frame that is not the last of its message: one that ends as the next stamp of a lane would be taken for the last."""
    return frame + b"." if looks_like_one(frame) else frame


MESSAGES = st.one_of(
    st.builds(lambda body, stamp: [body + stamp], st.sampled_from([b"", b"a", b"b", b"x" * 300]), STAMPS),
    st.builds(lambda frames, last: [*map(unlike, frames), last], st.lists(FRAMES, max_size=3), FRAMES),
)
KINDS = [(zmq.PUSH, zmq.PULL), (zmq.PUB, zmq.SUB), (zmq.DEALER, zmq.ROUTER), (zmq.PAIR, zmq.PAIR)]
TOLD = [None, "count", "stamp", hopwatch.sequences.bitcoin_core]
LAST = [b"the last"]


def receive_whole(socket: zmq.Socket) -> list[bytes]:
    return socket.recv_multipart()


def receive_by_frames(socket: zmq.Socket) -> list[bytes]:
    frames = [socket.recv()]
    while socket.rcvmore:
        frames.append(socket.recv())
    return frames


def receive_uncopied(socket: zmq.Socket) -> list[bytes]:
    return [frame.bytes for frame in socket.recv_multipart(copy=False)]


How = tuple[tuple[int, int], Any, Callable[[zmq.Socket], list[bytes]]]
"""Types of the two sockets, what the receiver was told of stamps, and how it receives."""
HOW = st.tuples(
    st.sampled_from(KINDS),
    st.sampled_from(TOLD),
    st.sampled_from([receive_whole, receive_by_frames, receive_uncopied]),
)


@dataclass
class Known:
    """What an agent can read of a journal; ``read``: how far of each segment."""

    journal: Journal
    read: dict[Path, int] = field(default_factory=dict)

    def read_on(self) -> None:
        """Assert that all of it can be read, and that nothing went wrong."""
        assert self.journal.header() == {"events_lost": 0, "faults": 0}
        for path in self.journal.directory.glob("*.counters"):
            process, index = path.name.split(".")[:2]
            content = Content(counters_of(path), is_copy=False)
            counters_file.parse(content, process, int(index), Room(10_000, 100_000))
        for path in sorted(self.journal.directory.glob("*.events")):
            with suppress(FileNotFoundError):  # the oldest goes
                fresh = path.read_bytes()[self.read.get(path, 0) :]
                self.read[path] = self.read.get(path, 0) + len(fresh)
                for line in fresh.splitlines():
                    assert b'"event":"segment"' in line or not isinstance(read_event(line), Envelope)


def as_received(frames: list[bytes]) -> list[bytes]:
    """A message without what may be a stamp."""
    last = frames[-1]
    return [*frames[:-1], last[:-48] if looks_like_one(last) else last]


@pytest.fixture
def known(journal: Journal) -> Known:
    return Known(journal)


def receive_all(known: Known, messages: list[list[bytes]], how: How) -> None:
    """Send these to a wrapped socket; assert that it receives them, and that its agent can read its counts."""
    kinds, told, receive = how
    with zmq.Context() as context, context.socket(kinds[0]) as sender, context.socket(kinds[1]) as receiver:
        hopwatch.wrap(receiver, sequence=told)
        for socket in (sender, receiver):
            socket.linger, socket.sndhwm, socket.rcvhwm = 0, 0, 0
        if kinds[1] == zmq.SUB:
            receiver.subscribe(b"")
        receiver.rcvtimeo = int(PATIENT_S * 1000)
        sender.bind("inproc://forged")
        receiver.connect("inproc://forged")
        deadline = time.monotonic() + PATIENT_S
        while not is_connected(sender, zmq.POLLOUT):
            assert time.monotonic() < deadline
        for frames in [*messages, LAST]:
            sender.send_multipart(frames)
        came: list[list[bytes]] = []
        while not came or came[-1] != LAST:
            frames = receive(receiver)
            came.append(frames[1:] if kinds[1] == zmq.ROUTER else frames)
        assert came == [as_received(message) for message in [*messages, LAST]]
        assert receiver._hopwatch.slot.words[RECEIVED] == len(came)
        known.read_on()
    known.read_on()


@differential(100, shrink=True)
@given(messages=st.lists(MESSAGES, max_size=12), how=HOW)
def test_frames_that_nearly_are_stamps_make_no_fault_and_take_no_message(
    known: Known, messages: list[list[bytes]], how: How
) -> None:
    receive_all(known, messages, how)


@pytest.mark.extended("searches for minutes")
@settings(max_examples=5_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(messages=st.lists(MESSAGES, max_size=40), how=HOW)
def test_none_of_many_more_does(known: Known, messages: list[list[bytes]], how: How) -> None:
    receive_all(known, messages, how)
