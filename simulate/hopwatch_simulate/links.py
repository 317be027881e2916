"""Connections between two sockets: how they come up and go down, and what the monitors of both ends tell of it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from hopwatch_simulate.edges import Edge
from hopwatch_simulate.pipes import Pipe, Wire
from hopwatch_simulate.receivers import Inlet
from hopwatch_simulate.senders import Outlet
from hopwatch_simulate.sockets import Socket

RETRIES = (0.0, 0.11, 0.32, 0.75)
"""Seconds after a disconnection at which a connecting socket tells that it will try again: the 1st, 2nd, 4th, 8th time."""


@dataclass
class End:
    """One end of a connection: its socket, what it calls the endpoint, and the addresses it sees."""

    socket: Socket
    accepted: bool
    endpoint: str
    local: str = ""
    remote: str = ""
    number: int = 0

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

    def told_down(self) -> None:
        """The monitor tells that the connection is gone; a connecting socket will try again."""
        self.socket.connected_to.discard(self.endpoint)
        self.told("disconnected")
        if self.socket.sending:
            self.socket.tell_lanes()
        if not self.accepted:
            self.retries()

    def retries(self) -> None:
        """A connecting socket goes on trying."""
        for wait in RETRIES:
            self.socket.world.after(wait, self._retried)

    def _retried(self) -> None:
        if (
            self.socket.process.alive
            and not self.socket.ended
            and not self.socket.retrying_over(self.endpoint)
        ):
            self.socket.event("connection", action="retried", endpoint=self.endpoint)


class Link:
    """A connection from a sending to a receiving socket, that may go down and come up again."""

    def __init__(self, outlet: Outlet, inlet: Inlet, *, bound: Socket, endpoint: str, seen_as: str, wire: Wire,
                 edge: Edge) -> None:  # fmt: skip
        self.outlet, self.inlet, self.wire, self.edge = outlet, inlet, wire, edge
        self.world = outlet.world
        self.pipe: Pipe | None = None
        self.seen_as = seen_as
        self._gone: str | None = None
        self.on_subscription: Callable[[set[bytes]], None] = _of_no_interest
        ends = [End(each, each is bound, endpoint if each is bound else f"tcp://{seen_as}")
                for each in (outlet.socket, inlet.socket)]  # fmt: skip
        self.sender, self.receiver = ends

    def come_up(self, topics: Iterable[bytes]) -> None:
        """It is connected now; the sender knows the subscriptions some latencies later."""
        if self.sender.socket.ended or self.receiver.socket.ended:
            return
        self._address()
        for end in (self.sender, self.receiver):
            end.socket.connected_to.add(end.endpoint)
            self.world.after(self._lag(), partial(end.told, "connected"))
            self.world.after(0.003 + self.wire.latency, partial(end.told, "handshake"))
        pipe = self.pipe = Pipe(self.world, self.outlet.socket, self.inlet.socket, self.wire)
        self.inlet.add(pipe, self.edge)
        wanted = set(topics)
        self.edge.topics |= wanted
        self.world.after(0.003 + 3 * self.wire.latency, lambda: self._joined(pipe, wanted))

    def also_wants(self, topics: set[bytes]) -> None:
        """Further subscriptions of the receiver arrive at the sender."""
        self.edge.topics |= topics
        if self.pipe is not None and self.pipe.up:
            self._know(self.pipe, topics)

    def cut(self, cause: str) -> None:
        """The connection breaks off, both ends living on: what was under way is lost."""
        self._end(cause)
        for end in (self.sender, self.receiver):
            self._tell_down(end)

    def lingers(self) -> bool:
        """The closed sender still has messages to pass on, and time to."""
        pipe = self.pipe
        return (
            pipe is not None and pipe.up and bool(pipe.queued) and self.sender.socket.options["linger"] != 0
        )

    def sender_gone(self, cause: str) -> None:
        """The sending socket is closed or dead."""
        if self.pipe is not None:
            self._end(cause)
            self._tell_down(self.receiver)

    def receiver_gone(self, cause: str) -> None:
        """The receiving socket is closed or dead: what is in the pipe is lost, and what goes into it until the sender knows."""
        if self.pipe is None:
            return
        self._gone = cause
        self.world.after(self._lag(), self._sender_knows)

    def _sender_knows(self) -> None:
        if self.pipe is None:
            return
        self._end("closed")
        self.sender.told_down()

    def _joined(self, pipe: Pipe, topics: set[bytes]) -> None:
        if pipe.up and not self.sender.socket.ended:
            pipe.on_room = self.outlet.room_is_there
            self.outlet.pipes.append((pipe, self.edge))
            if topics or self.edge.shared_out:
                self._know(pipe, topics)
            self.outlet.room_is_there()

    def _know(self, pipe: Pipe, topics: set[bytes]) -> None:
        if not pipe.topics:
            self.edge.join(self.world.now)
        pipe.topics |= topics
        self.on_subscription(topics)

    def _end(self, cause: str) -> None:
        pipe, self.pipe = self.pipe, None
        if pipe is None:
            return
        self.edge.leave(self.world.now)
        self.outlet.pipes = [(each, edge) for each, edge in self.outlet.pipes if each is not pipe]
        for message in pipe.break_off():
            self.edge.lost.setdefault(message, self._gone or cause)
        if self._gone:
            for message in pipe.arrived:
                self.edge.lost.setdefault(message, self._gone)
            pipe.arrived.clear()

    def _tell_down(self, end: End) -> None:
        self.world.after(self._lag(), end.told_down)

    def _lag(self) -> float:
        return self.wire.latency + self.world.between(0.0002, 0.0015)

    def _address(self) -> None:
        bound, other = (self.sender, self.receiver) if self.sender.accepted else (self.receiver, self.sender)
        caller = f"{other.socket.process.host.address}:{other.socket.process.host.port()}"
        bound_to = bound.endpoint.removeprefix("tcp://")
        here = bound_to.replace("0.0.0.0", bound.socket.process.host.address)  # noqa: S104 - an address to be shown
        translated = here != self.seen_as
        other.local, other.remote = caller, self.seen_as
        seen_caller = (
            f"{bound.socket.process.host.address}:{bound.socket.process.host.port()}"
            if translated
            else caller
        )
        bound.local, bound.remote = here, seen_caller


def _of_no_interest(_topics: set[bytes]) -> None:
    """A sender that is no proxy's passes no subscription on."""
