"""What hopwatch's processes take of their host, as far as the agent's pid namespace shows them."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec.structs import asdict

from hopwatch_agent.kernel.landings import Landings
from hopwatch_agent.kernel.records import Memory, Usage
from hopwatch_agent.kernel.usage import Pid, pid_of, usage_of
from hopwatch_agent.live.draft import Draft
from hopwatch_agent.sampling import Moment

MOST_AT_ONCE = 100
"""Processes that are read a second; more take turns."""


class Processes:
    """Follows the processes that live. Used by one thread."""

    def __init__(self, journal: Path) -> None:
        self._journal = journal
        self._pids: dict[str, Pid | None] = {}
        self._usages: dict[str, Usage] = {}
        self._landings = Landings()
        self._start_after = ""

    def read(self, living: Iterable[str]) -> dict[str, Usage]:
        """What each of these processes took when it was read last, as far as that is known."""
        names = list(living)
        self._pids = {name: self._pids[name] for name in names if name in self._pids}
        self._usages = {name: self._usages[name] for name in names if name in self._usages}
        self._landings.keep(set(names))
        for name in self._in_turn(names):
            usage = self._read(name)
            if usage is None:
                self._usages.pop(name, None)
            else:
                self._usages[name] = usage
        return dict(self._usages)

    def land(self, cgroups: Mapping[str, Memory], draft: Draft, moment: Moment) -> None:
        """Puts what they took into the draft, with the cgroup of each, if that is known."""
        for name, usage in self._usages.items():
            process = draft.processes.get(name)
            if process is not None and self._landings.due(name, usage, moment.clock):
                memory = cgroups.get(name)
                cgroup = None if memory is None else memory.cgroup
                draft.add("usage", {**asdict(usage), "cgroup": cgroup}, process, moment.wall)

    def pid_of(self, process: str) -> int | None:
        """Its pid in the agent's namespace, if it has been read and is visible there."""
        pid = self._pids.get(process)
        return None if pid is None else pid.number

    def _read(self, name: str) -> Usage | None:
        if name not in self._pids:
            self._pids[name] = pid_of(self._journal / f"{name}.lock")
        pid = self._pids[name]
        return None if pid is None else usage_of(pid)

    def _in_turn(self, names: list[str]) -> list[str]:
        if len(names) <= MOST_AT_ONCE:
            return names
        ordered = sorted(names)
        turn = ([name for name in ordered if name > self._start_after] + ordered)[:MOST_AT_ONCE]
        self._start_after = turn[-1]
        return turn
