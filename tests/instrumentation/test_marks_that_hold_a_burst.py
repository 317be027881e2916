"""Which mark holds a burst, and what memory a queue takes, shown by bare sockets: what advice on marks rests on."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import zmq
from tcp_relay import Relay

Until = Callable[[Callable[[], object]], None]
Lost = Callable[..., int]
MARK = 100
RUNNING = 499  # messages sent, and read, before the burst
BURST = 2000
BODY = b"x" * 1000
END = b"end"
BUFFER_BYTES = 4096


@contextmanager
def connected(
    transport: str, sndhwm: int, rcvhwm: int, until: Until
) -> Iterator[tuple[zmq.Socket, zmq.Socket, Relay | None]]:
    """A PUB and its SUB, over TCP with a relay between them, all with small kernel buffers."""
    context = zmq.Context()
    relay = None
    try:
        pub, sub = context.socket(zmq.PUB), context.socket(zmq.SUB)
        pub.sndhwm, pub.sndbuf, sub.rcvhwm, sub.rcvbuf = sndhwm, BUFFER_BYTES, rcvhwm, BUFFER_BYTES
        sub.rcvtimeo = 10_000
        sub.subscribe(b"")
        if transport == "inproc":
            pub.bind("inproc://burst")
            sub.connect("inproc://burst")
        else:
            relay = Relay(pub.bind_to_random_port("tcp://127.0.0.1"), buffer_bytes=BUFFER_BYTES)
            sub.connect(f"tcp://127.0.0.1:{relay.port}")
        until(lambda: pub.getsockopt(zmq.EVENTS) and pub.getsockopt(zmq.TOPICS_COUNT))
        yield pub, sub, relay
    finally:
        context.destroy(linger=0)
        if relay is not None:
            relay.close()


@pytest.fixture
def lost(until: Until) -> Lost:
    """How many messages find no room of a burst that nobody reads; some were sent, and read, before it."""

    def run(
        transport: str = "tcp", *, sndhwm: int = MARK, rcvhwm: int = MARK, network_pauses: bool = False
    ) -> int:
        with connected(transport, sndhwm, rcvhwm, until) as (pub, sub, relay):
            for number in range(RUNNING):
                pub.getsockopt(zmq.EVENTS)  # takes in how far the pipe has been read
                pub.send(b"%08d" % number + BODY)
                assert sub.recv()[:8] == b"%08d" % number
            if relay is not None and network_pauses:
                relay.pause()
            for number in range(BURST):
                pub.send(b"%08d" % number + BODY)
            if relay is not None:
                relay.resume()
            got: list[bytes] = []

            def has_ended() -> bool:
                pub.send(END)
                while sub.poll(1):
                    got.append(sub.recv())
                return END in got

            until(has_ended)
            return BURST - sum(message != END for message in got)

    return run


def test_a_mark_of_twice_what_it_held_and_what_was_lost_loses_nothing(lost: Lost) -> None:
    in_burst = lost()
    assert in_burst > BURST / 2
    assert lost(sndhwm=2 * (MARK + in_burst)) == 0


def test_over_inproc_both_marks_together_hold_it(lost: Lost) -> None:
    in_burst = lost("inproc")
    assert in_burst > BURST / 2
    assert lost("inproc", sndhwm=2 * (2 * MARK + in_burst) - MARK) == 0


def test_a_mark_that_is_higher_by_what_was_lost_alone_still_loses_as_reads_are_counted_late(
    lost: Lost,
) -> None:
    assert lost(sndhwm=MARK + lost()) > 0


def test_a_higher_mark_at_the_receiver_does_not_hold_a_burst_that_the_network_does_not_take(
    lost: Lost,
) -> None:
    assert lost(rcvhwm=MARK + lost(), network_pauses=True) > BURST / 2


def test_over_tcp_the_kernel_holds_small_messages_beside_whatever_marks(context: zmq.Context) -> None:
    """What is under way to a receiver that does not read may be far more than the marks: 100 kB and more."""
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    push.sndhwm = pull.rcvhwm = 1
    push.sndbuf = pull.rcvbuf = 200_000  # below what a kernel gives to anybody, unless somebody lowered it
    pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")
    for _ in range(1000):
        assert push.poll(5000, zmq.POLLOUT)
        push.send(b"x" * 100, zmq.DONTWAIT)


QUEUED = """
import sys, zmq
from pathlib import Path

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

size, messages = int(sys.argv[1]), int(sys.argv[2])
push = zmq.Context().socket(zmq.PUSH)
push.sndhwm = 0
push.linger = 0
push.connect("tcp://127.0.0.1:9")
before = resident()
for _ in range(messages):
    push.send(b"x" * size)
print((resident() - before) / messages)
"""


@pytest.mark.parametrize(
    ("size", "messages", "times"),
    [(10, 200_000, (5, 10)), (1000, 20_000, (1, 1.3)), (10_000, 2000, (0.9, 1.1))],
)
def test_a_queued_message_takes_its_bytes_and_if_it_is_small_some_more(
    size: int, messages: int, times: tuple[float, float]
) -> None:
    command = [sys.executable, "-c", QUEUED, str(size), str(messages)]
    took = subprocess.run(command, capture_output=True, text=True, check=True)
    assert times[0] * size <= float(took.stdout) <= times[1] * size
