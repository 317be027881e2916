"""Two hosts with a long way between them: what goes in at one end comes out at the other some time later.

Kernels without netem have no way to delay packets: here a process of its own does, between a TUN device in each of two network namespaces.
"""

import fcntl
import os
import select
import stat
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from namespaces import RECEIVER, SENDER, Wire

TUN = Path("/dev/net/tun")
SET_INTERFACE = 0x400454CA
WITHOUT_HEADER = 0x0001 | 0x1000
LARGEST_PACKET = 65_536
PACKETS_AT_ONCE = 64
LONGEST_WAIT = 0.05


def missing() -> str | None:
    """Why there can be none here."""
    try:
        if not TUN.exists():
            TUN.parent.mkdir(exist_ok=True)
            os.mknod(TUN, stat.S_IFCHR | 0o666, os.makedev(10, 200))
        os.close(os.open(TUN, os.O_RDWR))
    except OSError as error:
        return f"no TUN device here: {error}"
    return None


@contextmanager
def long_way(seconds: float) -> Iterator[Wire]:
    """One on which everything takes so long, each way: ``SENDER`` at one end and ``RECEIVER`` at the other."""
    name = f"hwl{os.getpid()}"
    made = Wire(f"{name}a", f"{name}b", "wire")
    ends = ((made.sender, SENDER), (made.receiver, RECEIVER))
    arguments = [part for end in ends for part in end]
    try:
        for namespace, _ in ends:
            _run("ip", "netns", "add", namespace)
        with _carrier(str(seconds), *arguments):
            yield made
    finally:
        for namespace, _ in ends:
            subprocess.run(["ip", "netns", "del", namespace], capture_output=True, check=False)


@contextmanager
def _carrier(*arguments: str) -> Iterator[None]:
    command = [sys.executable, __file__, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as carrier:
        try:
            assert carrier.stdout is not None
            assert carrier.stdout.readline() == b"ready\n"
            yield
        finally:
            carrier.communicate()


def main() -> None:
    """Carries packets until its standard input ends."""
    seconds, *names = sys.argv[1:]
    ends = [_end(*names[place : place + 2]) for place in (0, 2)]
    print("ready", flush=True)
    _carry(ends, float(seconds))


def _end(namespace: str, address: str) -> int:
    tun = os.open(TUN, os.O_RDWR | os.O_NONBLOCK)
    device = f"t{namespace}"[:15]
    fcntl.ioctl(tun, SET_INTERFACE, struct.pack("16sH", device.encode(), WITHOUT_HEADER))
    _run("ip", "link", "set", device, "netns", namespace, "name", "wire")
    for command in (
        ("addr", "add", f"{address}/24", "dev", "wire"),
        ("link", "set", "lo", "up"),
        ("link", "set", "wire", "up", "txqueuelen", "10000"),
    ):
        _run("ip", "-n", namespace, *command)
    return tun


def _carry(ends: list[int], seconds: float) -> None:
    under_way: dict[int, deque[tuple[float, bytes]]] = {end: deque() for end in ends}
    others = dict(zip(ends, reversed(ends), strict=True))
    while True:
        now, wait = time.monotonic(), LONGEST_WAIT
        for end, packets in under_way.items():
            while packets and packets[0][0] <= now:
                os.write(others[end], packets.popleft()[1])
            if packets:
                wait = min(wait, packets[0][0] - now)
        readable, _, _ = select.select([*ends, sys.stdin], [], [], wait)
        if sys.stdin in readable:
            return
        for end in readable:
            _take(end, under_way[end], time.monotonic() + seconds)


def _take(end: int, packets: deque[tuple[float, bytes]], comes_at: float) -> None:
    with suppress(BlockingIOError):
        for _ in range(PACKETS_AT_ONCE):
            packets.append((comes_at, os.read(end, LARGEST_PACKET)))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"


if __name__ == "__main__":
    main()
