"""Connections between two sockets: how they come up and go down, and what the monitors of both ends tell of it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from hopwatch_simulate.hosts import ANYWHERE
from hopwatch_simulate.links import Link
from hopwatch_simulate.pipes import Wire
from hopwatch_simulate.sockets import Socket
from hopwatch_simulate.world import World

RETRIES = (0.0, 0.11, 0.32, 0.75)
"""Seconds after a disconnection at which a connecting socket tells that it will try again: the 1st, 2nd, 4th, 8th time."""
CALLS_AGAIN_AFTER = 0.15
"""Seconds after which a connecting socket is connected again to one that hung up on it."""


def _nobody_waits() -> None:
    """What the end of a connection is to most."""


@dataclass
class End:
    """One end of a connection: its socket, what it calls the endpoint, and the addresses it sees."""

    socket: Socket
    accepted: bool
    endpoint: str
    local: str | None = None
    remote: str | None = None
    number: int = 0
    up: bool = False
    on_down: Callable[[], None] = _nobody_waits

    def told(self, action: str) -> None:
        """An event of its monitor, if its process is still there to tell."""
        if not self.socket.process.alive or self.socket.ended:
            return
        about = {"action": action, "endpoint": self.endpoint, **self.socket.counted()}
        if action == "handshake":
            self.socket.event("connection", **about)
            return
        if action == "connected":
            self.socket.connections += 1
            self.number = self.socket.connections
        places = {"local": self.local, "remote": self.remote, "accepted": self.accepted}
        self.socket.event("connection", connection=self.number, **places, **about)

    def told_down(self, *, calls_again: bool = True) -> None:
        """The monitor tells that the connection is gone, once; a connecting socket will try again."""
        if not self.up:
            return
        self.up = False
        self.socket.connected_to.discard(self.endpoint)
        self.told("disconnected")
        if self.socket.sending:
            self.socket.tell_lanes()
        if not self.accepted and calls_again:
            for wait in RETRIES:
                self.socket.world.after(wait, self._retried)
        self.on_down()

    def _retried(self) -> None:
        there = self.socket.process.alive and not self.socket.ended
        if there and not self.socket.retrying_over(self.endpoint):
            self.socket.event("connection", action="retried", endpoint=self.endpoint)


class Connection:
    """What carries the links between two sockets, one each way at most. It may go down and come up again.

    ``called``: the endpoint that the connecting end knows. ``masqueraded``: the bound end does not see the address of the connecting one. ``former``: a connection of
    the connecting socket to the same place.
    """

    def __init__(self, world: World, bound: Socket, connecting: Socket, *, endpoint: str, called: str, wire: Wire, masqueraded: bool = False,
                 former: "Connection | None" = None) -> None:  # fmt: skip
        self.world, self.wire, self.called = world, wire, called
        self.masqueraded, self.former = masqueraded, former
        self.bound = End(bound, True, endpoint)
        self.connecting = End(connecting, False, called)
        self.links: list[Link] = []

    @property
    def ends(self) -> tuple[End, End]:
        return self.bound, self.connecting

    @property
    def over_tcp(self) -> bool:
        """And not ipc, where no end has an address."""
        return self.called.startswith("tcp://")

    def come_up(self, topics: Iterable[bytes] = ()) -> None:
        """It is connected now; a sender knows its receiver's subscriptions some latencies later. Who has not seen the former connection end calls again only after that."""
        if any(end.socket.ended for end in self.ends):
            return
        if self.former is not None and self.former.connecting.up:
            again = partial(self.come_up, topics)
            self.former.connecting.on_down = partial(self.world.after, CALLS_AGAIN_AFTER, again)
            return
        self._address()
        for end in self.ends:
            end.up = True
            end.socket.connected_to.add(end.endpoint)
            self.world.after(self._lag(), partial(end.told, "connected"))
            self.world.after(0.003 + self.wire.latency, partial(end.told, "handshake"))
        identity = self._identity()
        for link in self.links:
            link.come_up(set(topics), identity)

    def cut(self, cause: str = "reconnect") -> None:
        """It breaks off, both ends living on: what was under way is lost."""
        for link in self.links:
            link.break_off(cause)
        for end in self.ends:
            self.world.after(self._lag(), end.told_down)

    def hang_up(self, receiver: Socket) -> None:
        """The receiver was sent more than it takes. If it was the one to connect, it never calls again."""
        for link in self.links:
            link.break_off("oversize", hung_up=True)
        own, other = self.ends if receiver is self.bound.socket else (self.connecting, self.bound)
        own.told_down(calls_again=False)
        self.world.after(self._lag(), other.told_down)
        if own is self.bound:
            self.world.after(CALLS_AGAIN_AFTER, self.come_up)

    def lingers(self, socket: Socket) -> bool:
        """A closed socket still has messages to pass on, and time to."""
        return any(link.lingers() for link in self.links if link.outlet.socket is socket)

    def left(self, socket: Socket, *, sent: str, unread: str) -> None:
        """A socket is closed or dead: why what it had sent, and what it had not read, is lost."""
        survivor = self.connecting if socket is self.bound.socket else self.bound
        for link in self.links:
            if link.outlet.socket is socket:
                link.sender_gone(sent)
            else:
                link.receiver_gone(unread)
        self._once_drained(lambda: self.world.after(self._lag(), partial(self._survived, survivor)))

    def _once_drained(self, act: Callable[[], None]) -> None:
        """Of a connection that may drain, one link carries all."""
        draining = [link for link in self.links if link.drains]
        if draining:
            draining[0].once_drained(act)
        else:
            act()

    def _survived(self, survivor: End) -> None:
        for link in self.links:
            if link.outlet.socket is survivor.socket:
                link.sender_knows()
        survivor.told_down()

    def _identity(self) -> bytes:
        """What a ROUTER at one end calls the other."""
        for end, other in (self.ends, self.ends[::-1]):
            if end.socket.kind == "ROUTER":
                return other.socket.routing_id or b"\0" + self.world.chance.randbytes(4)
        return b""

    def _lag(self) -> float:
        return self.wire.latency + self.world.between(0.0002, 0.0015)

    def _address(self) -> None:
        if not self.over_tcp:
            return
        bound, other = self.ends
        host = bound.socket.process.host
        caller = f"{other.socket.process.host.address}:{other.socket.process.host.port()}"
        here = bound.endpoint.removeprefix("tcp://").replace(ANYWHERE, host.address)
        other.local, other.remote = caller, self.called.removeprefix("tcp://")
        bound.local, bound.remote = here, f"{host.address}:{host.port()}" if self.masqueraded else caller
