"""An agent process that is measured, and journals for it to read."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import struct
import subprocess
import sysconfig
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from typing_extensions import Self

HEADER_SIZE, SOCKET_SLOTS, SOCKET_SIZE, LANE_SLOTS, LANE_SIZE = 4096, 64, 320, 64, 64
SEGMENT_BYTES = 1_000_000
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


class MeasuredAgent:
    """``hopwatch agent`` on folders of its own, in memory so that no disk is measured; ``cores``: those it may use."""

    def __init__(self, *, cores: set[int] | None = None, land_seconds: float = 5.0) -> None:
        self.folder = Path(tempfile.mkdtemp(dir="/dev/shm"))
        self.journal = self.folder / "journal"
        self.journal.mkdir(mode=0o700)
        self._cores = cores
        self._land_seconds = land_seconds

    def __enter__(self) -> Self:
        return self

    def start(self) -> None:
        """Starts it and waits until it serves."""
        folders = ["--dir", str(self.journal), "--data", str(self.folder / "data")]
        settings = [
            "--listen",
            "127.0.0.1:0",
            "--land-seconds",
            str(self._land_seconds),
            "--log-level",
            "error",
        ]
        self.process = subprocess.Popen(
            [str(Path(sysconfig.get_path("scripts")) / "hopwatch"), "agent", *folders, *settings],
            stdout=subprocess.PIPE,
            text=True,
        )
        if self._cores is not None:
            os.sched_setaffinity(self.process.pid, self._cores)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().split()[-1]

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(60)
        shutil.rmtree(self.folder)

    def get(self, path: str) -> Any:
        """The JSON that it answers."""
        with urllib.request.urlopen(self.url + path, timeout=30) as answer:  # noqa: S310
            return json.load(answer)

    def cpu_seconds(self) -> float:
        """Processor time of all its threads so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND

    def resident_bytes(self) -> int:
        """Memory of its own: what no other process shares with it, and its part of the rest."""
        lines = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


class Journal:
    """A process's journal of gaps at one receiver, written as FORMAT.md says. The process lives as long as this one."""

    def __init__(self, directory: Path, host: str = "bench") -> None:
        self._directory, self._host = directory, host
        self.process = os.urandom(8).hex()
        self.socket = os.urandom(8).hex()
        self._index, self._n, self._size = -1, 1, SEGMENT_BYTES
        self._lock = os.open(self._path("lock"), os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.lockf(self._lock, fcntl.LOCK_EX)
        self._write_counters()
        self._segment = -1
        self.event(
            "opened", socket=self.socket, name="slow", type="SUB", slot=[0, 0], sequence="stamp", options={}
        )

    def gaps(self, count: int, stream: str = "00000000000000a1") -> None:
        """So many gaps of one message each."""
        for _ in range(count):
            n = self._n
            now = time.time_ns()
            self.event(
                "gap",
                socket=self.socket,
                stream=stream,
                lane=0,
                first=2 * n,
                last=2 * n,
                lost=1,
                before=2 * n - 1,
                after=2 * n + 1,
                before_sent_at=now,
                after_sent_at=now,
                received=n,
            )

    def event(self, event: str, **keys: object) -> None:
        """Appends one event."""
        if self._size >= SEGMENT_BYTES:
            self._next_segment()
        self._append({"event": event, "n": self._n, "t": time.time_ns(), **keys})
        self._n += 1

    def flush(self) -> None:
        """Makes the agent see what was appended."""
        self._file.flush()

    def _next_segment(self) -> None:
        if self._index >= 0:
            self._file.close()
        self._index, self._size = self._index + 1, 0
        self._file = self._path("events", self._index).open("wb")
        self._append(
            {
                "event": "segment",
                "format": 1,
                "process": self.process,
                "index": self._index,
                "first": self._n,
                "host": self._host,
                "pid": os.getpid(),
                "command": "bench",
                "started": time.time_ns(),
            }
        )

    def _append(self, line: dict[str, object]) -> None:
        data = json.dumps(line, separators=(",", ":")).encode() + b"\n"
        self._file.write(data)
        self._size += len(data)

    def _path(self, what: str, index: int | None = None) -> Path:
        return self._directory / (
            f"{self.process}.{what}" if index is None else f"{self.process}.{index:04d}.{what}"
        )

    def _write_counters(self) -> None:
        lanes_at = HEADER_SIZE + SOCKET_SLOTS * SOCKET_SIZE
        header = (
            1,
            int(self.process, 16),
            0,
            HEADER_SIZE,
            SOCKET_SLOTS,
            SOCKET_SIZE,
            lanes_at,
            LANE_SLOTS,
            LANE_SIZE,
        )
        data = bytearray(lanes_at + LANE_SLOTS * LANE_SIZE)
        struct.pack_into("<8s9Q", data, 0, b"HOPWATCH", *header)
        struct.pack_into("<Q", data, HEADER_SIZE + 16, int(self.socket, 16))
        self._path("counters", 0).write_bytes(data)
