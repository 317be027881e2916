"""The cgroups of processes that account for their memory: of version 2, or of version 1 where the host has it still."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

PROC = Path("/proc")

MEMORY_FILES = {
    1: ("memory.oom_control", "memory.usage_in_bytes", "memory.max_usage_in_bytes", "memory.limit_in_bytes"),
    2: ("memory.events", "memory.current", "memory.peak", "memory.max", "memory.high", "memory.pressure"),
}
"""What tells of a cgroup's memory, of each version. The first file says how many were killed; it and the second are there in each cgroup but the root."""


@dataclass(frozen=True)
class Hierarchy:
    """Where the cgroups that account for memory are mounted; ``root`` is the cgroup at the mount point."""

    version: int
    mounted: Path
    root: PurePosixPath

    def folder(self, cgroup: PurePosixPath) -> Path:
        """Of a cgroup that it holds."""
        return self.mounted / cgroup.relative_to(self.root)


def find_hierarchy() -> Hierarchy | None:
    """The mounted hierarchy that accounts for memory, and has this process's cgroup if any has; None if none is seen from here."""
    try:
        lines = (PROC / "self" / "mountinfo").read_text(errors="replace").splitlines()
    except OSError:
        return None
    found = [hierarchy for line in lines if (hierarchy := _hierarchy(line)) is not None]
    return max(
        found,
        key=lambda hierarchy: (cgroup_of("self", hierarchy) is not None, hierarchy.version),
        default=None,
    )


def _hierarchy(line: str) -> Hierarchy | None:
    mount, _, filesystem = line.partition(" - ")
    root, mounted = mount.split()[3:5]
    kind, _, *options = filesystem.split()
    if kind == "cgroup2" and "memory" in _controllers(Path(mounted)):
        return Hierarchy(2, Path(mounted), PurePosixPath(root))
    if kind == "cgroup" and "memory" in ",".join(options).split(","):
        return Hierarchy(1, Path(mounted), PurePosixPath(root))
    return None


def _controllers(mounted: Path) -> list[str]:
    try:
        return (mounted / "cgroup.controllers").read_text().split()
    except OSError:
        return []


def cgroup_of(pid: int | Literal["self"], hierarchy: Hierarchy) -> PurePosixPath | None:
    """The cgroup that accounts for a process's memory; None if the process, or its cgroup, is not visible from here."""
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
