"""Hosts with their clocks, and processes with the rows that their agent lands of them."""

from dataclasses import dataclass, field
from datetime import datetime
from ipaddress import IPv4Address
from typing import Any

from hopwatch_simulate.landed import Row
from hopwatch_simulate.world import World, wall

ANYWHERE = str(IPv4Address(0))
"""What a socket is bound to that is reached at every address of its host."""


@dataclass
class Host:
    """A machine: its clock is ``skew`` seconds ahead of the true time."""

    name: str
    address: str
    skew: float
    rows: list[tuple[str, Row]] = field(default_factory=list)
    ports: int = 30_000

    def clock(self, seconds: float) -> datetime:
        """What its clock shows at a true time."""
        return wall(seconds + self.skew)

    def row(self, kind: str, seconds: float, **columns: Any) -> None:
        """A row that its agent lands."""
        self.rows.append((kind, {"host": self.name, "at": self.clock(seconds), **columns}))

    def port(self) -> int:
        """A port that nobody has had yet."""
        self.ports += 1
        return self.ports


class Process:
    """One process; ``dark`` if it is not instrumented, so that nothing of it is landed."""

    def __init__(self, world: World, host: Host, command: str, *, dark: bool = False) -> None:
        self.world, self.host, self.dark = world, host, dark
        self.id, self.pid = world.identity(), world.chance.randrange(2, 4_000_000)
        self.alive = True
        self.killed_for_memory = False
        self._told = 0
        versions = {"hopwatch": "0.1.0", "pyzmq": "27.3.0", "libzmq": "4.3.5"}
        self.row("process", state="started", pid=self.pid, command=command, **versions)

    def event(self, kind: str, **columns: Any) -> int:
        """A row of a numbered event of the journal, and its number."""
        self._told += 1
        return self.again(kind, **columns)

    def again(self, kind: str, **columns: Any) -> int:
        """A further row of the event told last."""
        self.row(kind, n=self._told, **columns)
        return self._told

    def unlanded(self) -> None:
        """An event that takes a number and no row."""
        self._told += 1

    def row(self, kind: str, **columns: Any) -> None:
        """A row as of now; without ``n`` it is the agent's own observation."""
        if not self.dark:
            self.host.row(kind, self.world.now, process=self.id, **columns)
