"""What was really sent and received, by the programs' own payload numbers."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Truth:
    """Counts by sender and topic; received numbers by receiver, sender and topic."""

    sent: dict[tuple[str, str], int]
    received: dict[str, dict[tuple[str, str], Counter[int]]]

    def owed(self, sender: str, topics: tuple[str, ...] | None = None) -> set[tuple[str, int]]:
        """(topic, number) of every message of a sender, of those topics only if given."""
        return {
            (topic, number)
            for (name, topic), count in self.sent.items()
            if name == sender and (topics is None or topic in topics)
            for number in range(count)
        }

    def got(self, receiver: str, sender: str) -> set[tuple[str, int]]:
        return {
            (topic, number)
            for (name, topic), numbers in self.received.get(receiver, {}).items()
            if name == sender
            for number in numbers
        }

    def missing(
        self, sender: str, receiver: str, topics: tuple[str, ...] | None = None
    ) -> set[tuple[str, int]]:
        return self.owed(sender, topics) - self.got(receiver, sender)

    def duplicates(self) -> int:
        return sum(
            times - 1
            for by_lane in self.received.values()
            for numbers in by_lane.values()
            for times in numbers.values()
        )


def read_truth(folder: Path) -> Truth:
    sent = {
        (path.stem, "" if topic == "-" else topic): int(count)
        for path in folder.glob("*.sent")
        for count, topic in (line.split() for line in path.read_text().splitlines())
    }
    return Truth(sent, {path.stem: _numbers(path) for path in folder.glob("*.received")})


def sent_so_far(folder: Path, sender: str) -> int:
    """Messages that a sender still at work has sent, whatever their topics."""
    path = folder / f"{sender}.sent"
    return sum(int(line.split()[0]) for line in path.read_text().splitlines()) if path.exists() else 0


def received_so_far(folder: Path, receiver: str) -> int:
    """Messages that a receiver still at work has received."""
    path = folder / f"{receiver}.received"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _numbers(path: Path) -> dict[tuple[str, str], Counter[int]]:
    by_lane: dict[tuple[str, str], Counter[int]] = {}
    for line in path.read_text().splitlines():
        sender, topic, number = line.split()
        by_lane.setdefault((sender, "" if topic == "-" else topic), Counter())[int(number)] += 1
    return by_lane
