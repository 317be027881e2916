"""CPU of hopwatch's background thread at 100 wrapped sockets, idle, at work, or connecting in vain, and with proxies."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import zmq

SOCKETS = 100
NOBODY = "tcp://127.0.0.1:1"


def monitor_thread() -> int:
    """Native id of hopwatch's thread."""
    known = {thread.native_id for thread in threading.enumerate()}
    return next(
        number
        for task in Path("/proc/self/task").iterdir()
        if (number := int(task.name)) not in known and "ZMQbg" not in (task / "comm").read_text()
    )


def cpu_seconds(thread: int) -> float:
    """CPU time of one thread so far, to the nanosecond."""
    return int(Path(f"/proc/self/task/{thread}/schedstat").read_text().split()[0]) / 1e9


def measure(label: str, seconds: float, work: Callable[[], None]) -> None:
    """Do the work again and again for so many seconds; print the share of a core that the thread took."""
    time.sleep(3)
    thread = monitor_thread()
    before, began = cpu_seconds(thread), time.monotonic()
    while time.monotonic() - began < seconds:
        work()
    share = (cpu_seconds(thread) - before) / (time.monotonic() - began)
    print(f"| {label} | {100 * share:.3f} % |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10)
    seconds = parser.parse_args().seconds
    os.environ["HOPWATCH_DIR"] = tempfile.mkdtemp()
    import zmq

    print(f"| {SOCKETS} sockets, {SOCKETS // 2} connections | CPU of the thread |\n| --- | ---: |")
    with_connections(zmq.Context(), seconds)
    print("\n| peers that are not there, and proxies | CPU of the thread |\n| --- | ---: |")
    in_a_process_of_its_own(connecting_to_nobody, seconds)
    for count in (1, 10):
        for passing in (False, True):
            in_a_process_of_its_own(with_proxies, count, passing, seconds)


def in_a_process_of_its_own(measured: Callable[..., None], *arguments: object) -> None:
    """So that nothing else is in its thread."""
    process = multiprocessing.get_context("spawn").Process(target=alone, args=(measured, *arguments))
    process.start()
    process.join()


def alone(measured: Callable[..., None], *arguments: object) -> None:
    """Measure it, and leave what is running behind."""
    measured(*arguments)
    os._exit(0)


def with_connections(context: zmq.Context[zmq.Socket[bytes]], seconds: float) -> None:
    """Idle, at work, and half of them connecting to nobody besides."""
    import hopwatch
    import zmq

    pairs = []
    for _ in range(SOCKETS // 2):
        push, pull = (hopwatch.wrap(context.socket(kind), sequence="stamp") for kind in (zmq.PUSH, zmq.PULL))
        push.connect(f"tcp://127.0.0.1:{pull.bind_to_random_port('tcp://127.0.0.1')}")
        pairs.append((push, pull))

    def send_and_receive() -> None:
        for push, pull in pairs:
            push.send(b"x" * 64)
            pull.recv()

    measure("idle", seconds, lambda: time.sleep(0.1))
    measure("sending and receiving all the time", seconds, send_and_receive)
    for push, _ in pairs:
        push.connect(NOBODY)
    measure("each of the 50 senders also connecting to nobody", seconds, lambda: time.sleep(0.1))
    context.destroy(linger=0)


def connecting_to_nobody(seconds: float) -> None:
    """Sockets of which none has a peer."""
    import hopwatch
    import zmq

    context = zmq.Context()
    sockets = [hopwatch.wrap(context.socket(zmq.PUSH)) for _ in range(SOCKETS)]
    for socket in sockets:
        socket.connect(NOBODY)
    measure(f"{SOCKETS} sockets connecting to nobody", seconds, lambda: time.sleep(0.1))


def with_proxies(count: int, passing: bool, seconds: float) -> None:
    """Proxies, each of which passes 50 messages a second, or none."""
    import hopwatch
    import zmq

    context = zmq.Context()
    ends = []
    for number in range(count):
        front, back = context.socket(zmq.PULL), context.socket(zmq.PUSH)
        push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
        for bound, connected, name in ((front, push, "front"), (back, pull, "back")):
            bound.bind(f"inproc://{name}-{number}")
            connected.connect(f"inproc://{name}-{number}")
        threading.Thread(target=hopwatch.proxy, args=(front, back), daemon=True).start()
        ends.append((push, pull))

    def pass_a_message_each() -> None:
        for push, pull in ends:
            push.send(b"x")
            pull.recv()
        time.sleep(0.02)

    label = (
        f"{count} prox{'y' if count == 1 else 'ies'}, {'50 messages a second each' if passing else 'idle'}"
    )
    measure(label, seconds, pass_a_message_each if passing else lambda: time.sleep(0.1))


if __name__ == "__main__":
    main()
