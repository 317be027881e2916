"""Sockets and contexts that live until the interpreter is half gone end as bare ones do."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
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
