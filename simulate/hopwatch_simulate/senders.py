"""Sending sockets: they number and stamp, choose the pipes, drop or wait where these are full, and tell as hopwatch does."""

from collections.abc import Callable, Sequence

from hopwatch_simulate.edges import Edge, Passage
from hopwatch_simulate.messages import WHOLE_STREAM, Message, SendingLane
from hopwatch_simulate.pipes import Pipe
from hopwatch_simulate.sockets import Socket


class Outlet:
    """The pipes of a socket that sends, and what it does with each message."""

    def __init__(self, socket: Socket) -> None:
        self.socket, self.world = socket, socket.world
        self.passage = Passage(socket)
        self.pipes: list[tuple[Pipe, Edge]] = []
        self.room_is_there: Callable[[], None] = _nobody_waits
        self._turn = 0
        self._lanes: dict[bytes, int] = {}

    def numbered(self, topic: bytes | None, size: int) -> Message:
        """The next message of this socket's own stream; ``topic`` None: a single frame."""
        socket = self.socket
        frames = 1 if topic is None else 2
        lane = self._lane(topic) if socket.stamps else 0
        sending = socket.sending.get(lane, SendingLane(b""))
        stamped_at = socket.process.host.clock(self.world.now) if socket.stamps else None
        number = socket.counters["sent"]
        return Message(socket.id, number, lane, sending.count, topic or b"", frames, size, self.world.now, stamped_at)  # fmt: skip

    def count(self, message: Message) -> None:
        """The send returned: it has its numbers now."""
        lane = self.socket.sending.get(message.lane)
        if lane is not None:
            lane.count += 1
            lane.frames += message.frames_on_the_wire
        counters = self.socket.counters
        counters["sent"] += 1
        counters["sent_more_frames"] += message.frames - 1
        counters["sent_bytes"] += message.size

    def publish(self, message: Message) -> None:
        """To every subscriber whose pipe has room; an own message that meets a full pipe is an onset, where that is probed."""
        self.passage.passed.append((self.world.now, message))
        wanting = [(pipe, edge) for pipe, edge in self.pipes if pipe.up and pipe.wants(message.topic)]
        newly_full = [pipe for pipe, _ in wanting if not pipe.refusing and not pipe.has_room()]
        if newly_full and self.socket.probed and message.stream == self.socket.id:
            self._onset(message)
        for pipe, edge in wanting:
            if pipe.has_room():
                pipe.write(message)
                edge.taken.add(message)
            else:
                pipe.refuse()
                edge.lost[message] = edge.full

    def share_out(self, message: Message) -> bool:
        """To the next receiver in turn that has room; False: none has."""
        for step in range(len(self.pipes)):
            position = (self._turn + step) % len(self.pipes)
            pipe, edge = self.pipes[position]
            if pipe.up and pipe.has_room():
                self._turn = position + 1
                self.passage.passed.append((self.world.now, message))
                pipe.write(message)
                edge.taken.add(message)
                return True
        return False

    def _lane(self, topic: bytes | None) -> int:
        shared = self.socket.kind in ("PUSH", "DEALER", "REQ", "PAIR")
        if topic is None and not shared:
            return self._open_lane(WHOLE_STREAM, b"")
        name = b"" if shared else topic or b""
        if name not in self._lanes:
            self._lanes[name] = len(self._lanes)
        return self._open_lane(self._lanes[name], name)

    def _open_lane(self, lane: int, topic: bytes) -> int:
        if lane not in self.socket.sending:
            self.socket.sending[lane] = SendingLane(topic)
            about = {"stream": self.socket.id, "lane": lane, "role": "send", "state": "announced"}
            self.socket.event("lane", topic=topic.hex(), **about)
        return lane

    def _onset(self, message: Message) -> None:
        self.socket.counters["onsets"] += 1
        stamped = message.stamped_at is not None
        lane = {"lane": message.lane, "lane_number": message.lane_number} if stamped else {}
        self.socket.event("onset", number=message.number, **lane)


class SendingApp:
    """An application that sends: at each of its times one message, of its topics in turn.

    Where no pipe has room it waits, if ``patient``; else it gets EAGAIN and lets the message go.
    """

    def __init__(
        self,
        outlet: Outlet,
        times: Sequence[float],
        topics: Sequence[bytes | None],
        size: int,
        *,
        patient: bool,
    ) -> None:
        self.outlet, self.world = outlet, outlet.world
        self.times, self.topics, self.size = times, topics, size
        self.patient, self.stopped = patient, False
        self._next = 0
        self._waiting: tuple[float, Message] | None = None
        outlet.room_is_there = self._try_again

    def start(self) -> None:
        """Begin at the first of its times."""
        if self.times:
            self.world.at(self.times[0], self._send)

    def stop(self) -> None:
        """It was killed or goes home: nothing more is sent."""
        self.stopped = True

    def _send(self) -> None:
        if self.stopped:
            return
        message = self.outlet.numbered(self.topics[self._next % len(self.topics)], self.size)
        if self.outlet.socket.kind == "PUSH":
            self._push(message)
            return
        self.outlet.publish(message)
        self._sent(message)

    def _push(self, message: Message) -> None:
        if self.outlet.share_out(message):
            self._sent(message)
            return
        if not self.patient:
            self.outlet.socket.counters["eagain_sends"] += 1
            self._go_on()
            return
        self._waiting = (self.world.now, message)

    def _try_again(self) -> None:
        if self._waiting is None or self.stopped:
            return
        since, message = self._waiting
        if self.outlet.share_out(message):
            self._waiting = None
            self.outlet.socket.counters["waited_sends"] += 1
            self.outlet.socket.counters["waited_ns"] += int((self.world.now - since) * 1e9)
            self._sent(message)

    def _sent(self, message: Message) -> None:
        self.outlet.count(message)
        self._go_on()

    def _go_on(self) -> None:
        self._next += 1
        if self._next < len(self.times):
            self.world.at(self.times[self._next], self._send)


def _nobody_waits() -> None:
    """There is room in a pipe, and nobody who waits for it."""
