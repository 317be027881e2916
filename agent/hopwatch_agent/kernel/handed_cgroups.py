"""Cgroups that the agent does not see by itself, in folders that their processes handed over."""

import os
from collections.abc import Container
from pathlib import Path, PurePosixPath

from hopwatch.cgroups import Hierarchy
from msgspec.structs import replace

from hopwatch_agent.kernel.cgroup_memory import EVENTS, memory_of
from hopwatch_agent.kernel.door import Door, Handed
from hopwatch_agent.kernel.kill_watch import KillWatch
from hopwatch_agent.kernel.records import Memory

MOST = 100
"""Cgroups: those of further processes are not looked at."""
ROOT = PurePosixPath("/")


class _Folder:
    """One cgroup, in a folder that is open; ``memory`` is what was read last."""

    def __init__(self, name: PurePosixPath, hierarchy: Hierarchy, descriptor: int, memory: Memory) -> None:
        self._name = str(name)
        self._hierarchy = hierarchy
        self._descriptor = descriptor
        self.memory = replace(memory, cgroup=self._name)

    def read(self, kills: int) -> Memory:
        """As it is now or, once it is gone, as it was, with so many killed at least."""
        now = memory_of(ROOT, self._hierarchy) or self.memory
        self.memory = replace(now, cgroup=self._name, oom_kills=max(kills, now.oom_kills or 0))
        return self.memory

    def close(self) -> None:
        os.close(self._descriptor)


class HandedCgroups:
    """Follows them. Used by one thread."""

    def __init__(self, door: Door | None) -> None:
        self._door = door
        self._watch = KillWatch()
        self._folders: dict[PurePosixPath, _Folder] = {}
        self._of: dict[str, PurePosixPath] = {}

    def take(self, living: Container[str]) -> dict[str, PurePosixPath]:
        """The cgroup of each of these processes that has handed one over; lets go of what only others were in."""
        for handed in () if self._door is None else self._door.taken():
            if not self._keep(handed):
                os.close(handed.descriptor)
        self._forget(living)
        return dict(self._of)

    def memory(self, cgroup: PurePosixPath) -> Memory | None:
        """What is known of it now; None where none was handed over that is called so."""
        folder = self._folders.get(cgroup)
        return None if folder is None else folder.read(self._watch.kills(str(cgroup)))

    def before(self, cgroup: PurePosixPath) -> Memory | None:
        """What was read of it last, and first when it was handed over."""
        folder = self._folders.get(cgroup)
        return None if folder is None else folder.memory

    def close(self) -> None:
        """Lets go of everything."""
        if self._door is not None:
            self._door.close()
        self._forget(())
        self._watch.close()

    def _forget(self, living: Container[str]) -> None:
        self._of = {process: cgroup for process, cgroup in self._of.items() if process in living}
        kept = set(self._of.values())
        for cgroup in [cgroup for cgroup in self._folders if cgroup not in kept]:
            self._watch.forget(str(cgroup))
            self._folders.pop(cgroup).close()

    def _keep(self, handed: Handed) -> bool:
        """Whether the descriptor is kept: not where it is no cgroup's, another process of this one came first, or there are too many."""
        hierarchy, name = _hierarchy(handed.descriptor), _name(handed)
        if hierarchy is None or handed.process in self._of:
            return False
        if name in self._folders:
            self._of[handed.process] = name
            return False
        memory = memory_of(ROOT, hierarchy)
        if memory is None or len(self._folders) >= MOST:
            return False
        try:
            events = hierarchy.mounted / EVENTS[hierarchy.version]
            self._watch.add(str(name), events, silent=hierarchy.version == 1)
        except OSError:
            return False
        self._folders[name] = _Folder(name, hierarchy, handed.descriptor, memory)
        self._of[handed.process] = name
        return True


def _hierarchy(descriptor: int) -> Hierarchy | None:
    """The cgroup in an open folder, as if it were mounted there; None if the folder is no cgroup's that accounts for memory."""
    folder = Path(f"/proc/self/fd/{descriptor}")
    for version, events in EVENTS.items():
        if (folder / events).is_file():
            return Hierarchy(version, folder, ROOT)
    return None


def _name(handed: Handed) -> PurePosixPath:
    """As its processes see it; those of different containers may all see the root."""
    name = PurePosixPath(handed.cgroup)
    return ROOT / f"cgroup-{os.fstat(handed.descriptor).st_ino}" if name == ROOT else name
