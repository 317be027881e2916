"""Stories: small systems, each with a history that loses messages for one reason, or for none."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hopwatch_simulate.agents import Agent
from hopwatch_simulate.parties import Party
from hopwatch_simulate.pipes import Wire
from hopwatch_simulate.receivers import Inlet
from hopwatch_simulate.senders import Outlet
from hopwatch_simulate.site import Site
from hopwatch_simulate.sockets import NONE, Options

Topics = tuple[bytes | None, ...]
LITTLE_INBOX: Options = {"rcvhwm": 10}
TOPICS: tuple[bytes, ...] = (b"bonds", b"funds", b"futures", b"shares")
QUICK = 0.00005
SETTLED = 0.6
"""Seconds of quiet after which everything that could arrive has."""


@dataclass
class Publisher:
    """A PUB, bound, in a process of its own."""

    party: Party
    outlet: Outlet
    topics: Topics


@dataclass
class Subscriber:
    """A SUB in a process of its own."""

    party: Party
    inlet: Inlet


class Teller:
    """Draws the parties of a story; every story begins at ``begins``, and the recording ends at ``ends``."""

    def __init__(self, site: Site, begins: float, ends: float) -> None:
        self.site, self.world, self.begins, self.ends = site, site.world, begins, ends
        self.chance = site.world.chance

    def at(self, seconds: float, act: Callable[[], object]) -> None:
        """Plan something for so many seconds into the story."""

        def do() -> None:
            act()

        self.world.at(self.begins + seconds, do)

    def leave(self, seconds: float, *parties: Party) -> None:
        """They close their sockets and go home, one after the other."""
        for step, party in enumerate(parties):
            self.at(seconds + step * 0.1, party.leave)

    def leave_in_any_order(self, seconds: float, *parties: Party) -> None:
        """The same, in an order that is drawn."""
        order = list(parties)
        self.chance.shuffle(order)
        self.leave(seconds, *order)

    def steady(self, start: float, count: int, interval: float) -> list[float]:
        """Times of messages sent at a steady pace, give or take a little."""
        return [
            self.begins + start + (number + self.chance.random() * 0.3) * interval for number in range(count)
        ]

    def wire(self, room: int | None = None, pace: float = 0.0) -> Wire:
        """A link in good order, or one on which each message takes ``pace`` seconds."""
        return Wire(self.world.between(0.00005, 0.002), room or self.chance.randint(8, 60), pace)

    def drawn_topics(self) -> Topics:
        """Either messages of one frame, or a first frame that is a topic."""
        return (None,) if self.chance.random() < 0.5 else TOPICS[: self.chance.randint(2, 4)]

    def publisher(self, *, topics: Topics | None = None, sequence: str | None = "stamp", stamp_every: int = 1, dark: bool = False,
                  bound: bool = True, options: Options = NONE, apart_from: Party | None = None) -> Publisher:  # fmt: skip
        """A PUB in a process of its own, now, if wished on another host than a party's. One that is not bound connects to its readers."""
        agent = self.site.agent_apart_from(apart_from) if apart_from else None
        party = self.site.party("feed", dark=dark, agent=agent)
        outlet = self.site.sender(
            party,
            self.site.name("quotes"),
            "PUB",
            sequence=sequence,
            stamp_every=stamp_every,
            options=options,
        )
        if bound:
            self.site.bind(outlet.socket)
        return Publisher(party, outlet, topics or self.drawn_topics())

    def either_way(self) -> bool:
        """Who of two is bound: it makes no difference to most stories."""
        return self.chance.random() < 0.7

    def subscriber(self, feed: Publisher, service: float, *, full: str = "slow_receiver", wire: Wire | None = None,
                   topics: Sequence[bytes] = (b"",), sequence: str | None = "stamp", dark: bool = False,
                   options: Options = NONE) -> Subscriber:  # fmt: skip
        """A SUB in a process of its own, now, and its connection to a PUB: it is bound if that is not."""
        agent = self.site.agent_apart_from(feed.party) if full == "network" else None
        reader = self.reader(
            service, topics=topics, sequence=sequence, dark=dark, options=options, agent=agent
        )
        return self._linked(feed, reader, full, wire)

    def neighbour(
        self, feed: Publisher, service: float, *, full: str, wire: Wire, options: Options
    ) -> Subscriber:
        """A SUB in a process of its own on the host of a PUB, now, and its connection to that."""
        return self._linked(feed, self.reader(service, options=options, agent=feed.party.agent), full, wire)

    def far_reader(
        self, feed: Publisher, service: float, *, full: str, wire: Wire, options: Options
    ) -> Subscriber:
        """The same on another host."""
        agent = self.site.agent_apart_from(feed.party)
        return self._linked(feed, self.reader(service, options=options, agent=agent), full, wire)

    def _linked(self, feed: Publisher, reader: Subscriber, full: str, wire: Wire | None) -> Subscriber:
        bound = feed.outlet.socket
        if bound.id not in self.site.endpoints:
            bound = reader.inlet.socket
            self.site.bind(bound)
        ends = (feed.party, feed.outlet, reader.party, reader.inlet)
        self.site.link(ends, wire or self.wire(), bound=bound, full=full)
        return reader

    def reader(self, service: float, *, topics: Sequence[bytes] = (b"",), sequence: str | None = "stamp",
               dark: bool = False, options: Options = NONE, agent: Agent | None = None) -> Subscriber:  # fmt: skip
        """A SUB in a process of its own that is connected to nobody yet."""
        party = self.site.party("reader", dark=dark, agent=agent)
        inlet = self.site.receiver(
            party, self.site.name("reader"), "SUB", service, sequence=sequence, topics=topics, options=options
        )
        return Subscriber(party, inlet)

    def sends(self, feed: Publisher, times: Sequence[float], sizes: Sequence[int] = (200,)) -> None:
        """What a publisher sends, and when."""
        self.site.sends(feed.party, feed.outlet, times, feed.topics, sizes)

    def restarted(self, feed: Publisher) -> Publisher:
        """The same program again, on the same host and bound to the same endpoint: a new process, a new stream."""
        party = self.site.party("feed", agent=feed.party.agent)
        old = feed.outlet.socket
        outlet = self.site.sender(party, old.name, "PUB")
        self.site.bind(outlet.socket, self.site.endpoints[old.id])
        return Publisher(party, outlet, feed.topics)

    def also_reads(self, reader: Subscriber, feed: Publisher) -> None:
        """A reader's connection comes up to a publisher that has come back."""
        ends = (feed.party, feed.outlet, reader.party, reader.inlet)
        self.site.link(ends, self.wire(), bound=feed.outlet.socket, again=reader.party.connections[-1])
