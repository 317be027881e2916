"""Sockets as hopwatch sees them: options, counters, lanes, and the rows about them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from hopwatch_agent.landing.schemas import COUNTERS

from hopwatch_simulate.hosts import Process
from hopwatch_simulate.messages import ReceivingLane, SendingLane

DEFAULTS = {
    "sndhwm": 1000,
    "rcvhwm": 1000,
    "linger": -1,
    "sndbuf": -1,
    "rcvbuf": -1,
    "immediate": 0,
    "conflate": 0,
    "maxmsgsize": -1,
}
Options = Mapping[str, int]
"""Options that an application sets, by their lower-case names."""
NONE: Options = MappingProxyType({})
BROADCASTING = ("PUB", "XPUB")
ONE_WAY = (*BROADCASTING, "PUSH")
"""Types that are sent no messages."""
PROBED = (*BROADCASTING, "ROUTER")


class Socket:
    """One instrumented socket, from its opening to its end."""

    def __init__(self, process: Process, name: str, kind: str, *, sequence: str | None = "stamp",
                 stamp_every: int = 1, probed: bool = True, options: Options = NONE, routing_id: bytes = b"") -> None:  # fmt: skip
        self.process, self.world, self.name, self.kind = process, process.world, name, kind
        self.id = self.world.identity()
        self.sequence, self.stamp_every = sequence, stamp_every
        self.probed = probed and kind in PROBED
        self.routing_id = routing_id
        self.proxied = False
        self.on_close: Callable[[], None] = _nothing_left_to_tell
        self.options = DEFAULTS | ({"linger": 0} if kind in ("SUB", "XSUB") else {})
        self.counters = dict.fromkeys(COUNTERS, 0)
        self.sending: dict[int, SendingLane] = {}
        self.receiving: dict[tuple[str, int], ReceivingLane] = {}
        self.connections = 0
        self.connected_to: set[str] = set()
        self.ended: str | None = None
        self._sampled: dict[object, tuple[Any, ...]] = {}
        self.event("socket", state="opened", **self._about())
        self.event("connection", action="monitor_attached")
        for option, value in options.items():
            self.options[option] = value
            self.event("option", option=option, value=str(value))

    @property
    def stamps(self) -> bool:
        return self.sequence == "stamp"

    @property
    def carries(self) -> bool:
        """Its messages carry numbers of their own."""
        return self.sequence is not None and not self.stamps

    @property
    def numbers(self) -> bool:
        """What is missing of its messages can be told."""
        return self.sequence is not None

    @property
    def dark(self) -> bool:
        return self.process.dark

    def event(self, kind: str, **columns: Any) -> int:
        """A row of an event about this socket."""
        return self.process.event(kind, socket=self.id, **columns)

    def counted(self) -> dict[str, int]:
        """The counts that events of the monitor carry."""
        return {"sent": self.counters["sent"], "received": self.counters["received"]}

    def retrying_over(self, endpoint: str) -> bool:
        """It is connected there again."""
        return endpoint in self.connected_to

    def tell_lanes(self) -> None:
        """What a sender says of its lanes when a peer disconnects."""
        if self.process.alive and not self.ended and len(self.sending) <= 32:
            self._in_one_event("sample", self._sent_rows())

    def close(self, unread: bool | None = None) -> None:
        """The application closes it: the last word on its lanes and counters."""
        self.on_close()
        self.ended = "closed"
        self._in_one_event("final", self._sent_rows())
        self._in_one_event("final", self._received_rows())
        self.event("counters", final=True, **self.counters)
        self.process.again("socket", socket=self.id, state="closed", unread=unread, **self._about())

    def sample(self, *, final: bool = False) -> None:
        """What the agent reads from the counters file, if it has changed (all of it, as the last word)."""
        counted = tuple(value for name, value in self.counters.items() if name != "proxied_at")
        if self._changed("counters", counted) or final:
            self.process.row("counters", socket=self.id, final=final, **self.counters)
        for row in [*self._sent_rows(), *self._received_rows()]:
            if self._changed((row["stream"], row["lane"]), tuple(row.values())) or final:
                self.process.row("lane", socket=self.id, state="final" if final else "sample", **row)

    def _about(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "type": self.kind,
            "sequence": self.sequence,
            "probed": self.probed,
            "options": list(self.options.items()),
        }

    def _changed(self, what: object, figures: tuple[Any, ...]) -> bool:
        before, self._sampled[what] = self._sampled.get(what), figures
        return figures != before and (before is not None or any(figures))

    def _in_one_event(self, state: str, rows: list[dict[str, Any]]) -> None:
        tell = self.process.event
        for row in rows:
            tell("lane", socket=self.id, state=state, **row)
            tell = self.process.again

    def _sent_rows(self) -> list[dict[str, Any]]:
        return [
            {"stream": self.id, "lane": number, "role": "send", "count": lane.count, "frames": lane.frames,
             "first": 0, "next": lane.count if self.carries else 0}
            for number, lane in self.sending.items()
        ]  # fmt: skip

    def _received_rows(self) -> list[dict[str, Any]]:
        return [
            {"stream": stream, "lane": number, "role": "receive", "count": lane.count, "since": lane.since,
             "first": lane.first, "next": lane.last.lane_number + 1, "newest_sent_at": lane.last.stamped_at}
            for (stream, number), lane in self.receiving.items()
        ]  # fmt: skip


def _nothing_left_to_tell() -> None:
    """What most sockets do before the last word on their lanes."""
