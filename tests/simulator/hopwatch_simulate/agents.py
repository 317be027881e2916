"""Agents: once a second one reads what the counters of its host's processes say, and looks at their connections."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hopwatch_simulate.connections import Connection, End
from hopwatch_simulate.hosts import Host, Process
from hopwatch_simulate.links import Link
from hopwatch_simulate.sockets import Socket
from hopwatch_simulate.world import World

TCP_EVERY = 5
"""Seconds between two rows of a connection that nothing new limits."""
TELLING = frozenset({"receiver", "network"})


@dataclass
class Cgroup:
    """A cgroup whose memory is limited (bytes): how many of its processes the kernel has killed for that."""

    name: str
    limit: int
    oom_kills: int = 0


@dataclass
class Agent:
    """The sidecar of one host."""

    world: World
    host: Host
    sockets: list[Socket] = field(default_factory=list)
    connections: list[Connection] = field(default_factory=list)
    turns: int = 0
    landed: dict[tuple[str, int], tuple[int, str]] = field(default_factory=dict)
    """The turn in which a connection's row was landed last, and what limited it then."""

    def start(self) -> None:
        """Begin somewhere within the next second."""
        self.world.after(self.world.between(0.1, 1.1), self._turn)

    def gone(self, process: Process, *, exited: bool, out_of: Cgroup | None = None) -> None:
        """A process ended: its agent finds its lock free soon after, and reads the last words that it left."""

        def find_out() -> None:
            if out_of is not None:
                self._killed_for_memory(process, out_of)
            for socket in self.sockets:
                if socket.process is process and socket.ended != "closed" and not exited:
                    socket.sample(final=True)
            process.row("process", state="gone", events_lost=0)

        self.world.after(self.world.between(0.05, 1.1), find_out)

    def _turn(self) -> None:
        self.turns += 1
        for socket in self.sockets:
            if socket.process.alive and not socket.ended:
                socket.sample()
        for connection in self.connections:
            if not connection.over_tcp:
                continue
            for end in connection.ends:
                if end.up:
                    self._look_at(connection, end)
        self.world.after(self.world.between(1.0, 1.02), self._turn)

    def _killed_for_memory(self, process: Process, cgroup: Cgroup) -> None:
        cgroup.oom_kills += 1
        of = {"cgroup": cgroup.name, "oom_kills": cgroup.oom_kills, "limit": cgroup.limit}
        process.row("oom", kills=1, vanished=1, **of)
        self.host.row(
            "memory", self.world.now, process=None, current=cgroup.limit // 3, peak=cgroup.limit, **of
        )

    def _look_at(self, connection: Connection, end: End) -> None:
        if end.socket.process.host is not self.host or end.socket.ended or not end.socket.process.alive:
            return
        there = [link for link in connection.links if link.pipe is not None and link.pipe.up]
        sends = [link for link in there if link.outlet.socket is end.socket]
        limited_by = _limit_of_sender(sends) if sends else _limit_of_receiver(there)
        if not self._is_worth_a_row(end, limited_by):
            return
        slow = bool(sends) and limited_by == "network"
        for link in sends:
            link.edge.network_told |= slow
        rtt = int(connection.wire.latency * 2e6) + 20
        figures = {"rtt_us": rtt, "rttvar_us": rtt // 2, "min_rtt_us": rtt // 2, "segment_size": 1448, "cwnd": 10,
                   "congestion": "open", "retransmissions": self.turns * 7 if slow else 0}  # fmt: skip
        about = {"socket": end.socket.id, "connection": end.number, "limited_by": limited_by}
        end.socket.process.row("tcp", **about, **figures)

    def _is_worth_a_row(self, end: End, limited_by: str) -> bool:
        """Whether it was not landed lately, or another thing limits it now; if so, notes that it is landed."""
        key = (end.socket.id, end.number)
        turn, before = self.landed.get(key, (-TCP_EVERY, ""))
        if self.turns - turn < TCP_EVERY and (limited_by not in TELLING or limited_by == before):
            return False
        self.landed[key] = self.turns, limited_by
        return True


def _limit_of_sender(links: Iterable[Link]) -> str:
    waiting = [link for link in links if link.pipe and link.pipe.queued]
    if any(link.wire.pace > 0 for link in waiting):
        return "network"
    if any(link.wire.names_receiver for link in waiting):
        return "receiver"
    return "unknown" if waiting else "neither"


def _limit_of_receiver(links: Iterable[Link]) -> str:
    for link in links:
        slow_wire = link.wire.pace > 0 and link.pipe and link.pipe.queued
        if link.pipe and link.pipe.in_kernel and link.pipe.arrived and not slow_wire:
            return "receiver"
    return "neither"
