"""Sockets and contexts that live until the interpreter is half gone end as bare ones do."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import zmq
from interpreters import frees_classes
from journal_reader import Journal

PROGRAM = """
    import atexit, gc, os, sys, threading
    import zmq
    if sys.argv[1] != "bare":
        import hopwatch
        hopwatch.install(sequence=None if sys.argv[1] == "counted" else sys.argv[1])

    class Link:
        def __init__(self):
            self.context = zmq.Context()
            self.push, self.pull = self.context.socket(zmq.PUSH), self.context.socket(zmq.PULL)
            self.pull.connect(f"tcp://127.0.0.1:{self.push.bind_to_random_port('tcp://127.0.0.1')}")

        def pass_messages(self):
            for _ in range(3):
                self.push.send(b"x")
                assert self.pull.recv() == b"x"  # hardly ever there without waiting
            self.push.send_multipart([b"y", b"z"])
            assert self.pull.recv_multipart() == [b"y", b"z"]

        def end(self, write=os.write):
            self.pass_messages()
            self.push.close()
            self.pull.close()
            self.context.term()
            write(1, b"ended\\n")
"""

LAST_MOMENTS = {
    "while modules are taken down": "Link.__del__ = Link.end; link = Link(); link.pass_messages()",
    "in a cycle": "gc.disable(); Link.__del__ = Link.end; link = Link(); link.pass_messages(); link.me = link; del link; gc.collect()",
    "at exit, after us": "link = []; atexit.register(lambda: link[0].end()); link.append(Link()); link[0].pass_messages()",
    "made at exit, after us": "atexit.register(lambda: Link().end()); link = Link(); link.pass_messages(); link.end()",
    "made at exit, ended as modules are taken down": """
def make():
    global link
    Link.__del__ = Link.end
    link = Link()
atexit.register(make)
first = Link()
first.pass_messages()
""",
}
"""In a cycle no collection comes before: it would change which part of the cycle is finalized first."""


@frees_classes
@pytest.mark.parametrize("sequence", ["counted", "stamp"])
@pytest.mark.parametrize("moment", LAST_MOMENTS)
def test_what_is_closed_last_ends_as_a_bare_socket_does(
    tmp_path: Path, journal: Journal, moment: str, sequence: str
) -> None:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM) + LAST_MOMENTS[moment])

    def run(way: str) -> tuple[int, str, str]:
        command = [sys.executable, "-W", "ignore", str(program), way]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        return ended.returncode, ended.stdout, ended.stderr

    assert run(sequence) == run("bare")
    assert journal.header() == {"events_lost": 0, "faults": 0}


FULL = """
    import os, sys
    import zmq
    if sys.argv[1] != "bare":
        import hopwatch
        hopwatch.install(sequence=None if sys.argv[1] == "counted" else sys.argv[1])

    class Full:
        def __init__(self, sender_type, receiver_type, message):
            self.context, self.message = zmq.Context(), message
            self.sender, self.receiver = self.context.socket(sender_type), self.context.socket(receiver_type)
            self.sender.sndhwm = self.receiver.rcvhwm = 1
            self.sender.sndtimeo = self.receiver.rcvtimeo = 50
            if receiver_type == zmq.SUB:
                self.receiver.subscribe(b"")
            if sender_type == zmq.ROUTER:
                self.receiver.routing_id = message[0]
            self.sender.bind("inproc://full")
            self.receiver.connect("inproc://full")
            if sender_type == zmq.XPUB:
                self.sender.rcvtimeo = -1
                self.sender.recv()
            self.sender.send_multipart(message)
            self.receiver.recv_multipart()

        def __del__(self, write=os.write):
            said = []
            for act in [lambda: self.sender.send_multipart(self.message)] * 4 + [self.receiver.recv_multipart] * 3:
                try:
                    said.append(repr(act()))
                except BaseException as error:
                    said.append(type(error).__name__)
            self.sender.close(0)
            self.receiver.close(0)
            self.context.term()
            write(1, "; ".join(said).encode())
"""

SENDERS = {
    "PUSH": 'full = Full(zmq.PUSH, zmq.PULL, [b"x"])',
    "PUSH, two frames": 'full = Full(zmq.PUSH, zmq.PULL, [b"x", b"y"])',
    "XPUB, which drops": 'full = Full(zmq.XPUB, zmq.SUB, [b"x"])',
    "XPUB, which drops two frames": 'full = Full(zmq.XPUB, zmq.SUB, [b"x", b"y"])',
    "ROUTER, which drops": 'full = Full(zmq.ROUTER, zmq.DEALER, [b"x", b"y"])',
    "DEALER": 'full = Full(zmq.DEALER, zmq.DEALER, [b"x"])',
}


@frees_classes
@pytest.mark.parametrize("sequence", ["counted", "stamp"])
@pytest.mark.parametrize("sender", SENDERS)
def test_a_full_pipe_answers_as_ever_while_modules_are_taken_down(
    tmp_path: Path, journal: Journal, sender: str, sequence: str
) -> None:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(FULL) + SENDERS[sender])
    answers = [_output(program, way) for way in ("bare", sequence)]
    assert answers[1] == answers[0]
    assert answers[0].count("; ") == 6
    assert journal.header() == {"events_lost": 0, "faults": 0}


WAITING = """
    import os, sys
    import zmq
    if sys.argv[1] != "bare":
        import hopwatch
        hopwatch.install()

    class Last:
        def __init__(self):
            self.context = zmq.Context()
            self.push = self.context.socket(zmq.PUSH)
            self.push.sndhwm, self.push.sndbuf = 1, 4096
            self.push.connect(sys.argv[2])
            self.push.send(b"first")
            while self.push.poll(500, zmq.POLLOUT):
                self.push.send(bytes(100_000))

        def __del__(self, write=os.write):
            write(1, b"waits\\n")
            self.push.send(b"last")
            self.push.close()
            self.context.term()

    last = Last()
"""


@frees_classes
@pytest.mark.parametrize("way", ["bare", "counted"])
def test_a_send_that_waits_while_modules_are_taken_down_goes_through(
    tmp_path: Path, context: zmq.Context, journal: Journal, way: str
) -> None:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(WAITING))
    pull = context.socket(zmq.PULL)
    pull.rcvhwm, pull.rcvbuf, pull.rcvtimeo = 1, 4096, 20_000
    port = pull.bind_to_random_port("tcp://127.0.0.1")
    command = [sys.executable, "-W", "ignore", str(program), way, f"tcp://127.0.0.1:{port}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waits\n", process.communicate()
        received = pull.recv()
        while received != b"last":
            received = pull.recv()
        assert process.communicate(timeout=30) == ("", "")
        assert process.returncode == 0


def _output(program: Path, way: str) -> str:
    command = [sys.executable, "-W", "ignore", str(program), way]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout
