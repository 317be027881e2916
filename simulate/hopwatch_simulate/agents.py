"""Agents: once a second one reads what the counters of its host's processes say, and looks at their connections."""

from dataclasses import dataclass, field

from hopwatch_simulate.hosts import Host, Process
from hopwatch_simulate.links import End, Link
from hopwatch_simulate.sockets import Socket
from hopwatch_simulate.world import World

TCP_EVERY = 3
"""Samples of the counters between two looks at a connection that nothing new limits."""


@dataclass
class Agent:
    """The sidecar of one host."""

    world: World
    host: Host
    sockets: list[Socket] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    turns: int = 0

    def start(self) -> None:
        """Begin somewhere within the next second."""
        self.world.after(self.world.between(0.1, 1.1), self._turn)

    def gone(self, process: Process, *, exited: bool) -> None:
        """A process ended: its agent finds its lock free soon after, and reads the last words that it left."""

        def find_out() -> None:
            process.row("process", state="gone", events_lost=0)
            for socket in self.sockets:
                if socket.process is process and socket.ended != "closed" and not exited:
                    socket.sample(final=True)

        self.world.after(self.world.between(0.05, 1.1), find_out)

    def _turn(self) -> None:
        self.turns += 1
        for socket in self.sockets:
            if socket.process.alive and not socket.ended:
                socket.sample()
        if self.turns % TCP_EVERY == 0:
            for link in self.links:
                self._look_at(link)
        self.world.after(self.world.between(1.0, 1.02), self._turn)

    def _look_at(self, link: Link) -> None:
        if link.pipe is None:
            return
        backlog, waiting = bool(link.pipe.in_kernel), bool(link.pipe.queued)
        slow_wire = link.wire.pace > 0 and waiting
        sender = "network" if slow_wire else "unknown" if waiting else "neither"
        receiver = "receiver" if backlog and len(link.pipe.arrived) and not slow_wire else "neither"
        self._tcp(link, link.sender, sender, retransmissions=self.turns * 7 if slow_wire else 0)
        self._tcp(link, link.receiver, receiver, retransmissions=0)

    def _tcp(self, link: Link, end: End, limited_by: str, *, retransmissions: int) -> None:
        if end.socket.process.host is not self.host or end.socket.ended or not end.socket.process.alive:
            return
        rtt = int(link.wire.latency * 2e6) + 20
        figures = {"rtt_us": rtt, "rttvar_us": rtt // 2, "min_rtt_us": rtt // 2, "segment_size": 1448, "cwnd": 10,
                   "congestion": "open", "retransmissions": retransmissions}  # fmt: skip
        end.socket.process.row(
            "tcp", socket=end.socket.id, connection=end.number, limited_by=limited_by, **figures
        )
