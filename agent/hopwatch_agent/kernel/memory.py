"""The memory of the cgroups that hopwatch's processes are in, and which processes went when some were killed for it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from hopwatch.cgroups import Hierarchy, cgroup_of
from msgspec import structs
from msgspec.structs import asdict

from hopwatch_agent.kernel.cgroup_memory import memory_of
from hopwatch_agent.kernel.handed_cgroups import HandedCgroups
from hopwatch_agent.kernel.landings import Landings
from hopwatch_agent.kernel.records import Memory
from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.state import ProcessState, Row, Values
from hopwatch_agent.sampling import Moment

ROOT = PurePosixPath("/")
MOST_AT_ONCE = 100
"""Cgroups that are read a second: those of further processes are not looked at."""
WAIT_SECONDS = 2.0
"""A process that is killed may be seen to be gone so much later."""


@dataclass(frozen=True)
class _Kills:
    """How many processes were killed for memory, as seen at a time (monotonic seconds), of which none of ours is known to be one."""

    clock: float
    number: int
    memory: Memory


class CgroupMemory:
    """Follows the cgroups. Used by one thread."""

    def __init__(self, hierarchy: Hierarchy | None, handed: HandedCgroups, host: str) -> None:
        self._hierarchy = hierarchy
        self._handed = handed
        self._host = host
        self._of: dict[str, PurePosixPath] = {}
        self._seen: set[PurePosixPath] = set()
        self._memories: dict[PurePosixPath, Memory] = {}
        self._kills: dict[PurePosixPath, _Kills] = {}
        self._landings = Landings()

    def sample(
        self, pids: Mapping[str, int], living: Collection[str], draft: Draft, moment: Moment
    ) -> dict[str, Memory]:
        """The memory of the cgroup of each process, of which the pid is given, by its id; puts rows into the draft.

        ``living``: the ids of all that nobody has found to be gone yet.
        """
        self._of = {process: cgroup for process, cgroup in self._of.items() if process in living}
        if self._hierarchy is not None:
            self._find(pids, self._hierarchy)
        for process, cgroup in self._handed.take(living, moment.clock).items():
            self._of.setdefault(process, cgroup)
        cgroups = list(dict.fromkeys(self._of.values()))[:MOST_AT_ONCE]
        self._seen.intersection_update(cgroups)
        self._landings.keep(cgroups)
        self._memories = {cgroup: memory for cgroup, memory in self._memories.items() if cgroup in cgroups}
        for cgroup in cgroups:
            self._read(cgroup, draft, moment)
        return {process: self._memories[of] for process, of in self._of.items() if of in self._memories}

    def tell_kills(self, vanished: Sequence[ProcessState], draft: Draft, moment: Moment) -> None:
        """Adds a row for each process that vanished as some of its cgroup were killed, and for kills that nobody vanished at."""
        for cgroup in {self._of[process.process] for process in vanished if process.process in self._of}:
            self._read(cgroup, draft, moment)
            gone = [process for process in vanished if self._of.get(process.process) == cgroup]
            kills = self._kills.pop(cgroup, None)
            if kills is None:
                continue
            for process in gone:
                draft.add("oom", _oom(kills, len(gone)), process, moment.wall)
                if len(gone) == 1:
                    draft.processes.put(process.process, structs.replace(process, killed_for_memory=True))
            if kills.number > len(gone):
                # the others may be seen to be gone at the next tick
                self._kills[cgroup] = replace(kills, number=kills.number - len(gone))
        for cgroup, kills in list(self._kills.items()):
            if moment.clock - kills.clock >= WAIT_SECONDS:
                del self._kills[cgroup]
                draft.rows.append(Row("oom", moment.wall, self._host, None, None, _oom(kills, 0)))

    def _find(self, pids: Mapping[str, int], hierarchy: Hierarchy) -> None:
        for process, pid in pids.items():
            cgroup = cgroup_of(pid, hierarchy)
            # one that ends just now has no pid any more, or version 1 tells it as of the root: it is where it was before
            ends = cgroup is None or (hierarchy.version == 1 and cgroup == ROOT)
            if cgroup is not None and not (ends and process in self._of):
                self._of[process] = cgroup
                self._seen.add(cgroup)

    def _read(self, cgroup: PurePosixPath, draft: Draft, moment: Moment) -> None:
        before = self._memories.get(cgroup) or self._handed.before(cgroup)
        memory = self._memory(cgroup)
        if memory is None:
            return
        self._memories[cgroup] = memory
        killed = (memory.oom_kills or 0) - (before.oom_kills or 0) if before is not None else 0
        if killed > 0:
            earlier = self._kills.get(cgroup)
            number = killed + (earlier.number if earlier is not None else 0)
            self._kills[cgroup] = _Kills(moment.clock, number, memory)
        if self._landings.due(cgroup, memory, moment.clock, at_once=killed > 0):
            draft.rows.append(Row("memory", moment.wall, self._host, None, None, {**asdict(memory)}))

    def _memory(self, cgroup: PurePosixPath) -> Memory | None:
        if self._hierarchy is not None and cgroup in self._seen:
            return memory_of(cgroup, self._hierarchy)
        return self._handed.memory(cgroup)


def _oom(kills: _Kills, vanished: int) -> Values:
    memory = kills.memory
    return {
        "cgroup": memory.cgroup,
        "kills": kills.number,
        "oom_kills": memory.oom_kills,
        "limit": memory.limit,
        "vanished": vanished,
    }
