"""A real process whose sockets lose messages, are refused sends, and rest, for as long as somebody looks. Run as a program, it is that process."""

import itertools
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from zmq import DONTWAIT, Again

BURST = 60
READ_OF_JOBS = 10
ROUND_SECONDS = 0.02


@contextmanager
def lossy_sockets(journal: Path, **variables: str) -> Iterator[None]:
    """Quotes → slow loses, jobs → worker is refused sends, idle rests: while the block runs."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    with subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**environment, "HOPWATCH_DIR": str(journal), "HOPWATCH_HOST": "box-1", **variables},
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "running\n"
            yield
        finally:
            process.kill()


def main() -> None:
    """Until standard input ends."""
    import hopwatch
    import zmq

    context = zmq.Context.instance()

    def opened(kind: int, name: str, **marks: int) -> Any:
        socket = hopwatch.wrap(context.socket(kind), name=name, sequence="stamp")
        for option, value in {"sndbuf": 4096, "rcvbuf": 4096, **marks}.items():
            setattr(socket, option, value)
        return socket

    quotes, slow = opened(zmq.PUB, "quotes", sndhwm=10), opened(zmq.SUB, "slow", rcvhwm=10)
    jobs, worker = opened(zmq.PUSH, "jobs", sndhwm=10), opened(zmq.PULL, "worker", rcvhwm=10)
    idle = opened(zmq.PULL, "idle")
    idle.bind("inproc://idle")
    slow.subscribe(b"")
    for sender, receiver in ((quotes, slow), (jobs, worker)):
        receiver.connect(f"tcp://127.0.0.1:{sender.bind_to_random_port('tcp://127.0.0.1')}")
    print("running", flush=True)
    os.set_blocking(sys.stdin.fileno(), False)
    for number in itertools.count(1):
        if sys.stdin.buffer.raw.read(1) is not None:
            break
        send_some(quotes, jobs)
        read_some(slow, worker, idle=number % 4 == 0)
        time.sleep(ROUND_SECONDS)
    context.destroy(linger=0)


def send_some(quotes: Any, jobs: Any) -> None:
    """More than is read."""
    for number in range(BURST):
        quotes.send_multipart([b"topic-%d" % (number % 3), b"x" * 1000])
        with suppress(Again):
            jobs.send(b"y" * 1000, DONTWAIT)


def read_some(slow: Any, worker: Any, *, idle: bool) -> None:
    """The slow one, unless it is idle, whatever has come; the worker a few jobs."""
    while not idle and slow.poll(0):
        slow.recv_multipart()
    for _ in range(READ_OF_JOBS):
        if worker.poll(0):
            worker.recv()


if __name__ == "__main__":
    main()
