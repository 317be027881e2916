"""A small writer of journals: FORMAT.md, and nothing else. Run as a program, it writes until it is told to stop."""

import argparse
import fcntl
import json
import os
import struct
import sys
import time
from pathlib import Path

SOCKET_SLOTS = 64
LANE_SLOTS = 1024
SOCKET_SIZE = 192
LANE_SIZE = 64
HEADER_SIZE = 4096
LANES_AT = HEADER_SIZE + SOCKET_SLOTS * SOCKET_SIZE
SIZE = LANES_AT + LANE_SLOTS * LANE_SIZE
SEGMENT_LIMIT = 1024 * 1024

COUNTER_NAMES = [
    "sent",
    "sent_more_frames",
    "sent_bytes",
    "received",
    "received_more_frames",
    "received_bytes",
    "eagain_sends",
    "eagain_receives",
    "waited_sends",
    "waited_ns",
    "onsets",
    "unroutable",
    "gaps",
    "lost",
    "duplicated",
    "reordered",
    "waited_receives",
    "proxied_in_frames",
    "proxied_in_bytes",
    "proxied_out_frames",
    "proxied_out_bytes",
    "pending_sends",
    "proxied_at",
]


class JournalWriter:
    """One process's journal. ``lock=False`` leaves the lock file unlocked, as of a process that is gone.

    ``heads``: each segment repeats what was opened.
    """

    def __init__(
        self,
        directory: Path,
        *,
        host: str = "web-1",
        process: str | None = None,
        lock: bool = True,
        segment_limit: int = SEGMENT_LIMIT,
        heads: bool = False,
        place: dict[str, str] | None = None,
    ) -> None:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.directory = directory
        self.host = host
        self.process = process or os.urandom(8).hex()
        self.index = 0
        self.next_n = 1
        self.lines: dict[int, bytes] = {}
        """Every event, by its number."""
        self._segment_limit = segment_limit
        self._heads = heads
        self._place = {"place": place} if place else {}
        self._lock = self._make_lock(lock=lock)
        self._counters = self._make_counters()
        self._begin_segment()

    def path(self, what: str, index: int | None = None) -> Path:
        """One of the journal's files."""
        middle = "" if index is None else f".{index:04d}"
        return self.directory / f"{self.process}{middle}.{what}"

    def event(self, event: str, *, t: int | None = None, **keys: object) -> int:
        """Appends one event; gives its number."""
        n = self.next_n
        self.next_n += 1
        if self._size() >= self._segment_limit:
            self.next_segment(first=n)
            if self._heads:
                opened = [json.loads(line) for line in self.lines.values() if b'"opened"' in line]
                self.raw(b"".join(self.lines[line["n"]] for line in opened))
                self.standing({line["socket"]: [] for line in opened})
        line = {"event": event, "n": n, "t": time.time_ns() if t is None else t, **keys}
        self.lines[n] = json.dumps(line).encode() + b"\n"
        self.raw(self.lines[n])
        return n

    def raw(self, data: bytes) -> int:
        """Appends bytes as they are; gives the offset at which they begin."""
        offset = self._size()
        with self.path("events", self.index).open("ab") as file:
            file.write(data)
        return offset

    def skip(self, events: int) -> None:
        """Leaves a hole in the numbers, as of events that could not be written."""
        self.next_n += events

    def next_segment(self, first: int | None = None) -> None:
        """Leaves the segment for the next one."""
        self.index += 1
        self._begin_segment(first)

    def next_with_head(self, *repeated: int, **sockets: list[int]) -> None:
        """Begins a segment that repeats these events; ``sockets`` are open, with these connections."""
        self.next_segment()
        self.raw(b"".join(self.lines[n] for n in sorted(repeated)))
        self.standing(sockets)

    def standing(self, sockets: dict[str, list[int]], **keys: object) -> None:
        """Ends a head, or goes on with its end."""
        told = {"after": None, "last": True, "left_out": 0, "sockets": sockets, **keys}
        self._append({"event": "standing", "t": time.time_ns(), **told})

    def opened(
        self,
        socket: str,
        *,
        slot: int | None = 0,
        kind: str = "PUB",
        name: str = "quotes",
        t: int | None = None,
        **counters: int,
    ) -> None:
        """Announces a socket whose slot holds these counters already."""
        if slot is not None:
            self.set_counters(socket, slot, **counters)
        self.event(
            "opened",
            t=t,
            socket=socket,
            name=name,
            type=kind,
            slot=None if slot is None else [0, slot],
            sequence="stamp",
            probed=False,
            proxy=None,
            options={"sndhwm": 1000, "linger": -1},
        )

    def set_counters(self, socket: str, slot: int, **counters: int) -> None:
        """Sets the words of a socket's slot."""
        words = [int(socket, 16), *(counters.get(name, 0) for name in COUNTER_NAMES)]
        os.pwrite(self._counters, struct.pack(f"<{len(words)}Q", *words), HEADER_SIZE + slot * SOCKET_SIZE)

    def set_lane(self, slot: int, socket: str, stream: str, lane: int, *numbers: int) -> None:
        """Sets the words of a lane's slot; ``numbers`` are its words 3 to 7, the time in nanoseconds."""
        *counts, newest_sent_at = numbers
        ids = int(socket, 16), int(stream, 16), lane
        words = struct.pack("<7Qd", *ids, *counts, newest_sent_at / 10**9)
        os.pwrite(self._counters, words, LANES_AT + slot * LANE_SIZE)

    def set_header(self, offset: int, data: bytes) -> None:
        """Overwrites a part of the counters file."""
        os.pwrite(self._counters, data, offset)

    def close(self) -> None:
        """Lets the lock go; the files stay."""
        os.close(self._counters)
        os.close(self._lock)

    def _make_lock(self, *, lock: bool) -> int:
        new = self.directory / f"{self.process}.lock.new"
        descriptor = os.open(new, os.O_RDWR | os.O_CREAT, 0o600)
        if lock:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        new.rename(self.path("lock"))
        return descriptor

    def _make_counters(self) -> int:
        new = self.directory / f"{self.process}.0000.counters.new"
        descriptor = os.open(new, os.O_RDWR | os.O_CREAT, 0o600)
        os.posix_fallocate(descriptor, 0, SIZE)
        header = (
            2,
            int(self.process, 16),
            0,
            HEADER_SIZE,
            SOCKET_SLOTS,
            SOCKET_SIZE,
            LANES_AT,
            LANE_SLOTS,
            LANE_SIZE,
        )
        os.pwrite(descriptor, struct.pack("<8s9Q", b"HOPWATCH", *header), 0)
        new.rename(self.path("counters", 0))
        return descriptor

    def _begin_segment(self, first: int | None = None) -> None:
        self._append(
            {
                "event": "segment",
                "format": 2,
                "process": self.process,
                "index": self.index,
                "first": self.next_n if first is None else first,
                "host": self.host,
                "pid": os.getpid(),
                "command": "python app.py",
                "started": 1_800_000_000_000_000_000,
                "hopwatch": "0.1.0",
                "pyzmq": "27.0.0",
                "libzmq": "4.3.5",
                **self._place,
            }
        )

    def _append(self, line: dict[str, object]) -> None:
        self.raw(json.dumps(line).encode() + b"\n")

    def _size(self) -> int:
        path = self.path("events", self.index)
        return path.stat().st_size if path.exists() else 0


def main() -> None:
    """Writes onsets until standard input ends; then says how many, and exits in order."""
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("--host", default="web-1")
    parser.add_argument("--segment-limit", type=int, default=SEGMENT_LIMIT)
    arguments = parser.parse_args()
    limit = arguments.segment_limit
    writer = JournalWriter(arguments.directory, host=arguments.host, segment_limit=limit, heads=True)
    socket = os.urandom(8).hex()
    writer.opened(socket)
    print(socket, flush=True)
    os.set_blocking(sys.stdin.fileno(), False)
    number = 0
    while sys.stdin.buffer.raw.read(1) is None:
        writer.event("onset", socket=socket, number=number, lane=0, lane_number=number)
        number += 1
        writer.set_counters(socket, 0, sent=number)
        time.sleep(0.001)
    counters = dict.fromkeys(COUNTER_NAMES, 0) | {"sent": number}
    writer.event("closed", socket=socket, counters=counters)
    writer.event("exit")
    print(number, flush=True)


if __name__ == "__main__":
    main()
