"""Ways through proxies, for stories: proxies, what they are connected to, and the end of all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from hopwatch_simulate.agents import Agent
from hopwatch_simulate.connections import Connection
from hopwatch_simulate.parties import Party
from hopwatch_simulate.pipes import Wire
from hopwatch_simulate.proxies import PER_MESSAGE, Proxy
from hopwatch_simulate.senders import Outlet
from hopwatch_simulate.sockets import NONE, Options, Socket
from hopwatch_simulate.stories import ends
from hopwatch_simulate.telling import Publisher, Subscriber, Teller

Middle = tuple[Party, Proxy]


def hub(tell: Teller, *, in_hwm: int = 1000, out_hwm: int = 1000, service: float = PER_MESSAGE,
        dark: bool = False, agent: Agent | None = None) -> Middle:  # fmt: skip
    """A proxy in a process of its own, on one of the hosts (that of ``agent``, if given)."""
    party = tell.site.party("proxy", dark=dark, agent=agent)
    return party, tell.site.proxy(
        party, tell.site.name("hub"), in_hwm=in_hwm, out_hwm=out_hwm, service=service
    )


def chain(tell: Teller, length: int, out_hwm: int = 1000) -> list[Middle]:
    """Some proxies, each connected to the next."""
    middles = [hub(tell, out_hwm=out_hwm) for _ in range(length)]
    for before, after in pairwise(middles):
        join(tell, before, after)
    return middles


def join(
    tell: Teller,
    before: Middle,
    after: Middle,
    *,
    full: str = "slow_receiver",
    wire: Wire | None = None,
    bound: Socket | None = None,
) -> Connection:
    """One proxy sends to another; either is bound, if not told which."""
    bound = bound or tell.chance.choice([before[1].back, after[1].front])
    sides = (before[0], before[1].outlet, after[0], after[1].inlet)
    proxied = (before[1], after[1])
    return tell.site.link(sides, wire or tell.wire(), bound=bound, full=full, proxied=proxied)


def feed_into(
    tell: Teller,
    middle: Middle,
    *,
    full: str = "slow_receiver",
    wire: Wire | None = None,
    options: Options = NONE,
) -> Publisher:
    """A PUB that sends to a proxy alone."""
    apart_from = middle[0] if full == "network" else None
    feed = tell.publisher(bound=False, options=options, apart_from=apart_from)
    also_into(tell, feed, middle, full=full, wire=wire)
    return feed


def also_into(tell: Teller, feed: Publisher, middle: Middle, *, full: str = "slow_receiver", wire: Wire | None = None) -> None:  # fmt: skip
    """A PUB sends to another proxy, too."""
    party, proxy = middle
    sides = (feed.party, feed.outlet, party, proxy.inlet)
    tell.site.link(sides, wire or tell.wire(), bound=proxy.front, full=full, proxied=(None, proxy))


def behind(
    tell: Teller,
    middle: Middle,
    service: float,
    *,
    wire: Wire | None = None,
    options: Options = NONE,
    agent: Agent | None = None,
) -> Subscriber:
    """A SUB that is connected to a proxy, on one of the hosts (that of ``agent``, if given)."""
    party, proxy = middle
    reader = tell.reader(service, options=options, agent=agent)
    ends = (party, proxy.outlet, reader.party, reader.inlet)
    tell.site.link(ends, wire or tell.wire(), bound=proxy.back, proxied=(proxy, None))
    return reader


def end_all(tell: Teller, seconds: float, middles: list[Middle], *others: Publisher | Subscriber) -> None:
    """All go home, the proxies last."""
    ends(tell, seconds, *others)
    for step, (party, _) in enumerate(middles):
        tell.at(seconds + 0.6 + step * 0.1, party.leave)


@dataclass(frozen=True)
class Before:
    """Who sends to a proxy: a PUB, or the backend of ``proxy``."""

    party: Party
    outlet: Outlet
    proxy: Proxy | None
    connection: Connection


def feed_of(feed: Publisher) -> Before:
    """A PUB that sends to one proxy."""
    return Before(feed.party, feed.outlet, None, feed.party.connections[-1])


def come_back(tell: Teller, former: Middle, before: Before, readers: Sequence[Subscriber]) -> Middle:
    """A proxy that has gone is there again at its place, and so are its connections."""
    party = tell.site.party("proxy", agent=former[0].agent)
    proxy = tell.site.proxy(party, former[1].name, after=former[1])
    was_called = before.connection.bound.socket is before.outlet.socket
    tell.site.link(
        (before.party, before.outlet, party, proxy.inlet),
        before.connection.wire,
        bound=before.outlet.socket if was_called else proxy.front,
        proxied=(before.proxy, proxy),
        again=None if was_called else before.connection,
    )
    for reader in readers:
        again = reader.party.connections[-1]
        sides = (party, proxy.outlet, reader.party, reader.inlet)
        tell.site.link(sides, again.wire, bound=proxy.back, proxied=(proxy, None), again=again)
    return party, proxy
