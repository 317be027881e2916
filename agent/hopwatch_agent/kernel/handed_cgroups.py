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
UNREAD_SECONDS = 60.0
"""Who has not been met in the journal directory by then is taken for nobody."""
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
        self._unread_since: dict[str, float] = {}

    def take(self, living: Container[str], clock: float) -> dict[str, PurePosixPath]:
        """The cgroup of each of these processes that has handed one over; lets go of what only others were in.

        ``clock``: monotonic seconds. A process may come here before anything of its journal has been read.
        """
        for handed in () if self._door is None else self._door.taken():
            if not self._enter(handed, clock):
                os.close(handed.descriptor)
        self._forget(living, clock)
        return {process: cgroup for process, cgroup in self._of.items() if process in living}

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
        self._of = {}
        self._let_go()
        self._watch.close()

    def _enter(self, handed: Handed, clock: float) -> bool:
        """Whether the descriptor is kept. Of a process the first one counts, of a cgroup too."""
        hierarchy, name = _hierarchy(handed.descriptor), _name(handed)
        if hierarchy is None or handed.process in self._of:
            return False
        kept = name not in self._folders and self._hold(handed.descriptor, hierarchy, name)
        if name in self._folders:
            self._of[handed.process] = name
            self._unread_since[handed.process] = clock
        return kept

    def _hold(self, descriptor: int, hierarchy: Hierarchy, name: PurePosixPath) -> bool:
        """Whether there is room for it, and it is there still."""
        memory = memory_of(ROOT, hierarchy)
        if memory is None or len(self._folders) >= MOST:
            return False
        events = hierarchy.mounted / EVENTS[hierarchy.version]
        try:
            self._watch.add(str(name), events, silent=hierarchy.version == 1)
        except OSError:
            return False
        self._folders[name] = _Folder(name, hierarchy, descriptor, memory)
        return True

    def _forget(self, living: Container[str], clock: float) -> None:
        for process in list(self._of):
            if process in living:
                self._unread_since.pop(process, None)
            elif clock - self._unread_since.get(process, float("-inf")) > UNREAD_SECONDS:
                self._unread_since.pop(process, None)
                del self._of[process]
        self._let_go()

    def _let_go(self) -> None:
        kept = set(self._of.values())
        for cgroup in [cgroup for cgroup in self._folders if cgroup not in kept]:
            self._watch.forget(str(cgroup))
            self._folders.pop(cgroup).close()


def _hierarchy(descriptor: int) -> Hierarchy | None:
    """The cgroup in an open folder, as if it were mounted there; None if the folder is none's that accounts for memory."""
    folder = Path(f"/proc/self/fd/{descriptor}")
    for version, events in EVENTS.items():
        if (folder / events).is_file():
            return Hierarchy(version, folder, ROOT)
    return None


def _name(handed: Handed) -> PurePosixPath:
    """As its processes see it, and its number: in different containers different ones may be called the same."""
    return PurePosixPath(f"{handed.cgroup}#{os.fstat(handed.descriptor).st_ino}")
