"""Parties: an application's process with its sockets, and how it ends."""

from dataclasses import dataclass, field

from hopwatch_simulate.agents import Agent
from hopwatch_simulate.hosts import Process
from hopwatch_simulate.links import Link
from hopwatch_simulate.proxies import Proxy
from hopwatch_simulate.receivers import Inlet
from hopwatch_simulate.senders import Outlet, SendingApp

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
    incoming: list[Link] = field(default_factory=list)
    outgoing: list[Link] = field(default_factory=list)

    def kill(self) -> None:
        """SIGKILL: whatever was queued in it is lost, and it says no last word."""
        self._stop_work()
        self.process.alive = False
        for outlet in self.outlets:
            outlet.socket.ended = "died"
        for inlet in self.inlets:
            inlet.socket.ended = "died"
        for link in self.outgoing:
            link.sender_gone("sender_died")
        self._receivers_gone("receiver_died")
        self.agent.gone(self.process, exited=False)

    def leave(self) -> None:
        """It closes its sockets and goes home; what a lingering socket has queued is passed on first."""
        self._stop_work()
        for proxy in self.proxies:
            proxy.end()
        for inlet in self.inlets:
            inlet.socket.close(unread=inlet.unread() if inlet.socket.kind != "XSUB" else None)
        self._receivers_gone("closed")
        for outlet in self.outlets:
            outlet.socket.close()
        self._flush()

    def _receivers_gone(self, cause: str) -> None:
        for inlet in self.inlets:
            inlet.lose_unread(cause)
        for link in self.incoming:
            link.receiver_gone(cause)

    def _stop_work(self) -> None:
        for app in self.apps:
            app.stop()
        for inlet in self.inlets:
            inlet.stop()

    def _flush(self) -> None:
        lingering = [link for link in self.outgoing if link.lingers()]
        for link in self.outgoing:
            if link not in lingering:
                link.sender_gone("closed")
        if lingering:
            self.process.world.after(FLUSH_LOOKS, self._flush)
            return
        self.process.event("process", state="exited")
        self.process.alive = False
        self.agent.gone(self.process, exited=True)
