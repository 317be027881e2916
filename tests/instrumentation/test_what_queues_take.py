"""What queued messages take of a process's memory, shown by a bare socket that nobody reads from: advice on marks tells it."""

import subprocess
import sys

import pytest

MESSAGES = 100_000
GROWN = """
import sys, zmq
length, frames, messages = map(int, sys.argv[1:])

def resident():
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * 4096

socket = zmq.Context().socket(zmq.PUSH)
socket.sndhwm = socket.linger = 0
socket.connect("tcp://127.0.0.1:9")
parts = [b"x" * length] * frames

def queue():
    for _ in range(messages):
        socket.send_multipart(parts)

queue()  # fills what the heap has free
before = resident()
queue()
print((resident() - before) / messages)
"""


def taken(length: int, frames: int = 1) -> float:
    """Bytes by which a process grows for each message that it queues."""
    command = [sys.executable, "-c", GROWN, str(length), str(frames), str(MESSAGES)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.mark.parametrize("length", [1, 33])
def test_a_short_frame_takes_64_bytes_in_a_queue(length: int) -> None:
    assert taken(length) == pytest.approx(64, abs=6)
    assert taken(length, frames=3) == pytest.approx(3 * 64, abs=6)


@pytest.mark.parametrize("length", [34, 200, 1000])
def test_a_longer_one_takes_some_120_beside_its_length(length: int) -> None:
    assert taken(length) == pytest.approx(length + 120, abs=12)
