"""The kernel's view, taken once a second within a tick: its rows are committed with the tick's, and only cgroups that are handed over have threads of their own.

Where there is so much to read that it would take more than 0.3 % of a core, it is taken more seldom.
"""

from collections.abc import Iterable, Mapping

from hopwatch.cgroups import Hierarchy, find_hierarchy

from hopwatch_agent.errors import KernelError
from hopwatch_agent.kernel.connections import Connections
from hopwatch_agent.kernel.door import Door
from hopwatch_agent.kernel.handed_cgroups import HandedCgroups
from hopwatch_agent.kernel.memory import CgroupMemory
from hopwatch_agent.kernel.processes import Processes
from hopwatch_agent.kernel.records import KernelShown, TcpState
from hopwatch_agent.kernel.tcp_info import TcpReader
from hopwatch_agent.kernel.usage import own_pid, usage_of
from hopwatch_agent.live.board import Board
from hopwatch_agent.live.draft import Draft, Tables
from hopwatch_agent.live.state import ConnectionKey, ProcessState
from hopwatch_agent.pace import Pace
from hopwatch_agent.sampling import Moment
from hopwatch_agent.settings.sections import JournalSettings

SAMPLE_SECONDS = 1.0
SHARE = 0.003
OWN = ""
"""Stands for the agent where processes are told by their ids."""


class KernelSampler:
    """Used by one thread."""

    def __init__(self, journal: JournalSettings, tables: Tables, board: Board) -> None:
        self._tables = tables
        self._board = board
        self._own = own_pid()
        self._reader = TcpReader()
        self._connections = Connections(self._reader)
        self._processes = Processes(journal.directory)
        hierarchy = find_hierarchy()
        self._handed = HandedCgroups(_door(journal, hierarchy))
        self._memory = CgroupMemory(hierarchy, self._handed, journal.host)
        self._pace = Pace(SAMPLE_SECONDS, SHARE)

    def close(self) -> None:
        """Closes what it has open."""
        self._reader.close()
        self._handed.close()

    def sample(self, draft: Draft, moment: Moment) -> None:
        """Puts rows into the draft and shows the readings, if it is time. What cannot be had is one of the board's errors."""
        self._memory.tell_kills(self._vanished(draft), draft, moment)
        if self._pace.is_due(moment):
            with self._pace.kept(moment):
                self._sample(draft, moment)

    def _sample(self, draft: Draft, moment: Moment) -> None:
        living = [name for name, process in self._tables.processes.items() if process.gone_at is None]
        usage = self._processes.read(living)
        memory = self._memory.sample(self._pids(usage), {OWN, *living}, draft, moment)
        self._processes.land(memory, draft, moment)
        self._board.show_kernel(
            KernelShown(
                tcp=self._sample_connections(draft, moment),
                usage=usage,
                own_usage=None if self._own is None else usage_of(self._own),
                own_memory=memory.pop(OWN, None),
                memory=memory,
            )
        )

    def _sample_connections(self, draft: Draft, moment: Moment) -> Mapping[ConnectionKey, TcpState]:
        try:
            shown = self._connections.sample(self._tables, draft, moment)
        except KernelError as error:
            self._board.set_error("kernel", str(error))
            return {}
        self._board.set_error("kernel", None)
        return shown

    def _vanished(self, draft: Draft) -> list[ProcessState]:
        """Processes that were found to be gone just now, and did not say that they would go."""
        return [
            process
            for process in draft.processes.changed.values()
            if process is not None and process.gone_at is not None and process.exited_at is None
            if (before := self._tables.processes.get(process.process)) is None or before.gone_at is None
        ]

    def _pids(self, processes: Iterable[str]) -> dict[str, int]:
        pids = {name: pid for name in processes if (pid := self._processes.pid_of(name)) is not None}
        return pids if self._own is None else {OWN: self._own.number, **pids}


def _door(journal: JournalSettings, hierarchy: Hierarchy | None) -> Door | None:
    """For processes in a pod, whose cgroups are of the same file system as the one that the agent sees."""
    if not journal.of_a_pod or hierarchy is None:
        return None
    try:
        return Door(journal.directory, hierarchy.mounted.stat().st_dev)
    except OSError:  # another file system hides it
        return None
