"""A real process whose sockets have a connection between them, with messages that wait in it."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from playing import playing

_PROGRAM = """
import sys, zmq, hopwatch
context = zmq.Context.instance()
source = hopwatch.wrap(context.socket(zmq.PUSH), name="source", sequence="stamp")
sink = hopwatch.wrap(context.socket(zmq.PULL), name="sink", sequence="stamp")
port = source.bind_to_random_port("tcp://127.0.0.1")
sink.connect(f"tcp://127.0.0.1:{port}")
for n in range(1000):
    source.send(b"x" * 1000)
    sink.recv()
for n in range(50):
    source.send(b"w" * int(sys.argv[1]))
print("sent", flush=True)
sys.stdin.readline()
context.destroy(linger=0)
"""


def lively_sockets(
    journal: Path, before: Sequence[str] = (), waiting_bytes: int = 5, **variables: str
) -> AbstractContextManager[None]:
    """Lives as long as the block does, which begins when everything is sent. ``before``: such as what enters a namespace; ``waiting_bytes``: of each of 50 that are not read."""
    return playing(_PROGRAM, journal, str(waiting_bytes), before=before, **variables)
