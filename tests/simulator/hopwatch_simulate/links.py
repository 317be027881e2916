"""Links: the ways of messages from a sending to a receiving socket, over one connection after the other."""

from collections.abc import Callable, Iterable

from hopwatch_simulate.edges import Edge
from hopwatch_simulate.messages import Message
from hopwatch_simulate.pipes import Pipe, Wire
from hopwatch_simulate.receivers import Inlet
from hopwatch_simulate.senders import Outlet


class Link:
    """One direction of a connection.

    A sender that is bound (not ``calls``) loses its pipe with the connection. One that connects keeps it: it goes on taking
    messages, which are passed on when it is connected again, if need be to who is bound there then: ``heir_of``. If it never is, they
    are lost as what is sent meanwhile by a sender that is bound; those of a stream that is shared out, with their sender, if the receiver is gone.

    So it is with a receiver and what it has not read: one that is bound reads it in turn with what comes over the next connection.

    ``drains``: what a sender that is gone had passed on to the kernel stays to be read there, as the receiver gets room for it.
    """

    def __init__(self, outlet: Outlet, inlet: Inlet, edge: Edge, wire: Wire, *, calls: bool, drains: bool = False,
                 heir_of: "Link | None" = None) -> None:  # fmt: skip
        self.outlet, self.inlet, self.edge, self.wire = outlet, inlet, edge, wire
        self.calls, self.drains, self.heir_of = calls, drains, heir_of
        self.world = outlet.world
        self.pipe: Pipe | None = None
        self.on_subscription: Callable[[set[bytes]], None] = _of_no_interest
        self.on_oversize: Callable[[], None] = _takes_any
        self._gone: str | None = None
        self._away: str | None = None
        self._former: Pipe | None = None

    def come_up(self, topics: set[bytes], identity: bytes) -> None:
        """It is connected now; the sender knows the subscriptions some latencies later."""
        self.edge.identity = identity
        self.edge.topics |= topics
        kept, pipe = self.pipe, self._new_pipe()
        if kept is not None:
            self._away = None
            pipe.on_room = self.outlet.room_is_there
            self.outlet.replace(kept, pipe)
            pipe.take_over(kept)
            self.outlet.room_is_there()
            if new := topics - pipe.topics:  # subscribed to meanwhile
                self.world.after(0.003 + 3 * self.wire.latency, lambda: self._joined(pipe, new))
            return
        if self._former is not None:
            pipe.read_on_from(self._former)
        inherited = self.heir_of.bequeath() if self.heir_of else None
        if inherited is not None:
            self._inherit(pipe, inherited)
        self.world.after(0.003 + 3 * self.wire.latency, lambda: self._joined(pipe, set(topics)))

    def also_wants(self, topics: set[bytes]) -> None:
        """Further subscriptions of the receiver arrive at the sender."""
        self.edge.topics |= topics
        if self.pipe is not None and self.pipe.up:
            self._know(self.pipe, topics)

    def break_off(self, cause: str, *, hung_up: bool = False) -> None:
        """The connection ends, both ends living on: what was under way is lost."""
        if self.pipe is None:
            self._cut_short(cause)
            return
        if self.calls:
            self._away = cause
            self._lose(self.pipe.break_off(keep=True, read_on=not hung_up), cause)
        else:
            self._end(cause, meanwhile=cause, read_on=not hung_up)

    def lingers(self) -> bool:
        """The closed sender still has messages to pass on, and time to."""
        pipe = self.pipe
        return (
            pipe is not None and pipe.up and bool(pipe.queued) and self.outlet.socket.options["linger"] != 0
        )

    def sender_gone(self, cause: str) -> None:
        """The sending socket is closed or dead: what it had not passed on is lost."""
        self._end(cause, meanwhile=None, drains=self.drains and self._gone is None)

    def once_drained(self, act: Callable[[], None]) -> None:
        """Do it when the receiver has taken in all that a sender that is gone had passed on; that may be now."""
        if self._former is not None and self._former.draining:
            self._former.on_drained = act
        else:
            act()

    def receiver_gone(self, cause: str) -> None:
        """The receiving socket is closed or dead: what is in the pipe is lost, and what goes into it until the sender knows."""
        self._gone = self._gone or cause
        if self.pipe is None:
            self.edge.gone(self.world.now)

    def sender_knows(self) -> None:
        """The sender learns that the receiver is gone."""
        pipe, cause = self.pipe, self._gone
        if pipe is None or cause is None:
            return
        self.edge.gone(self.world.now)
        if not self.calls:
            self._end(cause, meanwhile=None)
            return
        self._lose([*pipe.break_off(keep=True, read_on=False), *pipe.arrived], cause)
        self.edge.kept = not self.edge.broadcast
        if self.edge.broadcast:
            self._lose(pipe.queued, self._away or cause)
        pipe.arrived.clear()

    def bequeath(self) -> Pipe | None:
        """Give up a pipe that goes on taking messages, for whoever comes after the receiver; None: there is none."""
        pipe, self.pipe = self.pipe, None
        if pipe is None:
            return None
        self.outlet.drop(pipe)
        self.edge.kept = False
        for message in pipe.turned_away:
            self.edge.lost.pop(message, None)
        for message in pipe.queued:
            self.edge.taken.discard(message)
            self.edge.lost.pop(message, None)
        return pipe

    def _new_pipe(self) -> Pipe:
        pipe = self.pipe = Pipe(self.world, self.outlet.socket, self.inlet.socket, self.wire)
        pipe.on_conflated = self._conflated
        pipe.on_oversize = self.on_oversize
        self.inlet.add(pipe, self.edge)
        return pipe

    def _inherit(self, pipe: Pipe, former: Pipe) -> None:
        self.edge.taken.update(former.queued)
        self._lose(former.turned_away, "reconnect")
        self.edge.topics |= former.topics
        self.edge.join(self.world.now)
        self._add(pipe)
        pipe.take_over(former)

    def _joined(self, pipe: Pipe, topics: set[bytes]) -> None:
        if pipe.up and not self.outlet.socket.ended:
            if not self.outlet.has(pipe):
                self._add(pipe)
            if topics or not self.edge.broadcast:
                self._know(pipe, topics)
            self.outlet.room_is_there()

    def _add(self, pipe: Pipe) -> None:
        pipe.on_room = self.outlet.room_is_there
        self.outlet.add(pipe, self.edge)

    def _know(self, pipe: Pipe, topics: set[bytes]) -> None:
        if not pipe.topics:
            self.edge.join(self.world.now)
        pipe.topics |= topics
        self.on_subscription(topics)

    def _cut_short(self, cause: str) -> None:
        """The connection ends before the receiver has read what a sender that is gone had passed on."""
        if self._former is not None and self._former.draining:
            self._lose(self._former.break_off(keep=False, read_on=False), cause)

    def _end(self, cause: str, *, meanwhile: str | None, read_on: bool = True, drains: bool = False) -> None:
        """The pipe is no more. ``meanwhile``: why what is sent until there is another one is lost; None: there will be none."""
        pipe, self.pipe = self.pipe, None
        if pipe is None:
            return
        self.edge.leave(self.world.now, meanwhile)
        self.outlet.drop(pipe)
        self._former = pipe
        why = cause if self.edge.kept else self._away or self._gone or cause
        self._lose(pipe.lose_sender() if drains else pipe.break_off(keep=False, read_on=read_on), why)
        if self._gone:
            self._lose(pipe.arrived, self._gone)
            pipe.arrived.clear()

    def _lose(self, messages: Iterable[Message], cause: str) -> None:
        for message in messages:
            self.edge.lost.setdefault(message, cause)

    def _conflated(self, message: Message) -> None:
        self.edge.lost.setdefault(message, "conflated")


def _of_no_interest(_topics: set[bytes]) -> None:
    """A sender that is no proxy's passes no subscription on."""


def _takes_any() -> None:
    """A receiver that takes messages of any size never hangs up."""
