"""What a signal's handler raises reaches the application while its send waits for room: Ctrl-C, and timeouts by an alarm."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROUNDS = 400
SENDING = """
import os, random, signal, sys, threading, time
import zmq, hopwatch
how, parts, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
context = zmq.Context()
push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
push.sndhwm = pull.rcvhwm = 3
if how != "bare":
    for socket in (push, pull):
        hopwatch.wrap(socket, sequence=None if how == "plain" else how)
pull.bind("inproc://full")
push.connect("inproc://full")

class Alarm(Exception):
    pass

def raise_alarm(*_):
    raise Alarm

def receive():
    while True:
        pull.recv_multipart()

signal.signal(signal.SIGALRM, raise_alarm)
threading.Thread(target=receive, daemon=True).start()
# a function of its own: Python 3.13.0 passes over handlers around a loop for what is raised at the loop's condition
def send_until_alarm():
    began = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0003, 0.003))
    while time.monotonic() - began < 2:
        for _ in range(10):
            push.send_multipart([b"x" * 20] * parts) if parts > 1 else push.send(b"x" * 20)

raised = 0
random.seed(rounds)
for _ in range(rounds):
    try:
        send_until_alarm()
    except Alarm:
        raised += 1
print(raised, flush=True)
os._exit(0)
"""


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("how", ["bare", "plain", "count", "stamp"])
def test_none_is_swallowed(tmp_path: Path, how: str, parts: int) -> None:
    command = [sys.executable, "-c", SENDING, how, str(parts), str(ROUNDS)]
    environment = os.environ | {"HOPWATCH_DIR": str(tmp_path)}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=250, check=True)
    assert (ended.stdout, ended.stderr) == (f"{ROUNDS}\n", "")
