"""Proxies: what they receive on one side they pass to the other, messages one way and subscriptions the other."""

from functools import partial

from hopwatch_simulate.hosts import Process
from hopwatch_simulate.links import Link
from hopwatch_simulate.messages import Message
from hopwatch_simulate.receivers import Inlet
from hopwatch_simulate.senders import Outlet
from hopwatch_simulate.sockets import Socket

PER_MESSAGE = 0.00002
STATISTICS_EVERY = 0.2


class Proxy:
    """``hopwatch.proxy`` of an XSUB frontend and an XPUB backend."""

    kinds = ("XSUB", "XPUB")

    def __init__(
        self, process: Process, name: str, *, in_hwm: int, out_hwm: int, service: float = PER_MESSAGE
    ) -> None:
        self.process, self.world, self.name = process, process.world, name
        self.id = self.world.identity()
        self.front = Socket(process, f"{name}-in", self.kinds[0], sequence=None, options={"rcvhwm": in_hwm})
        self.back = Socket(process, f"{name}-out", self.kinds[1], sequence=None, options={"sndhwm": out_hwm})
        self.front.proxied = self.back.proxied = True
        self.inlet = Inlet(self.front, service, then=self._pass_on)
        self.outlet = Outlet(self.back)
        self.upstream: list[Link] = []
        self.topics: set[bytes] = set()
        self._counts = {"in_frames": 0, "in_bytes": 0, "out_frames": 0, "out_bytes": 0}
        self._asked_at = self.world.now

    def start(self) -> None:
        """It runs: from now on its backend is probed no more, and its STATISTICS are asked for."""
        self.process.unlanded()
        self.process.event("proxy", state="started", **self._about())
        self._ask()

    def subscribe(self, topics: set[bytes]) -> None:
        """Subscriptions arrived at the backend: new ones go on to all senders before the frontend."""
        new = topics - self.topics
        self.topics |= new
        self._counts["out_frames"] += len(new)
        self._counts["out_bytes"] += sum(1 + len(topic) for topic in new)
        for link in self.upstream:
            self.world.after(link.wire.latency + 0.0002, partial(link.also_wants, new))

    def end(self) -> None:
        """It returns by itself."""
        self._take_counts()
        counted_at = self.process.host.clock(self._asked_at)
        self.process.event("proxy", state="ended", counted_at=counted_at, **self._about())

    def _pass_on(self, message: Message) -> None:
        received = self.front.counters
        received["received"] = received["received_more_frames"] = received["received_bytes"] = 0
        received["waited_receives"] = 0
        self._send(message)

    def _send(self, message: Message) -> None:
        self.outlet.publish(message)
        self._count(message)

    def _count(self, message: Message) -> None:
        self._counts["in_frames"] += message.frames_on_the_wire
        self._counts["in_bytes"] += message.size + (48 if message.stamped_at else 0)

    def _ask(self) -> None:
        if self.process.alive and not self.back.ended:
            self._take_counts()
            self.world.after(STATISTICS_EVERY, self._ask)

    def _take_counts(self) -> None:
        counts = tuple(self._counts.values())
        self._asked_at = self.world.now
        at = int(self.process.host.clock(self.world.now).timestamp() * 1e9)
        turned = dict(zip(self._counts, (*counts[2:], *counts[:2]), strict=True))
        for side, figures in ((self.front, self._counts), (self.back, turned)):
            side.counters |= {f"proxied_{name}": value for name, value in figures.items()}
            side.counters["proxied_at"] = at

    def _about(self) -> dict[str, str]:
        return {
            "proxy": self.id,
            "name": self.name,
            "frontend": self.front.id,
            "backend": self.back.id,
            "frontend_type": self.front.kind,
            "backend_type": self.back.kind,
        }


class SharingProxy(Proxy):
    """``hopwatch.proxy`` of a PULL frontend and a PUSH backend: while nobody behind it has room, it waits with one message and answers nobody."""

    kinds = ("PULL", "PUSH")

    def __init__(
        self, process: Process, name: str, *, in_hwm: int, out_hwm: int, service: float = PER_MESSAGE
    ) -> None:
        super().__init__(process, name, in_hwm=in_hwm, out_hwm=out_hwm, service=service)
        self.outlet.room_is_there = self._try_again
        self._passing = False

    def subscribe(self, topics: set[bytes]) -> None:
        """Who connects to a PUSH wants everything, and nobody is told."""

    def _send(self, message: Message) -> None:
        if self.outlet.share_out(message):
            self._count(message)
        else:
            self.inlet.hold(message)

    def _try_again(self) -> None:
        waits_with = self.inlet.in_hand
        if waits_with is None or self._passing or not self.process.alive:
            return
        self._passing = True  # what it passes on may make room at once
        passed = self.outlet.share_out(waits_with[0])
        self._passing = False
        if passed:
            self._count(waits_with[0])
            self.inlet.let_go()

    def _take_counts(self) -> None:
        if self.inlet.in_hand is None:
            super()._take_counts()
