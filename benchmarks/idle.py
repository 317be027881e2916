"""CPU of hopwatch's background thread in a process with 100 wrapped sockets: idle, at work, and connecting in vain."""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

SOCKETS = 100


def monitor_thread() -> int:
    """Native id of hopwatch's thread."""
    return next(
        thread.native_id or 0 for thread in threading.enumerate() if thread.name == "hopwatch-monitors"
    )


def cpu_seconds(thread: int) -> float:
    """CPU time of one thread so far, to the nanosecond."""
    return int(Path(f"/proc/self/task/{thread}/schedstat").read_text().split()[0]) / 1e9


def measure(label: str, seconds: float, work: Callable[[], None]) -> None:
    """Do the work again and again for so many seconds; print the share of a core that the thread took."""
    time.sleep(1)
    thread = monitor_thread()
    before, began = cpu_seconds(thread), time.monotonic()
    while time.monotonic() - began < seconds:
        work()
    share = (cpu_seconds(thread) - before) / (time.monotonic() - began)
    print(f"| {label} | {100 * share:.3f} % |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    seconds = parser.parse_args().seconds
    os.environ["HOPWATCH_DIR"] = tempfile.mkdtemp()
    import hopwatch
    import zmq

    context = zmq.Context()
    pairs = []
    for _ in range(SOCKETS // 2):
        push, pull = (hopwatch.wrap(context.socket(kind), sequence="stamp") for kind in (zmq.PUSH, zmq.PULL))
        push.connect(f"tcp://127.0.0.1:{pull.bind_to_random_port('tcp://127.0.0.1')}")
        pairs.append((push, pull))

    def send_and_receive() -> None:
        for push, pull in pairs:
            push.send(b"x" * 64)
            pull.recv()

    print(f"| {SOCKETS} sockets, {SOCKETS // 2} connections | CPU of the thread |\n| --- | ---: |")
    measure("idle", seconds, lambda: time.sleep(0.1))
    measure("sending and receiving all the time", seconds, send_and_receive)
    reserved = context.socket(zmq.PULL)
    port = reserved.bind_to_random_port("tcp://127.0.0.1")
    reserved.close()
    for push, _ in pairs:
        push.connect(f"tcp://127.0.0.1:{port}")
    measure("each of the 50 senders also connecting to nobody", seconds, lambda: time.sleep(0.1))
    context.destroy(linger=0)


if __name__ == "__main__":
    main()
