"""Cgroups that the agent does not see by itself, in files that their processes handed over."""

import os
from collections.abc import Container
from pathlib import Path, PurePosixPath

from hopwatch.cgroups import MEMORY_FILES
from msgspec.structs import replace

from hopwatch_agent.kernel.cgroup_memory import memory_in
from hopwatch_agent.kernel.door import Door, Handed
from hopwatch_agent.kernel.kill_watch import KillWatch
from hopwatch_agent.kernel.records import Memory

MOST = 50
"""Cgroups, of up to six files each: those of further processes are not looked at."""
LONGEST = 4096
UNREAD_SECONDS = 60.0
"""Who has not been met in the journal directory by then is taken for nobody."""


class _Files:
    """One cgroup, of which files are open; ``memory`` is what was read last."""

    def __init__(self, name: PurePosixPath, version: int, handed: Handed) -> None:
        """Raises OSError if it is gone."""
        self._name = str(name)
        self._version = version
        self._handed = handed
        now = self._now()
        if now is None:
            raise FileNotFoundError(self._name)
        self.memory = now

    def read(self, kills: int) -> Memory:
        """As it is now or, once it is gone, as it was, with so many killed at least."""
        now = self._now() or self.memory
        self.memory = replace(now, oom_kills=max(kills, now.oom_kills or 0))
        return self.memory

    def close(self) -> None:
        self._handed.close()

    def _now(self) -> Memory | None:
        return memory_in(self._name, self._version, self._text)

    def _text(self, name: str) -> str:
        try:
            return os.pread(self._handed.files[name], LONGEST, 0).decode(errors="replace")
        except (KeyError, OSError):
            return ""


class HandedCgroups:
    """Follows them. Used by one thread."""

    def __init__(self, door: Door | None) -> None:
        self._door = door
        self._watch = KillWatch()
        self._cgroups: dict[PurePosixPath, _Files] = {}
        self._of: dict[str, PurePosixPath] = {}
        self._unread_since: dict[str, float] = {}

    def take(self, living: Container[str], clock: float) -> dict[str, PurePosixPath]:
        """The cgroup of each of these processes that has handed one over; lets go of what only others were in.

        ``clock``: monotonic seconds. A process may come here before anything of its journal has been read.
        """
        for handed in () if self._door is None else self._door.taken():
            kept = False
            try:
                kept = self._enter(handed, clock)
            finally:
                if not kept:
                    handed.close()
        self._forget(living, clock)
        return {process: cgroup for process, cgroup in self._of.items() if process in living}

    def memory(self, cgroup: PurePosixPath) -> Memory | None:
        """What is known of it now; None where none was handed over that is called so."""
        files = self._cgroups.get(cgroup)
        return None if files is None else files.read(self._watch.kills(str(cgroup)))

    def before(self, cgroup: PurePosixPath) -> Memory | None:
        """What was read of it last, and first when it was handed over."""
        files = self._cgroups.get(cgroup)
        return None if files is None else files.memory

    def close(self) -> None:
        """Lets go of everything."""
        if self._door is not None:
            self._door.close()
        self._of = {}
        self._let_go()
        self._watch.close()

    def _enter(self, handed: Handed, clock: float) -> bool:
        """Whether its files are kept. Of a process the first ones count, of a cgroup too."""
        if handed.process in self._of:
            return False
        name = _name(handed)
        kept = name not in self._cgroups and self._hold(handed, name)
        if name in self._cgroups:
            self._of[handed.process] = name
            self._unread_since[handed.process] = clock
        return kept

    def _hold(self, handed: Handed, name: PurePosixPath) -> bool:
        """Whether there is room for it, its files say what is asked of them, and it is there still."""
        version = _version(handed)
        if version is None or len(self._cgroups) >= MOST:
            return False
        events = Path(f"/proc/self/fd/{handed.files[MEMORY_FILES[version][0]]}")
        try:
            files = _Files(name, version, handed)
            self._watch.add(str(name), events, silent=version == 1)
        except OSError:
            return False
        self._cgroups[name] = files
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
        for cgroup in [cgroup for cgroup in self._cgroups if cgroup not in kept]:
            self._watch.forget(str(cgroup))
            self._cgroups.pop(cgroup).close()


def _version(handed: Handed) -> int | None:
    """Of its files; None if none of them says how many were killed."""
    return next((version for version, names in MEMORY_FILES.items() if names[0] in handed.files), None)


def _name(handed: Handed) -> PurePosixPath:
    """As its processes see it, and its number: in different containers different ones may be called the same."""
    return PurePosixPath(f"{handed.cgroup}#{handed.number}")
