"""Sending sockets: they number and stamp, choose the pipes, drop or wait where these are full, and tell as hopwatch does."""

from collections.abc import Callable

from hopwatch_simulate.edges import Edge, Passage
from hopwatch_simulate.messages import WHOLE_STREAM, Message, SendingLane
from hopwatch_simulate.pipes import Pipe
from hopwatch_simulate.sockets import BROADCASTING, Socket

ONE_LANE = ("PUSH", "DEALER", "REQ", "REP", "PAIR")


class Outlet:
    """The pipes of a socket that sends, and what it does with each message."""

    def __init__(self, socket: Socket) -> None:
        self.socket, self.world = socket, socket.world
        self.passage = Passage(socket)
        self.pipes: list[tuple[Pipe, Edge]] = []
        self.room_is_there: Callable[[], None] = _nobody_waits
        self._turn = 0
        self._lanes: dict[bytes, int] = {}

    def add(self, pipe: Pipe, edge: Edge) -> None:
        """Another way to send on."""
        self.pipes.append((pipe, edge))

    def drop(self, pipe: Pipe) -> None:
        """A way less."""
        self.pipes = [(each, edge) for each, edge in self.pipes if each is not pipe]

    def replace(self, former: Pipe, pipe: Pipe) -> None:
        """The same way, over another connection."""
        self.pipes = [(pipe if each is former else each, edge) for each, edge in self.pipes]

    def has(self, pipe: Pipe) -> bool:
        return any(each is pipe for each, _ in self.pipes)

    def numbered(self, topic: bytes | None, size: int) -> Message:
        """The next message of this socket's own stream; ``topic`` None: a single frame."""
        socket = self.socket
        frames = 1 if topic is None else 2
        lane = self._lane(topic) if socket.numbers else 0
        sending = socket.sending.get(lane, SendingLane(b""))
        stamped = socket.stamps and sending.count % socket.stamp_every == 0
        stamped_at = socket.process.host.clock(self.world.now) if stamped else None
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

    def send(self, message: Message) -> bool:
        """Give a message away as sockets of this type do; False: nobody has room for it now."""
        if self.socket.kind in BROADCASTING:
            self.publish(message)
            return True
        return self.share_out(message)

    def publish(self, message: Message) -> None:
        """To every subscriber whose pipe has room; an own message that meets a full pipe is an onset, where that is probed."""
        self.passage.passed.append((self.world.now, message))
        wanting = [(pipe, edge) for pipe, edge in self.pipes if pipe.open and pipe.wants(message.topic)]
        newly_full = [pipe for pipe, _ in wanting if not pipe.refusing and not pipe.has_room()]
        if newly_full and self.socket.probed and message.stream == self.socket.id:
            self.tell_onset(message)
        for pipe, edge in wanting:
            if pipe.has_room():
                pipe.write(message)
                edge.taken.add(message)
            else:
                pipe.refuse(message)
                edge.lost[message] = "reconnect" if pipe.filled_while_down else edge.full

    def share_out(self, message: Message) -> bool:
        """To the next receiver in turn that has room; False: none has."""
        for step in range(len(self.pipes)):
            position = (self._turn + step) % len(self.pipes)
            pipe, edge = self.pipes[position]
            if pipe.open and pipe.has_room():
                self._turn = position + 1
                self.passage.passed.append((self.world.now, message))
                pipe.write(message)
                edge.taken.add(message)
                return True
        return False

    def _lane(self, topic: bytes | None) -> int:
        shared = self.socket.kind in ONE_LANE or self.socket.carries
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
            carried = {"sequence": self.socket.sequence} if self.socket.carries else {}
            self.socket.event("lane", topic=topic.hex(), **carried, **about)
        return lane

    def tell_onset(self, message: Message) -> None:
        """It met a full pipe."""
        self.socket.counters["onsets"] += 1
        lane = {"lane": message.lane, "lane_number": message.lane_number} if self.socket.stamps else {}
        self.socket.event("onset", number=message.number, **lane)


def _nobody_waits() -> None:
    """There is room in a pipe, and nobody who waits for it."""
