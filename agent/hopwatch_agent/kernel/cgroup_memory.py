"""The memory of a cgroup: of version 2, and of version 1 where the host has it still."""

from pathlib import Path, PurePosixPath

from hopwatch.cgroups import Hierarchy

from hopwatch_agent.kernel.records import Memory

EVENTS = {1: "memory.oom_control", 2: "memory.events"}
"""The file that says how many were killed, of each version."""
NO_LIMIT = 2**62
"""Version 1 says "no limit" by a number of this size."""


def memory_of(cgroup: PurePosixPath, hierarchy: Hierarchy) -> Memory | None:
    """A cgroup's memory now; None if it is gone, or the root, which accounts for nothing."""
    folder = hierarchy.folder(cgroup)
    return _version_2(str(cgroup), folder) if hierarchy.version == 2 else _version_1(str(cgroup), folder)


def _version_2(cgroup: str, folder: Path) -> Memory | None:
    current = _number(folder / "memory.current")
    if current is None:
        return None
    events = _counts(_text(folder / EVENTS[2]))
    return Memory(
        cgroup=cgroup,
        current=current,
        peak=_number(folder / "memory.peak"),
        limit=_number(folder / "memory.max"),
        high=_number(folder / "memory.high"),
        ooms=events.get("oom"),
        oom_kills=events.get("oom_kill"),
        stalled_us=_stalled(folder / "memory.pressure"),
    )


def _version_1(cgroup: str, folder: Path) -> Memory | None:
    current = _number(folder / "memory.usage_in_bytes")
    if current is None:
        return None
    limit = _number(folder / "memory.limit_in_bytes")
    return Memory(
        cgroup=cgroup,
        current=current,
        peak=_number(folder / "memory.max_usage_in_bytes"),
        limit=limit if limit is not None and limit < NO_LIMIT else None,
        oom_kills=_counts(_text(folder / EVENTS[1])).get("oom_kill"),
    )


def kills_in(events: str) -> int:
    """How many were killed, as the text of such a file says."""
    return _counts(events).get("oom_kill", 0)


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _number(path: Path) -> int | None:
    """The number that a file holds; None for "max", or where there is no such file."""
    words = _text(path).split()
    return int(words[0]) if words and words[0].isdigit() else None


def _counts(text: str) -> dict[str, int]:
    words = text.split()
    return {name: int(value) for name, value in zip(words[::2], words[1::2], strict=False) if value.isdigit()}


def _stalled(path: Path) -> int | None:
    """The total of the line "some avg10=0.00 avg60=0.00 avg300=0.00 total=0"."""
    totals = [word for word in _text(path).split() if word.startswith("total=")]
    return int(totals[0].removeprefix("total=")) if totals else None
