"""What a signal's handler raises reaches the application, however busy its socket is: Ctrl-C, and timeouts by an alarm."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROUNDS = 150
RECEIVING = """
import os, random, signal, sys, threading, time
import zmq, hopwatch
how, method, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
context = zmq.Context()
push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
if how != "bare":
    for socket in (push, pull):
        hopwatch.wrap(socket, sequence=None if how == "plain" else how)
pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")

class Alarm(Exception):
    pass

def raise_alarm(*_):
    raise Alarm

def send():
    while True:
        push.send(b"x" * 20)

signal.signal(signal.SIGALRM, raise_alarm)
threading.Thread(target=send, daemon=True).start()
receive = getattr(pull, method)
# a function of its own: Python 3.13.0 passes over handlers around a loop for what is raised at the loop's condition
def receive_for_two_seconds():
    began = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0003, 0.003))
    while time.monotonic() - began < 2:
        for _ in range(10):
            receive()

raised = 0
random.seed(rounds)
for _ in range(1000):
    receive()
for _ in range(rounds):
    try:
        receive_for_two_seconds()
    except Alarm:
        raised += 1
print(raised, flush=True)
os._exit(0)
"""


@pytest.mark.parametrize("method", ["recv", "recv_multipart"])
@pytest.mark.parametrize("how", ["bare", "plain", "count", "stamp"])
def test_none_is_swallowed(tmp_path: Path, how: str, method: str) -> None:
    command = [sys.executable, "-c", RECEIVING, how, method, str(ROUNDS)]
    environment = os.environ | {"HOPWATCH_DIR": str(tmp_path)}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=250, check=True)
    assert (ended.stdout, ended.stderr) == (f"{ROUNDS}\n", "")
