"""A pipe: the way of messages from a sending socket through one connection to a receiving one.

Its sender's queue holds ``sndhwm`` messages: full, it takes more only once half of them were passed on, as libzmq's do.
Behind it lie the kernel's buffers, and the receiver's queue of ``rcvhwm`` messages.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from hopwatch_simulate.messages import Message
from hopwatch_simulate.sockets import Socket
from hopwatch_simulate.world import World


@dataclass(frozen=True)
class Wire:
    """What lies between the two ends: seconds of latency, messages in the kernel's buffers, seconds a message takes.

    ``names_receiver``: buffers are large enough for the sending end's kernel to tell that the other one does not read.
    """

    latency: float
    room: int
    pace: float = 0.0
    names_receiver: bool = False


class Pipe:
    """One direction of one connection: ``open`` while the sender may write to it, ``up`` while it is connected."""

    def __init__(self, world: World, sender: Socket, receiver: Socket, wire: Wire) -> None:
        self.world, self.sender, self.receiver, self.wire = world, sender, receiver, wire
        self.topics: set[bytes] = set()
        self.open = self.up = True
        self.outlives_its_sender = False
        self.refusing = self.filled_while_down = False
        self.on_arrival: Callable[[], None] = _nobody_waits
        self.on_room: Callable[[], None] = _nobody_waits
        self.on_oversize: Callable[[], None] = _nobody_waits
        self.on_drained: Callable[[], None] = _nobody_waits
        self.on_conflated: Callable[[Message], None] = _nobody_cares
        self.queued: deque[Message] = deque()
        self.turned_away: list[Message] = []
        """What met it full when that had come of a connection that was down: lost to the next one, as what it holds is passed on there."""
        self.in_kernel: deque[tuple[float, Message]] = deque()
        self.arrived: deque[Message] = deque()
        self._written = self._passed_on = self._acknowledged = 0
        self._free_at = 0.0
        self._waits_for_the_wire = False

    def wants(self, topic: bytes) -> bool:
        return any(topic.startswith(prefix) for prefix in self.topics)

    def has_room(self) -> bool:
        """Whether the sender's queue takes another message; once it did not, not before half of it was passed on."""
        mark = 0 if self.sender.options["conflate"] else self.sender.options["sndhwm"]
        return not self.refusing and (mark == 0 or self._written - self._acknowledged < mark)

    def refuse(self, message: Message) -> None:
        """The sender met it full: it is set aside until it has room again."""
        if not self.refusing:
            self.refusing, self.filled_while_down = True, not self.up
        if self.filled_while_down:
            self.turned_away.append(message)

    def write(self, message: Message) -> None:
        self._written += 1
        if self.sender.options["conflate"]:
            _keep_newest(self.queued, self.on_conflated)
        self.queued.append(message)
        self._pump()

    def read(self) -> Message | None:
        """The next message for the receiving application."""
        if not self.arrived:
            return None
        message = self.arrived.popleft()
        self._deliver()
        return message

    def break_off(self, *, keep: bool, read_on: bool) -> list[Message]:
        """The connection ends now: gives what is lost with it. What had reached the receiver can still be read.

        ``keep``: the sender's queue stays, and takes more; ``read_on``: the receiver takes from the kernel what it has room for.
        """
        self.up, self.open = False, keep
        if read_on and self.in_kernel and len(self.arrived) < self._inbox():
            while self.in_kernel and len(self.arrived) < self._inbox():
                self._arrive()
            self.on_arrival()
        gone = [message for _, message in self.in_kernel]
        self.in_kernel.clear()
        if not keep:
            gone += self.queued
            self.queued.clear()
        return gone

    @property
    def draining(self) -> bool:
        """Its sender is gone, and the kernel still holds some of what that had passed on."""
        return not self.up and bool(self.in_kernel)

    def lose_sender(self) -> list[Message]:
        """The sender is gone: gives what it had not passed on. The connection ends behind what the kernel holds, which the receiver takes in as it has room."""
        self.up = self.open = False
        self.outlives_its_sender = True
        gone = list(self.queued)
        self.queued.clear()
        return gone

    def lose_receiver(self) -> list[Message]:
        """The receiver is gone: gives what it had not read, and what the kernel held for it."""
        gone = [*self.arrived, *(message for _, message in self.in_kernel)]
        self.arrived.clear()
        self.in_kernel.clear()
        return gone

    def take_over(self, former: "Pipe") -> None:
        """Begin with what another pipe of the same sender still had to pass on."""
        self.topics |= former.topics
        self.refusing, self.filled_while_down = former.refusing, former.filled_while_down
        self.queued.extend(former.queued)
        self._written += len(former.queued)
        former.queued.clear()
        self._pump()

    def read_on_from(self, former: "Pipe") -> None:
        """Begin with what a receiver that connected has not read of its connection before."""
        self.arrived.extend(former.arrived)
        former.arrived.clear()

    def _inbox(self) -> int:
        unlimited = self.receiver.options["conflate"] or not self.receiver.options["rcvhwm"]
        return 1 << 40 if unlimited else self.receiver.options["rcvhwm"]

    def _arrive(self) -> None:
        if self.receiver.options["conflate"]:
            _keep_newest(self.arrived, self.on_conflated)
        self.arrived.append(self.in_kernel.popleft()[1])

    def _pump(self) -> None:
        if not self.up:
            return
        while self.queued and len(self.in_kernel) < self.wire.room:
            if self._free_at > self.world.now:
                self._go_on_later()
                break
            self._free_at = self.world.now + self.wire.pace
            ready_at = self.world.now + self.wire.latency
            self.in_kernel.append((ready_at, self.queued.popleft()))
            self.world.at(ready_at, self._deliver)
            self._passed_on += 1
            self._acknowledge()

    def _go_on_later(self) -> None:
        def go_on() -> None:
            self._waits_for_the_wire = False
            self._pump()

        if not self._waits_for_the_wire:
            self._waits_for_the_wire = True
            self.world.at(self._free_at, go_on)

    def _acknowledge(self) -> None:
        half = (self.sender.options["sndhwm"] + 1) // 2
        if half and self._passed_on % half == 0:
            self._acknowledged = self._passed_on
            self.refusing = False
            self.on_room()

    def _deliver(self) -> None:
        moved = False
        while self.in_kernel and self.in_kernel[0][0] <= self.world.now + 1e-9:
            if len(self.arrived) >= self._inbox():
                break
            if 0 <= self.receiver.options["maxmsgsize"] < self.in_kernel[0][1].size:
                self.on_oversize()
                break
            self._arrive()
            moved = True
        if moved:
            self._pump()
            self.on_arrival()
            if not self.up and not self.in_kernel:
                self.on_drained()


def _keep_newest(queue: deque[Message], on_conflated: Callable[[Message], None]) -> None:
    while queue:
        on_conflated(queue.popleft())


def _nobody_waits() -> None:
    """What a pipe tells when nobody listens."""


def _nobody_cares(_message: Message) -> None:
    """A message that is dropped by a pipe of no link."""
