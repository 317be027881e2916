"""Receiving sockets: an application that reads message by message, and what hopwatch sees of it."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

from hopwatch_simulate.edges import Edge
from hopwatch_simulate.messages import Message, ReceivingLane
from hopwatch_simulate.pipes import Pipe
from hopwatch_simulate.sockets import Socket

Act = Callable[[Message], None]
SHARED_OUT = ("PUSH", "DEALER", "REQ", "REP")
"""Types whose lanes no receiver can check alone."""


@dataclass(frozen=True)
class Rest:
    """An application that is busy with ``every`` so many messages for some seconds, and reads none meanwhile."""

    every: int
    seconds: float


class Inlet:
    """The pipes of a socket that receives, read in turn by an application that takes ``service`` seconds a message."""

    def __init__(
        self, socket: Socket, service: float, *, then: Act | None = None, waits: bool = False
    ) -> None:
        self.socket, self.world = socket, socket.world
        self.service, self.then, self.waits = service, then, waits
        self.pipes: list[tuple[Pipe, Edge]] = []
        self.in_hand: tuple[Message, Edge] | None = None
        self.rest: Rest | None = None
        self.waits_once = False
        """It waits in its first receive alone, and asks later whether there is something to read."""
        self.stopped = False
        self.filtered: set[bytes] = set()
        self._turn = self._taken = 0
        self._reading = False
        self._free_at = 0.0
        self._epochs: dict[str, str] = {}

    def add(self, pipe: Pipe, edge: Edge) -> None:
        """Another connection to read from."""
        self.pipes.append((pipe, edge))
        pipe.on_arrival = self.wake

    def wake(self) -> None:
        """There is something to read."""
        if not self._reading and not self.stopped and self.in_hand is None:
            self._reading = True
            idle = self._free_at <= self.world.now
            if idle and self.waits and not (self.waits_once and self._taken):
                self.socket.counters["waited_receives"] += 1
            self.world.at(self._free_at, self._read)

    def stop(self) -> None:
        """The application reads no more."""
        self.stopped = True

    def hold(self, message: Message) -> None:
        """The application cannot pass on what it has just read, and reads no more until it can."""
        self.in_hand = message, next(edge for _, edge in self.pipes if message in edge.read)

    def let_go(self) -> None:
        """It has passed on what it held."""
        self.in_hand = None
        self.wake()

    def unread(self) -> bool:
        """Whether messages that it has not read had reached the socket: what the kernel still holds, no poll shows."""
        return any(pipe.arrived for pipe, _ in self.pipes)

    def lose_unread(self, cause: str) -> None:
        """The socket is gone: what it had not read of connections that are gone as well is lost, and what it held."""
        if self.in_hand is not None:
            message, edge = self.in_hand
            edge.read.discard(message)
            edge.lost[message] = cause
        for pipe, edge in self.pipes:
            if not pipe.up:
                in_the_inbox, gone = bool(pipe.arrived), pipe.lose_receiver()
                for message in gone:
                    edge.lost.setdefault(message, cause)
                if gone and pipe.outlives_its_sender and edge.sender.ended == "died":
                    edge.outlived, edge.told_unread = True, in_the_inbox and cause == "closed"

    def _read(self) -> None:
        found = None if self.stopped else self._next()
        self._reading = (
            False  # not before: reading lets more messages in, which is no reason to read at once again
        )
        if found is None:
            return
        message, edge = found
        edge.read.add(message)
        self._taken += 1
        self._free_at = self.world.now + self.service + self._rests_for()
        self._count(message, edge)
        if self.then:
            self.then(message)
        if any(pipe.arrived for pipe, _ in self.pipes):
            self.wake()

    def _rests_for(self) -> float:
        rests_now = self.rest is not None and self._taken % self.rest.every == 0
        return self.rest.seconds if self.rest and rests_now else 0.0

    def _next(self) -> tuple[Message, Edge] | None:
        for step in range(len(self.pipes)):
            position = (self._turn + step) % len(self.pipes)
            pipe, edge = self.pipes[position]
            message = pipe.read()
            if message is not None:
                self._turn = position + 1
                return message, edge
        return None

    def _count(self, message: Message, edge: Edge) -> None:
        counters, envelope = self.socket.counters, _envelope(edge, self.socket.kind)
        counters["received"] += 1
        counters["received_more_frames"] += message.frames - 1 + envelope
        counters["received_bytes"] += message.size + envelope * len(edge.identity)
        stamped = message.stamped_at is not None
        if self.socket.stamps if stamped else self.socket.carries:
            self._follow(message, edge)
        elif (message.stream, message.lane) in self.socket.receiving:
            self.socket.receiving[message.stream, message.lane].since += 1

    def _follow(self, message: Message, edge: Edge) -> None:
        stream = message.stream if self.socket.stamps else self._epoch(message.stream)
        key = (stream, message.lane)
        lane = self.socket.receiving.get(key)
        if lane is None:
            topic = b"" if edge.sender.kind == "ROUTER" else message.topic
            about = {"stream": stream, "lane": message.lane, "role": "receive", "state": "announced"}
            carried = {"sequence": self.socket.sequence} if self.socket.carries else {}
            self.socket.event("lane", topic=topic.hex(), **carried, **about)
            self.socket.receiving[key] = ReceivingLane(1, message.lane_number, message)
            return
        lane.count += 1
        if edge.sender.kind in SHARED_OUT:
            lane.widen(message)
            return
        before, lane.last = lane.last, message
        missing = message.lane_number - before.lane_number - 1 - lane.since
        lane.count, lane.since = lane.count + lane.since, 0
        if missing:
            self._gap(stream, before, message, missing, lane.count)

    def _gap(self, stream: str, before: Message, after: Message, missing: int, received: int) -> None:
        self.socket.counters["gaps"] += 1
        self.socket.counters["lost"] += missing
        around = {"before": before.number, "after": after.number, "before_sent_at": before.stamped_at,
                  "after_sent_at": after.stamped_at} if self.socket.stamps else {}  # fmt: skip
        self.socket.event(
            "gap", stream=stream, lane=after.lane, action="gap", first=before.lane_number + 1,
            last=after.lane_number - 1, lost=missing, received=received, **around,
        )  # fmt: skip

    def _epoch(self, stream: str) -> str:
        """The id that is given to a stream of messages that carry numbers and do not say whose they are."""
        if stream not in self._epochs:
            text = f"{self.socket.id}/{self.socket.sequence}/{len(self._epochs)}".encode()
            self._epochs[stream] = f"{int.from_bytes(blake2b(text, digest_size=8).digest(), 'little'):016x}"
        return self._epochs[stream]


def _envelope(edge: Edge, to: str) -> int:
    """Frames more than its sender's message had: a ROUTER puts the routing id before what it gives out, and takes it off."""
    return (to == "ROUTER") - (edge.sender.kind == "ROUTER")
