"""Where messages wait that a SUB does not read, over TCP: bare sockets, and what the kernel says of their connection (docs/when-zeromq-is-full.md)."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zmq
from numbered_messages import Until, all_of, numbered

Narrow = Callable[[int], zmq.Socket]
Link = Callable[[zmq.Socket, zmq.Socket], None]
MANY = 20_000
MARK = 10
READ_AT_ONCE = 8192
"""Bytes that libzmq takes from the kernel in one read, whatever the mark."""
TURNS = 20
"""More than it takes to fill a pipe of ``MARK`` messages."""


def unread_bytes(bound: zmq.Socket) -> int:
    """What the kernel holds for who connected to it and has not read it yet."""
    port = int(bound.last_endpoint.rstrip(b"\0").rpartition(b":")[2])
    queues = (line.split()[4] for line in _connections_from(port))
    return sum(int(queue.partition(":")[2], 16) for queue in queues)


@pytest.fixture
def turn(context: zmq.Context, link: Link) -> Callable[[], None]:
    """A message passes through the one thread in which libzmq reads for the sockets of a context: what they could read by then, it has read."""
    here, there = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
    link(here, there)

    def pass_one() -> None:
        here.send(b"")
        there.recv()

    return pass_one


def stay_unread(bound: zmq.Socket, turn: Callable[[], None]) -> bool:
    """Whether some bytes do, though who reads gets its turn again and again."""
    for _ in range(TURNS):
        if not unread_bytes(bound):
            return False
        turn()
    return True


def _connections_from(port: int) -> Iterator[str]:
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        if line.split()[2].endswith(f":{port:04X}"):
            yield line


def test_what_a_full_pipe_of_a_subscriber_leaves_waits_in_the_kernel_and_then_at_the_publisher(
    narrow: Narrow, link: Link, until: Until, turn: Callable[[], None]
) -> None:
    pub, sub = narrow(zmq.PUB), narrow(zmq.SUB)
    assert sub.rcvhwm == MARK
    pub.sndhwm = 0  # so that the publisher drops nothing
    link(pub, sub)
    sent = list(numbered(MANY))
    for message in sent:
        pub.send(message)
    until(lambda: stay_unread(pub, turn) and unread_bytes(pub) > 2 * len(sent[0]))
    pub.close(linger=0)  # what waits at the publisher goes with it, and what is with the kernel stays
    taken_by_its_pipe = MARK + READ_AT_ONCE // len(sent[0]) + 1
    got = all_of(sub, taken_by_its_pipe + 1)
    assert got == sent[: len(got)]
    assert taken_by_its_pipe < len(got) < MANY / 2


def test_before_the_kernel_is_full_nothing_waits_at_the_publisher(
    narrow: Narrow, link: Link, until: Until, turn: Callable[[], None]
) -> None:
    """A context ends when all is with the kernel, and no sooner."""
    sending = zmq.Context()
    pub, sub = sending.socket(zmq.PUB), narrow(zmq.SUB)
    link(pub, sub)
    sent = []
    for message in numbered(MANY):
        pub.send(message)
        sent.append(message)
        if len(sent) > MARK and stay_unread(pub, turn):
            break
    assert MARK < len(sent) < MANY
    pub.close()
    ending = threading.Thread(target=sending.term, daemon=True)
    ending.start()
    until(lambda: not ending.is_alive())
    assert all_of(sub, len(sent)) == sent
