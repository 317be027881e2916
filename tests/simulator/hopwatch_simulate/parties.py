"""Parties: an application's process with its sockets, and how it ends."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from hopwatch_simulate.agents import Agent, Cgroup
from hopwatch_simulate.applications import SendingApp
from hopwatch_simulate.connections import Connection
from hopwatch_simulate.hosts import Process
from hopwatch_simulate.proxies import Proxy
from hopwatch_simulate.receivers import Inlet
from hopwatch_simulate.senders import Outlet
from hopwatch_simulate.sockets import Socket

FLUSH_LOOKS = 0.002


@dataclass(eq=False)
class Party:
    """One process of one application."""

    process: Process
    agent: Agent
    outlets: list[Outlet] = field(default_factory=list)
    inlets: list[Inlet] = field(default_factory=list)
    proxies: list[Proxy] = field(default_factory=list)
    apps: list[SendingApp] = field(default_factory=list)
    connections: list[Connection] = field(default_factory=list)

    def kill(self, *, out_of: Cgroup | None = None) -> None:
        """SIGKILL, by the kernel if it is out of a cgroup's memory: what was queued in it is lost, and it says no last word."""
        self._stop_work()
        self.process.alive, self.process.killed_for_memory = False, out_of is not None
        for socket in self._sockets():
            socket.ended = "died"
        for inlet in self.inlets:
            inlet.lose_unread("receiver_died")
        for connection, socket in self._ends(self.connections):
            connection.left(socket, sent="sender_died", unread="receiver_died")
        self.agent.gone(self.process, exited=False, out_of=out_of)

    def leave(self) -> None:
        """It closes its sockets and goes home; what a lingering socket has queued is passed on first."""
        self._stop_work()
        for proxy in self.proxies:
            proxy.end()
        unread = {inlet.socket.id: inlet.unread() for inlet in self.inlets}
        for inlet in self.inlets:
            inlet.lose_unread("closed")
        for socket in self._sockets():
            socket.close(None if socket.proxied else unread.get(socket.id, False))
        self._flush(self.connections)

    def _stop_work(self) -> None:
        for app in self.apps:
            app.stop()
        for inlet in self.inlets:
            inlet.stop()

    def _flush(self, open_ones: list[Connection]) -> None:
        lingering = [each for each, socket in self._ends(open_ones) if each.lingers(socket)]
        for connection, socket in self._ends(open_ones):
            if connection not in lingering:
                connection.left(socket, sent="closed", unread="closed")
        if lingering:
            self.process.world.after(FLUSH_LOOKS, lambda: self._flush(lingering))
            return
        self.process.event("process", state="exited")
        self.process.alive = False
        self.agent.gone(self.process, exited=True)

    def _sockets(self) -> list[Socket]:
        """Its sockets, those that receive first; one that sends as well is there once."""
        both = [inlet.socket for inlet in self.inlets] + [outlet.socket for outlet in self.outlets]
        return list({socket.id: socket for socket in both}.values())

    def _ends(self, connections: list[Connection]) -> Iterator[tuple[Connection, Socket]]:
        for connection in connections:
            for end in connection.ends:
                if end.socket.process is self.process:
                    yield connection, end.socket
