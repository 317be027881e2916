"""Hosts of a large fleet with their processes, sockets and connections: the rows that agents land of those."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from large_fleet_messages import Seconds
from large_fleet_rows import Rows

OPTIONS = {"sndhwm": 1000, "rcvhwm": 1000, "linger": -1, "sndbuf": -1, "rcvbuf": -1, "immediate": 0, "conflate": 0,
           "maxmsgsize": -1}  # fmt: skip
OPENED, HOUR_ENDS = 0.5, 3598.0
SAMPLED_EVERY, KERNEL_EVERY = 1.01, 10.0
SOCKETS_A_PROCESS = 2


@dataclass
class Host:
    """A machine; ``skew`` is how far ahead its clock is, in seconds."""

    name: str
    address: str
    skew: float
    phase: float
    ports: int = 20_000

    def port(self) -> int:
        """One that nobody has had."""
        self.ports += 1
        return self.ports

    @cached_property
    def ticks(self) -> Seconds:
        """When its agent samples."""
        return np.arange(OPENED + self.phase, HOUR_ENDS, SAMPLED_EVERY)


@dataclass
class Process:
    """One process; ``told`` is the number of its last event."""

    id: str
    host: Host
    sockets: int = 0
    told: int = 0

    def events(self, count: int = 1) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        """Numbers of its next events."""
        self.told += count
        return np.arange(self.told - count + 1, self.told + 1)


@dataclass
class Socket:
    """One instrumented socket; ``endpoint`` is where it is bound."""

    id: str
    process: Process
    name: str
    type: str
    endpoint: str | None
    connections: int = 0
    ended_at: float = HOUR_ENDS

    @property
    def host(self) -> Host:
        return self.process.host

    @property
    def ticks(self) -> Seconds:
        return self.host.ticks[self.host.ticks < self.ended_at]


@dataclass
class Connection:
    """A TCP connection of a bound socket and one that connected to it: each end with its number, local and remote address."""

    ends: tuple[tuple[Socket, int, str, str], tuple[Socket, int, str, str]]
    endpoint: str


@dataclass
class Site:
    """Some hosts that have to do with one another. ``number`` makes names and addresses unique."""

    number: int
    rows: Rows
    chance: np.random.Generator
    clocks: float = 0.2
    """Seconds that its hosts' clocks are wrong at most."""
    hosts: list[Host] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    newest: dict[str, Process] = field(default_factory=dict)
    sent: int = 0
    """Messages of all streams."""

    def add_hosts(self, count: int) -> None:
        """Machines, each with an agent that looks at its memory."""
        for index in range(count):
            name = f"host-{self.number:03d}-{index:02d}"
            address = f"10.{self.number // 250}.{self.number % 250}.{index + 1}"
            skew, phase = self.chance.uniform(-1, 1) * self.clocks, self.chance.uniform(0, 1)
            host = Host(name, address, skew, phase)
            self.hosts.append(host)
            at = np.arange(3 + phase, HOUR_ENDS, KERNEL_EVERY)
            used = (4e8 + np.cumsum(self.chance.normal(0, 1e6, len(at)))).astype(np.int64)
            self.tell(host, "memory", at, cgroup="/kubepods", current=used, peak=used, limit=2_000_000_000, ooms=0, oom_kills=0)  # fmt: skip

    def tell(self, host: Host, kind: str, at: object, **columns: object) -> None:
        """Rows by that host's clock."""
        self.rows.add(kind, host.name, np.asarray(at, np.float64) + host.skew, **columns)

    def socket(
        self,
        host: Host,
        name: str,
        type_: str,
        *,
        bound: bool = False,
        stamped: bool = True,
        alone: bool = False,
    ) -> Socket:
        """A socket, opened when the hour begins: in the newest process of its host that has room, or ``alone`` in one."""
        process = self._process(host, alone=alone)
        endpoint = f"tcp://{host.address}:{host.port()}" if bound else None
        socket = Socket(self._id(), process, name, type_, endpoint)
        common = {"process": process.id, "socket": socket.id}
        sequence, probed = "stamp" if stamped else None, stamped and type_ == "PUB"
        self.tell(host, "socket", OPENED, n=process.events(), state="opened", name=name, type=type_, sequence=sequence, probed=probed, options=OPTIONS, **common)  # fmt: skip
        self.tell(host, "connection", OPENED, n=process.events(), action="monitor_attached", **common)
        if endpoint:
            self.tell(
                host, "endpoint", OPENED, n=process.events(), action="bind", endpoint=endpoint, **common
            )
        return socket

    def connect(
        self, bound: Socket, other: Socket, at: float, *, sent_by: Socket, sent: int = 0
    ) -> Connection:
        """A connection comes up; ``sent`` is what the sending end had sent by then."""
        assert bound.endpoint
        here, there = bound.endpoint.removeprefix("tcp://"), f"{other.host.address}:{other.host.port()}"
        numbers = []
        for socket in (bound, other):
            socket.connections += 1
            numbers.append(socket.connections)
        made = Connection(
            ((bound, numbers[0], here, there), (other, numbers[1], there, here)), bound.endpoint
        )
        self.tell(other.host, "endpoint", at - 0.01, n=other.process.events(), action="connect", endpoint=made.endpoint, process=other.process.id, socket=other.id)  # fmt: skip
        self._of_connection(made, "connected", at, sent_by, sent)
        return made

    def disconnect(self, connection: Connection, at: float, *, sent_by: Socket, sent: int) -> None:
        """It goes down, as far as its ends still tell."""
        self._of_connection(connection, "disconnected", at, sent_by, sent)

    def watch(self, connection: Connection, at: Seconds, limited_by: str) -> None:
        """What the kernel told of the connection, at both ends, while its figures changed."""
        for socket, number, _local, _remote in connection.ends:
            seen = at[at < socket.ended_at]
            rtt = self.chance.integers(150, 400, len(seen))
            figures = {"rtt_us": rtt, "rttvar_us": rtt // 3, "min_rtt_us": 140, "segment_size": 1448, "cwnd": 10, "congestion": "open",
                       "segments_sent": (seen * 40).astype(np.int64), "bytes_received": (seen * 5000).astype(np.int64)}  # fmt: skip
            label = limited_by if socket.type in ("PUB", "PUSH", "XPUB") else "neither"
            slow = (
                {"retransmissions": (seen * 2).astype(np.int64)}
                if label == "network"
                else {"retransmissions": 0}
            )
            self.tell(socket.host, "tcp", seen, process=socket.process.id, socket=socket.id, connection=number, limited_by=label, **figures, **slow)  # fmt: skip

    def ends(self, socket: Socket, at: float, how: str, *, unread: bool = True) -> None:
        """The socket is closed, or its process is killed: then it was alone in it."""
        socket.ended_at = at
        if how == "closed":
            self.tell(socket.host, "socket", at, n=socket.process.events(), process=socket.process.id, socket=socket.id, state="closed", name=socket.name,
                      type=socket.type, sequence="stamp", probed=False, options=OPTIONS, unread=unread)  # fmt: skip
        else:
            self.tell(
                socket.host, "process", at + 0.4, process=socket.process.id, state="gone", events_lost=0
            )

    def finish(self) -> None:
        """What agents saw of each process while it ran."""
        for process in self.processes:
            at = np.arange(4 + process.host.phase, HOUR_ENDS, KERNEL_EVERY)
            used = (6e7 + np.cumsum(self.chance.normal(0, 1e5, len(at)))).astype(np.int64)
            self.tell(process.host, "usage", at, process=process.id, resident=used, user_us=(at * 21_000).astype(np.int64),
                      system_us=(at * 4_000).astype(np.int64), threads=5, descriptors=31, cgroup="/kubepods")  # fmt: skip

    def _process(self, host: Host, *, alone: bool) -> Process:
        process = self.newest.get(host.name)
        if process is None or alone or process.sockets >= SOCKETS_A_PROCESS:
            process = Process(self._id(), host)
            self.newest[host.name] = process
            self.processes.append(process)
            self.tell(host, "process", OPENED - 0.3, process=process.id, state="started", pid=int(self.chance.integers(2, 4_000_000)),
                      command="python app.py", hopwatch="0.1.0", pyzmq="27.3.0", libzmq="4.3.5")  # fmt: skip
        process.sockets += SOCKETS_A_PROCESS if alone else 1
        return process

    def _id(self) -> str:
        return f"{int(self.chance.integers(1, 2**63)):016x}"

    def _of_connection(
        self, connection: Connection, action: str, at: float, sent_by: Socket, sent: int
    ) -> None:
        for index, (socket, number, local, remote) in enumerate(connection.ends):
            if at > socket.ended_at:
                continue
            counted = sent if socket is sent_by else 0
            self.tell(socket.host, "connection", at, n=socket.process.events(), process=socket.process.id, socket=socket.id, action=action, connection=number,
                      endpoint=connection.endpoint, local=local, remote=remote, accepted=index == 0, sent=counted, received=0)  # fmt: skip
