"""The memory of a cgroup: of version 2, and of version 1 where the host has it still."""

from collections.abc import Callable
from pathlib import Path, PurePosixPath

from hopwatch.cgroups import MEMORY_FILES, Hierarchy

from hopwatch_agent.kernel.records import Memory

NO_LIMIT = 2**62
"""Version 1 says "no limit" by a number of this size."""

Texts = Callable[[str], str]
"""What the file of a cgroup that is called so says now: "" if it is not there, or no more."""


def memory_of(cgroup: PurePosixPath, hierarchy: Hierarchy) -> Memory | None:
    """A cgroup's memory now; None if it is gone, or the root, which accounts for nothing."""
    folder = hierarchy.folder(cgroup)
    return memory_in(str(cgroup), hierarchy.version, lambda name: _text(folder / name))


def memory_in(cgroup: str, version: int, texts: Texts) -> Memory | None:
    """The same, out of files of either version, wherever they are."""
    return _version_2(cgroup, texts) if version == 2 else _version_1(cgroup, texts)


def _version_2(cgroup: str, texts: Texts) -> Memory | None:
    current = _number(texts("memory.current"))
    if current is None:
        return None
    events = _counts(texts(MEMORY_FILES[2][0]))
    return Memory(
        cgroup=cgroup,
        current=current,
        peak=_number(texts("memory.peak")),
        limit=_number(texts("memory.max")),
        high=_number(texts("memory.high")),
        ooms=events.get("oom"),
        oom_kills=events.get("oom_kill"),
        stalled_us=_stalled(texts("memory.pressure")),
    )


def _version_1(cgroup: str, texts: Texts) -> Memory | None:
    current = _number(texts("memory.usage_in_bytes"))
    if current is None:
        return None
    limit = _number(texts("memory.limit_in_bytes"))
    return Memory(
        cgroup=cgroup,
        current=current,
        peak=_number(texts("memory.max_usage_in_bytes")),
        limit=limit if limit is not None and limit < NO_LIMIT else None,
        oom_kills=_counts(texts(MEMORY_FILES[1][0])).get("oom_kill"),
    )


def kills_in(events: str) -> int:
    """How many were killed, as the text of such a file says."""
    return _counts(events).get("oom_kill", 0)


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _number(text: str) -> int | None:
    """The number that a file holds; None for "max", or where there is no such file."""
    words = text.split()
    return int(words[0]) if words and words[0].isdigit() else None


def _counts(text: str) -> dict[str, int]:
    words = text.split()
    return {name: int(value) for name, value in zip(words[::2], words[1::2], strict=False) if value.isdigit()}


def _stalled(text: str) -> int | None:
    """The total of the line "some avg10=0.00 avg60=0.00 avg300=0.00 total=0"."""
    totals = [word for word in text.split() if word.startswith("total=")]
    return int(totals[0].removeprefix("total=")) if totals else None
