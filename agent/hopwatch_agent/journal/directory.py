"""What lies in a journal directory."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

_NAME = re.compile(r"([0-9a-f]{16})(?:\.(\d{4}|[1-9]\d{4,17}))?\.(lock|counters|events)(\.new)?")


@dataclass
class ProcessFiles:
    """Names of one process's files: events and counters by index."""

    lock: bool = False
    events: dict[int, str] = field(default_factory=dict)
    counters: dict[int, str] = field(default_factory=dict)
    unfinished: list[str] = field(default_factory=list)

    def all_but_lock(self) -> list[str]:
        """Every name, in the order in which they may go."""
        return [*self.unfinished, *self.counters.values(), *self.events.values()]


def scan(directory: Path) -> dict[str, ProcessFiles]:
    """Files by process id; names that are no journal's are passed over. Raises ``OSError``."""
    processes: dict[str, ProcessFiles] = {}
    with os.scandir(directory) as entries:
        names = sorted(entry.name for entry in entries)
    for name in names:
        match = _NAME.fullmatch(name)
        if match is None:
            continue
        process, index, what, new = match.groups()
        files = processes.setdefault(process, ProcessFiles())
        if new is not None:
            files.unfinished.append(name)
        elif what == "lock":
            files.lock = files.lock or index is None
        elif index is not None:
            (files.events if what == "events" else files.counters)[int(index)] = name
    return processes
