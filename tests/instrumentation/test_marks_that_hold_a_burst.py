"""Which mark holds a burst, and what memory a queue takes, shown by bare sockets: what advice on marks rests on."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest
import zmq

Until = Callable[[Callable[[], object]], None]
Lost = Callable[..., int]
MARK = 100
RUNNING = 499  # messages sent, and read, before the burst
BURST = 2000
QUIET_MS = 300


def read_slowly(sub: zmq.Socket, done: threading.Event, got: list[int]) -> None:
    while not done.is_set() or sub.poll(QUIET_MS):
        if sub.poll(QUIET_MS):
            got.append(int(sub.recv()[:8]))
            time.sleep(0.0003)


@pytest.fixture
def lost(until: Until) -> Lost:
    """How many messages of a burst, which comes when some have been read before, do not find room."""

    def run(transport: str = "tcp", *, sndhwm: int = MARK, rcvhwm: int = MARK) -> int:
        context = zmq.Context()
        pub, sub = context.socket(zmq.PUB), context.socket(zmq.SUB)
        pub.sndhwm, pub.sndbuf, sub.rcvhwm, sub.rcvbuf = sndhwm, 4096, rcvhwm, 4096
        sub.subscribe(b"")
        pub.bind("inproc://burst" if transport == "inproc" else "tcp://127.0.0.1:*")
        sub.connect(pub.getsockopt_string(zmq.LAST_ENDPOINT))
        until(lambda: pub.getsockopt(zmq.EVENTS) and pub.getsockopt(zmq.TOPICS_COUNT))
        got: list[int] = []
        done = threading.Event()
        reader = threading.Thread(target=read_slowly, args=(sub, done, got))
        reader.start()
        for number in range(RUNNING):
            pub.send(b"%08d" % number + b"x" * 200)
            time.sleep(0.001)
            until(lambda number=number: number - len(got) < 20)
        until(lambda: len(got) == RUNNING)
        for number in range(RUNNING, RUNNING + BURST):
            pub.send(b"%08d" % number + b"x" * 200)
        done.set()
        reader.join()
        context.destroy(linger=0)
        return RUNNING + BURST - len(got)

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
    assert lost(rcvhwm=MARK + lost()) > BURST / 2


def test_over_tcp_the_kernel_holds_small_messages_beside_whatever_marks(context: zmq.Context) -> None:
    """What is under way to a receiver that does not read may be far more than the marks: with libzmq's own buffers, 100 kB and more."""
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    push.sndhwm = pull.rcvhwm = 1
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
