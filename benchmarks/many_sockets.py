"""What a process holds after thousands of sockets were opened and closed: bare, wrapped one by one, and by ``install``; and after thousands
of senders that one wrapped receiver outlives.
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

PARTS = 10
WAYS = ("bare", "wrap", "install", "one receiver")


def held(journal: Path) -> tuple[int, ...]:
    """Threads, files, mapped files of counters, blocks of Python memory, and resident memory (bytes)."""
    gc.collect()
    files, deadline = -1, time.monotonic() + 10
    while time.monotonic() < deadline:  # libzmq closes its files a little after the socket
        before, files = files, len(list(Path("/proc/self/fd").iterdir()))
        if files == before:
            break
        time.sleep(0.3)
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    return (
        threading.active_count(),
        files,
        len(list(journal.glob("*.counters"))),
        sys.getallocatedblocks(),
        resident,
    )


def measure(way: str, count: int) -> None:
    """Open, connect, use and close so many sockets; print what is held after each tenth."""
    import hopwatch
    import zmq

    context = zmq.Context()
    journal = Path(os.environ["HOPWATCH_DIR"])
    lasting = context.socket(zmq.PULL) if way == "one receiver" else None
    if lasting is not None:
        hopwatch.wrap(lasting, sequence="stamp").bind_to_random_port("tcp://127.0.0.1")
    if way == "install":
        hopwatch.install(sequence="stamp")
    for part in range(1, PARTS + 1):
        began = time.monotonic()
        for _ in range(count // PARTS // (1 if lasting else 2)):
            push, pull = context.socket(zmq.PUSH), lasting or context.socket(zmq.PULL)
            if way in {"wrap", "one receiver"}:
                hopwatch.wrap(push, sequence="stamp")
                hopwatch.wrap(pull, sequence="stamp")
            if pull is not lasting:
                pull.bind_to_random_port("tcp://127.0.0.1")
            push.connect(pull.last_endpoint)
            push.send(b"x")
            pull.recv()
            push.close()
            if pull is not lasting:
                pull.close()
        a_socket = (time.monotonic() - began) / (count // PARTS)
        threads, files, mapped, blocks, resident = held(journal)
        print(
            f"| {way} | {part * count // PARTS:,} | {threads} | {files} | {mapped} | {blocks:,} | {resident / 1e6:.1f} "
            f"| {1e6 * a_socket:.0f} |",
            flush=True,
        )
    if lasting is not None:
        lasting.close()
    context.term()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sockets", type=int, default=10_000)
    parser.add_argument("--way", choices=WAYS, help="one of them only, in this process")
    arguments = parser.parse_args()
    if arguments.way:
        measure(arguments.way, arguments.sockets)
        return
    print(
        "| sockets are | so many so far | threads | files | mapped | Python's blocks | resident, MB | µs a socket |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    for way in WAYS:
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "HOPWATCH_DIR": folder}
            command = [sys.executable, __file__, "--way", way, "--sockets", str(arguments.sockets)]
            subprocess.run(command, env=environment, check=True)


if __name__ == "__main__":
    main()
