"""As many sockets as one asks for, in the journals of several processes that this one plays: they count without a message being sent."""

import time
from dataclasses import dataclass, field
from pathlib import Path

from journal_writer import SOCKET_SLOTS, JournalWriter


@dataclass
class ManySockets:
    """PUBs called ``feed-0000`` and so on, each of which has sent its own number of messages times what ``move`` was told."""

    directory: Path
    count: int
    writers: list[JournalWriter] = field(default_factory=list)

    def __post_init__(self) -> None:
        for number in range(self.count):
            if number % SOCKET_SLOTS == 0:
                self.writers.append(JournalWriter(self.directory, host=f"web-{len(self.writers)}"))
            self.writers[-1].opened(
                self.id_of(number), slot=number % SOCKET_SLOTS, name=self.name_of(number), kind="PUB"
            )

    def connect(self) -> None:
        """Each is connected to its neighbour, which takes its numbered messages; and of each tenth something is found."""
        for number in range(0, self.count - 1, 2):
            ends = f"10.{number // 65_536}.{number // 256 % 256}.{number % 256}:5000", "10.255.0.1:40000"
            for place, (near, far) in ((number, ends), (number + 1, ends[::-1])):
                about = {
                    "socket": self.id_of(place),
                    "endpoint": f"tcp://{ends[0]}",
                    "sent": 0,
                    "received": 0,
                }
                writer = self.writers[place // SOCKET_SLOTS]
                accepted = place == number
                writer.event("connected", connection=1, local=near, remote=far, accepted=accepted, **about)
                writer.event("handshake", **about)
        for number in range(0, self.count, 10):
            told = {
                "rule": "no_linger",
                "text": f"{self.name_of(number)} waits for nobody.",
                "advice": "Let it wait.",
            }
            self.writers[number // SOCKET_SLOTS].event("finding", socket=self.id_of(number), **told)

    def number(self, times: int) -> None:
        """The lanes of those that are connected stand where ``move`` has them, at both ends."""
        for number in range(0, self.count - 1, 2):
            sent = number * times
            numbers = (sent, 0, 0, sent, time.time_ns())
            for place in (number, number + 1):
                writer = self.writers[place // SOCKET_SLOTS]
                writer.set_lane(place % SOCKET_SLOTS, self.id_of(place), self.id_of(number), 0, *numbers)

    @staticmethod
    def id_of(number: int) -> str:
        """16 hex digits."""
        return f"{number + 1:016x}"

    @staticmethod
    def name_of(number: int) -> str:
        """What is shown."""
        return f"feed-{number:04d}"

    def move(self, times: int, *, losing: int | None = None) -> None:
        """Has each have sent; ``losing``: which one has met a full pipe as often."""
        for number in range(self.count):
            writer = self.writers[number // SOCKET_SLOTS]
            onsets = times if number == losing else 0
            writer.set_counters(self.id_of(number), number % SOCKET_SLOTS, sent=number * times, onsets=onsets)

    def close(self) -> None:
        """They are gone."""
        for writer in self.writers:
            writer.close()
