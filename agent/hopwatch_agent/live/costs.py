"""What the agent itself costs, and what it has before it."""

import resource
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from hopwatch_agent.journal.directory import ProcessFiles
from hopwatch_agent.live.draft import Tables
from hopwatch_agent.store.database import FILE_NAME

SHARE_SECONDS = 10.0
_PAGE = resource.getpagesize()


@dataclass(frozen=True)
class Costs:
    """Of the agent's own process. ``cpu_percent`` of one core, over about the last ten seconds."""

    cpu_seconds: float = 0.0
    cpu_percent: float = 0.0
    rss_bytes: int = 0
    threads: int = 0
    descriptors: int = 0


@dataclass(frozen=True)
class Sizes:
    """Of what waits: journals that are not read, and the database."""

    unread_bytes: int = 0
    database_bytes: int = 0
    wal_bytes: int = 0


class CostMeter:
    """Measures the own process, each time it is asked."""

    def __init__(self) -> None:
        self._history: deque[tuple[float, float]] = deque([(time.monotonic(), time.process_time())])

    def costs(self) -> Costs:
        """What it costs by now."""
        clock, cpu = time.monotonic(), time.process_time()
        history = self._history
        history.append((clock, cpu))
        while len(history) > 2 and clock - history[1][0] >= SHARE_SECONDS:
            history.popleft()
        since, before = history[0]
        share = (cpu - before) / (clock - since) if clock > since else 0.0
        return Costs(
            cpu_seconds=cpu,
            cpu_percent=100 * share,
            rss_bytes=_resident(),
            threads=_entries("/proc/self/task"),
            descriptors=_entries("/proc/self/fd"),
        )


def sizes(data: Path, directory: Path, listing: dict[str, ProcessFiles], tables: Tables) -> Sizes:
    """What waits by now. A file that is gone is nothing."""
    database = data / FILE_NAME
    return Sizes(
        unread_bytes=sum(_unread(directory, process, files, tables) for process, files in listing.items()),
        database_bytes=_size(database),
        wal_bytes=_size(database.with_name(f"{FILE_NAME}-wal")),
    )


def _unread(directory: Path, process: str, files: ProcessFiles, tables: Tables) -> int:
    state = tables.processes.get(process)
    if state is not None and state.refusal is not None:
        return 0
    segment, offset = (state.segment, state.offset) if state is not None else (0, 0)
    ahead = sum(_size(directory / name) for index, name in files.events.items() if index >= segment)
    return max(0, ahead - offset)


def _resident() -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE
    except OSError:
        return 0


def _entries(folder: str) -> int:
    try:
        return sum(1 for _ in Path(folder).iterdir())
    except OSError:
        return 0


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
