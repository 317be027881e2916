"""What a socket costs that serves one request: CPU, and what it leaves behind without the cycle collector.

    python benchmarks/socket_per_request.py      # a minute

A REQ is made, connected over loopback TCP, used for one request and closed, again and again. Bare and wrapped processes take turns.
"""

from __future__ import annotations

import argparse
import gc
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

WAYS = ("bare", "counted", "stamped")
WARM_UP = 300


def measure(way: str, count: int) -> None:
    """Print microseconds of CPU a socket, and objects and kilobytes that each leaves."""
    import hopwatch
    import zmq

    gc.disable()
    if way != "bare":
        hopwatch.install(sequence="stamp" if way == "stamped" else None)
    context = zmq.Context()
    server = context.socket(zmq.REP)
    port = server.bind_to_random_port("tcp://127.0.0.1")
    threading.Thread(target=lambda: [server.send(server.recv()) for _ in iter(int, 1)], daemon=True).start()

    def request() -> None:
        client = context.socket(zmq.REQ)
        client.linger = 0
        client.connect(f"tcp://127.0.0.1:{port}")
        client.send(b"")
        client.recv()
        client.close()

    for _ in range(WARM_UP):
        request()
    objects, resident, began = len(gc.get_objects()), _resident(), time.process_time()
    for _ in range(count):
        request()
    cpu = (time.process_time() - began) / count
    left = (len(gc.get_objects()) - objects) / count, (_resident() - resident) / count / 1000
    print(cpu * 1e6, *left, flush=True)
    os._exit(0)


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def run(way: str, count: int) -> tuple[float, ...]:
    """What a process of its own measures."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--way", way, "--sockets", str(count)]
        environment = {**os.environ, "HOPWATCH_DIR": folder}
        printed = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        return tuple(map(float, printed.stdout.split()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sockets", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--way", choices=WAYS, help="one of them only, in this process")
    arguments = parser.parse_args()
    if arguments.way:
        measure(arguments.way, arguments.sockets)
        return
    measured: dict[str, list[tuple[float, ...]]] = {way: [] for way in WAYS}
    for _ in range(arguments.rounds):
        for way in WAYS:
            measured[way].append(run(way, arguments.sockets))
    print(
        "| sockets are | CPU, µs each | of bare, in the same round | objects left by each | kB left by each |"
    )
    print("| --- | ---: | ---: | ---: | ---: |")
    for way in WAYS:
        cpu, objects, kilobytes = (median(column) for column in zip(*measured[way], strict=True))
        pairs = zip(measured[way], measured["bare"], strict=True)
        of_bare = median(wrapped[0] / bare[0] for wrapped, bare in pairs)
        print(f"| {way} | {cpu:.0f} | {of_bare:.2f} | {objects:.2f} | {kilobytes:.2f} |", flush=True)


if __name__ == "__main__":
    main()
