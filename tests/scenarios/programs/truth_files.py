"""Truth on disk that outlives a SIGKILL: every write is one system call, and nothing is buffered here."""

import os
from pathlib import Path

COUNT_WIDTH = 20


class SentCounts:
    """How many messages of each topic one sender has sent: one fixed-width line a topic, rewritten in place."""

    def __init__(self, folder: Path, sender: str) -> None:
        self._file = os.open(folder / f"{sender}.sent", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        self._counts: dict[str, int] = {}
        self._offsets: dict[str, int] = {}
        self._end = 0

    def next_number(self, topic: str) -> int:
        return self._counts.get(topic, 0)

    def add(self, topic: str) -> None:
        self._counts[topic] = self._counts.get(topic, 0) + 1
        line = f"{self._counts[topic]:0{COUNT_WIDTH}d} {topic or '-'}\n".encode()
        if topic not in self._offsets:
            self._offsets[topic] = self._end
            self._end += len(line)
        os.pwrite(self._file, line, self._offsets[topic])


class ReceivedNumbers:
    """Every message that one receiver got, in order: a line "sender topic number" each."""

    def __init__(self, folder: Path, receiver: str) -> None:
        path = folder / f"{receiver}.received"
        self._file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_APPEND, 0o600)

    def add(self, sender: str, topic: str, number: int) -> None:
        os.write(self._file, f"{sender} {topic} {number}\n".encode())
