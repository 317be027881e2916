"""The memory of cgroups: version 2, and version 1 where the host has it still."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from hopwatch_agent.kernel.records import Memory

PROC = Path("/proc")
NO_LIMIT = 2**62
"""Version 1 says "no limit" by a number of this size."""


@dataclass(frozen=True)
class Hierarchy:
    """Where the cgroups that account for memory are mounted; ``root`` is the cgroup at the mount point."""

    version: int
    mounted: Path
    root: PurePosixPath


def find_hierarchy() -> Hierarchy | None:
    """The mounted hierarchy that accounts for memory; None if the agent sees none."""
    try:
        lines = (PROC / "self" / "mountinfo").read_text(errors="replace").splitlines()
    except OSError:
        return None
    found = [hierarchy for line in lines if (hierarchy := _hierarchy(line)) is not None]
    return max(found, key=lambda hierarchy: hierarchy.version, default=None)


def _hierarchy(line: str) -> Hierarchy | None:
    mount, _, filesystem = line.partition(" - ")
    root, mounted = mount.split()[3:5]
    kind, _, *options = filesystem.split()
    if kind == "cgroup2" and "memory" in (_words(Path(mounted) / "cgroup.controllers") or []):
        return Hierarchy(2, Path(mounted), PurePosixPath(root))
    if kind == "cgroup" and "memory" in ",".join(options).split(","):
        return Hierarchy(1, Path(mounted), PurePosixPath(root))
    return None


def cgroup_of(pid: int, hierarchy: Hierarchy) -> PurePosixPath | None:
    """The cgroup of a process that accounts for its memory; None if the process, or its cgroup, is not visible from here."""
    try:
        lines = (PROC / str(pid) / "cgroup").read_text(errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "" if hierarchy.version == 2 else "memory" in controllers.split(","):
            cgroup = PurePosixPath(path)
            return cgroup if cgroup.is_relative_to(hierarchy.root) and ".." not in cgroup.parts else None
    return None


def memory_of(cgroup: PurePosixPath, hierarchy: Hierarchy) -> Memory | None:
    """A cgroup's memory now; None if it is gone, or the root, which accounts for nothing."""
    folder = hierarchy.mounted / cgroup.relative_to(hierarchy.root)
    return _version_2(str(cgroup), folder) if hierarchy.version == 2 else _version_1(str(cgroup), folder)


def _version_2(cgroup: str, folder: Path) -> Memory | None:
    current = _number(folder / "memory.current")
    if current is None:
        return None
    events = dict(_pairs(folder / "memory.events"))
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
        oom_kills=dict(_pairs(folder / "memory.oom_control")).get("oom_kill"),
    )


def _words(path: Path) -> list[str] | None:
    try:
        return path.read_text().split()
    except OSError:
        return None


def _number(path: Path) -> int | None:
    """The number that a file holds; None for "max", or where there is no such file."""
    words = _words(path)
    return int(words[0]) if words and words[0].isdigit() else None


def _pairs(path: Path) -> Iterator[tuple[str, int]]:
    words = _words(path) or []
    for name, value in zip(words[::2], words[1::2], strict=False):
        if value.isdigit():
            yield name, int(value)


def _stalled(path: Path) -> int | None:
    """The total of the line "some avg10=0.00 avg60=0.00 avg300=0.00 total=0"."""
    totals = [word for word in _words(path) or [] if word.startswith("total=")]
    return int(totals[0].removeprefix("total=")) if totals else None
