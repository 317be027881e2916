"""Where a process has few descriptors left, it goes on as it would without hopwatch."""

import os
import subprocess
import sys
import textwrap

import pytest
from journal_reader import Journal

LEAVE = """
import os, resource, sys, threading
import hopwatch, zmq

def leave(descriptors):
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    used = len(os.listdir("/proc/self/fd")) - 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + descriptors, 4096))

left = int(sys.argv[1])
context = zmq.Context()
context.linger = 0
"""

WRAP = """
push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
pub, sub = context.socket(zmq.PUB), context.socket(zmq.SUB)
push.bind("inproc://work"), pull.connect("inproc://work")
leave(left)
hopwatch.wrap(push, name="push", sequence="stamp")
hopwatch.wrap(pull, name="pull", sequence="stamp")
hopwatch.wrap(pub, name="pub"), hopwatch.wrap(sub, name="sub")
push.send(b"x")
print(pull.recv().decode())
leave(100)
late = hopwatch.wrap(context.socket(zmq.PUB), name="late")
print(late._hopwatch_bare.__name__, [finding.rule for finding in hopwatch.findings(late)])
for socket in (push, pull, pub, sub, late):
    socket.close()
context.term()
"""

PROXY = """
front, back = context.socket(zmq.PULL), context.socket(zmq.PUSH)
front.bind("inproc://front"), back.bind("inproc://back")
push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
push.connect("inproc://front"), pull.connect("inproc://back")
if sys.argv[2] == "wrapped":
    hopwatch.wrap(front, name="front"), hopwatch.wrap(back, name="back")

def use():
    push.send(b"x")
    print(pull.recv().decode(), flush=True)
    push.close(), pull.close()
    context.term()

user = threading.Thread(target=use)
user.start()
leave(left)
try:
    hopwatch.proxy(front, back, name="relay")
except zmq.ContextTerminated:
    print("ended as zmq.proxy ends")
front.close(), back.close()
user.join()
"""


def run(program: str, *arguments: str) -> tuple[int, str, str]:
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(LEAVE + program), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ,
        check=False,
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize("left", [0, 2, 4, 8, 16, 24])
def test_sockets_are_wrapped_as_far_as_can_be_and_work(journal: Journal, left: int) -> None:
    status, output, errors = run(WRAP, str(left))
    assert (status, output) == (0, "x\nSocket []\n"), errors


@pytest.mark.parametrize("wrapped", ["wrapped", "bare"])
@pytest.mark.parametrize("left", [0, 3, 6, 9, 12, 20])
def test_a_proxy_passes_messages_on(journal: Journal, left: int, wrapped: str) -> None:
    status, output, errors = run(PROXY, str(left), wrapped)
    assert (status, output) == (0, "x\nended as zmq.proxy ends\n"), errors


MANY = """
import os, resource
import hopwatch, zmq

resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
taken = [os.open("/dev/null", os.O_RDONLY) for _ in range(1100)]
with zmq.Context() as context, hopwatch.wrap(context.socket(zmq.PULL), name="pull") as pull:
    port = pull.bind_to_random_port("tcp://127.0.0.1")
    for _ in range(1000):
        with context.socket(zmq.PUSH) as push:
            push.connect(f"tcp://127.0.0.1:{port}")
            push.send(b"x")
            pull.recv()
"""


def test_descriptors_above_1023_are_as_good_as_any(journal: Journal) -> None:
    """More events come than are looked at one by one."""
    ended = run(MANY, "0")
    assert ended == (0, "", "")
    assert journal.socket("pull")["received"] == 1000
    assert journal.header() == {"events_lost": 0, "faults": 0}
