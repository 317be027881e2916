"""Frames that look like stamps, read by a real receiver: its agent reads all that it journals of them."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from forged import STREAM

SUPPORT = Path(__file__).parents[1] / "support"
RECEIVER = """
import sys
import hopwatch, zmq
from forged import stamp_like
context = zmq.Context()
push, pull = context.socket(zmq.PUSH), hopwatch.wrap(context.socket(zmq.PULL), name="pull")
push.connect(f"tcp://127.0.0.1:{pull.bind_to_random_port('tcp://127.0.0.1')}")
for number in map(int, sys.argv[1:]):
    push.send_multipart([b"x", stamp_like(number)])
    pull.recv_multipart()
pull.close()
context.destroy(linger=0)
"""
NAME = f"{STREAM:016x}"


@pytest.fixture
def receive(bench: Any) -> Any:
    """Receives stamps with these numbers; the agent reads what came of that."""

    def run(*numbers: int) -> None:
        environment = os.environ | {"HOPWATCH_DIR": str(bench.journal), "PYTHONPATH": str(SUPPORT)}
        command = [sys.executable, "-c", RECEIVER, *map(str, numbers)]
        subprocess.run(command, env=environment, timeout=60, check=True)
        bench.tick()

    return run


def test_numbers_that_nobody_sends_are_no_loss_and_one_finding(bench: Any, receive: Any) -> None:
    receive(0, 10**15, 2**64 - 1, 2**63)
    (socket,) = bench.view.sockets()
    assert [socket.counters[name] for name in ("received", "gaps", "lost")] == [4, 0, 0]
    assert [(found.rule, "3 so far" in found.text) for found in socket.findings] == [
        ("impossible_stamps", True)
    ]
    assert list(bench.view.incidents()) == []
    assert bench.faults() == []


def test_a_sender_that_this_agent_does_not_know_is_called_so(bench: Any, receive: Any) -> None:
    receive(0, 1_000)
    (lane,) = (lane for lane in bench.view.lanes() if lane.stream == NAME)
    assert (lane.role, lane.sender_name, lane.lost) == ("receive", None, 999)
    (incident,) = bench.view.incidents()
    assert incident.hop == f"a sender unknown here (stream {NAME}) → pull"
    assert bench.faults() == []
