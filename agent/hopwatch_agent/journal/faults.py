"""Faults of one reading of a file, bounded: the first few by themselves, the others as a number."""

from dataclasses import dataclass, field
from pathlib import Path

TOLD_SINGLY = 5
REASON_LIMIT = 300


@dataclass
class Faults:
    """Collects what was wrong in one file, by offset."""

    path: Path
    texts: list[str] = field(default_factory=list)
    others: int = 0
    last_offset: int = 0

    def add(self, offset: int, reason: str) -> None:
        """Notes that something at ``offset`` cannot be read."""
        if len(self.texts) < TOLD_SINGLY:
            self.texts.append(f"{self.path}, byte {offset}: {reason[:REASON_LIMIT]}")
        else:
            self.others += 1
            self.last_offset = offset

    def told(self) -> list[str]:
        """One text a fault row."""
        if not self.others:
            return self.texts
        more = f"{self.path}: and {self.others} more unreadable lines up to byte {self.last_offset}"
        return [*self.texts, more]
