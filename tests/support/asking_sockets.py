"""A real process of a DEALER that asks a ROUTER, and of answers: none of them is read, but the first."""

from contextlib import AbstractContextManager
from pathlib import Path

from playing import playing

QUESTIONS, ANSWERS = 500, 7

_PROGRAM = f"""
import sys, zmq, hopwatch
context = zmq.Context.instance()
asker = hopwatch.wrap(context.socket(zmq.DEALER), name="asker", sequence="stamp")
service = hopwatch.wrap(context.socket(zmq.ROUTER), name="service", sequence="stamp")
asker.connect(f"tcp://127.0.0.1:{{service.bind_to_random_port('tcp://127.0.0.1')}}")
asker.send(b"question")
who, _ = service.recv_multipart()
service.send_multipart([who, b"answer"])
asker.recv()
for _ in range({QUESTIONS}):
    asker.send(b"question")
for _ in range({ANSWERS}):
    service.send_multipart([who, b"answer"])
print("sent", flush=True)
sys.stdin.readline()
context.destroy(linger=0)
"""


def asking_sockets(journal: Path) -> AbstractContextManager[None]:
    """Lives as long as the block does, which begins when everything is sent."""
    return playing(_PROGRAM, journal)
