"""Applications: when they send, and what they do when a socket does not take a message at once."""

from collections.abc import Sequence

from hopwatch_simulate.messages import Message
from hopwatch_simulate.receivers import Act, Inlet
from hopwatch_simulate.routers import ReplyOutlet, RouterOutlet
from hopwatch_simulate.senders import Outlet


def answers(outlet: RouterOutlet | ReplyOutlet, size: int = 100) -> Act:
    """What an application does that sends an answer to each message at once."""

    def answer(question: Message) -> None:
        topic = None
        if isinstance(outlet, RouterOutlet):
            topic = outlet.peers[question.stream]
        else:
            outlet.asked_by = question.stream
        message = outlet.numbered(topic, size)
        outlet.send(message)
        outlet.count(message)

    return answer


class SendingApp:
    """An application that sends: at each of its times one message, of its topics and its sizes (bytes) in turn.

    Where no pipe has room it waits, if ``patient``; else it gets EAGAIN and lets the message go.
    """

    def __init__(
        self,
        outlet: Outlet,
        times: Sequence[float],
        topics: Sequence[bytes | None],
        sizes: Sequence[int],
        *,
        patient: bool,
    ) -> None:
        self.outlet, self.world = outlet, outlet.world
        self.times, self.topics, self.sizes = times, topics, sizes
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
        number = self._next
        topic, size = self.topics[number % len(self.topics)], self.sizes[number % len(self.sizes)]
        message = self.outlet.numbered(topic, size)
        if self.outlet.send(message):
            self._sent(message)
        elif self.patient:
            self._waiting = (self.world.now, message)
        else:
            self.outlet.socket.counters["eagain_sends"] += 1
            self._go_on()

    def _try_again(self) -> None:
        if self._waiting is None or self.stopped:
            return
        since, message = self._waiting
        if self.outlet.send(message):
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


class AskingApp(SendingApp):
    """An application with a REQ: it asks at each of its times, or once the question before was answered."""

    def __init__(self, outlet: Outlet, inlet: Inlet, times: Sequence[float], size: int) -> None:
        super().__init__(outlet, times, (None,), (size,), patient=True)
        inlet.then = self._answered

    def _answered(self, _answer: Message) -> None:
        self._go_on()

    def _sent(self, message: Message) -> None:
        self.outlet.count(message)
