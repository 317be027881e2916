"""Stories of receivers that are asked for more than they can do, for much longer than any burst: 15 to 40 seconds, on one host with their PUB, or where the kernel names them."""

from dataclasses import replace

from hopwatch_simulate.proxied_ways import also_into, behind, end_all, hub
from hopwatch_simulate.stories import ends
from hopwatch_simulate.telling import LITTLE_INBOX, QUICK, SETTLED, Publisher, Subscriber, Teller, Topics


def overwhelmed(tell: Teller) -> None:
    """A reader that is too slow for all that its PUB ever sends."""
    _overwhelms(tell, (None,), calm=0.0)


def overwhelmed_for_a_while(tell: Teller) -> None:
    """A reader that has little to do before and after."""
    _overwhelms(tell, (None,), calm=tell.world.between(3.0, 8.0))


def overwhelmed_by_several_topics(tell: Teller) -> None:
    """The same of a PUB with several lanes."""
    _overwhelms(tell, tell.drawn_topics(), calm=tell.chance.choice([0.0, 4.0]))


def overwhelmed_from_afar(tell: Teller) -> None:
    """The same on another host; the kernel at the sending end tells that the receiver does not read."""
    _too_slow(tell, _feed(tell, (None,)), calm=tell.chance.choice([0.0, 4.0]), afar=True)


def overwhelmed_beside_a_quick_one(tell: Teller) -> None:
    """One of two readers is too slow, on its PUB's host; the other one, wherever it is, gets all."""
    feed = _feed(tell, (None,))
    tell.subscriber(feed, QUICK)
    _too_slow(tell, feed, calm=0.0)


def overwhelmed_proxy(tell: Teller) -> None:
    """A proxy that takes longer for a message than its PUB."""
    feed = tell.publisher(topics=(None,), bound=False, options={"sndhwm": 100})
    service = tell.world.between(0.006, 0.01)
    middle = hub(tell, in_hwm=10, service=service, agent=feed.party.agent)
    also_into(tell, feed, middle, wire=tell.wire(10))
    reader = behind(tell, middle, QUICK)
    took = _sends_too_much(tell, feed, service, calm=0.0)
    end_all(tell, took + 130 * service + SETTLED, [middle], feed, reader)


def overwhelmed_by_two(tell: Teller) -> None:
    """Two PUBs, neither of which sends too much for the reader of both."""
    feeds = [_feed(tell, (None,)) for _ in range(2)]
    service = tell.world.between(0.006, 0.01)
    reader = tell.neighbour(feeds[0], service, full="slow_receiver", options=LITTLE_INBOX, wire=tell.wire(10))
    ends_of = (feeds[1].party, feeds[1].outlet, reader.party, reader.inlet)
    tell.site.link(ends_of, tell.wire(10), bound=feeds[1].outlet.socket)
    seconds, interval = tell.world.between(15, 40), service / tell.world.between(0.7, 0.9)
    for feed in feeds:
        tell.sends(feed, tell.steady(0.5, int(seconds / interval), interval))
    ends(tell, 0.5 + seconds + 450 * service + SETTLED, *feeds, reader)


def _overwhelms(tell: Teller, topics: Topics, calm: float) -> None:
    _too_slow(tell, _feed(tell, topics), calm)


def _feed(tell: Teller, topics: Topics) -> Publisher:
    return tell.publisher(topics=topics, options={"sndhwm": tell.chance.choice([50, 100, 200])})


def _too_slow(tell: Teller, feed: Publisher, calm: float, *, afar: bool = False) -> Subscriber:
    service, wire = tell.world.between(0.006, 0.01), replace(tell.wire(10), names_receiver=afar)
    reads = tell.far_reader if afar else tell.neighbour
    reader = reads(feed, service, full="slow_receiver", options=LITTLE_INBOX, wire=wire)
    took = _sends_too_much(tell, feed, service, calm)
    ends(tell, took + 230 * service + SETTLED, feed, reader)
    return reader


def _sends_too_much(tell: Teller, feed: Publisher, service: float, calm: float) -> float:
    """For how many seconds in all."""
    seconds, interval = tell.world.between(15, 40 - calm), service / tell.world.between(1.5, 3.0)
    few, many = int(calm / (2 * service)), int(seconds / interval)
    times = tell.steady(0.5, few, 2 * service) + tell.steady(0.5 + calm, many, interval)
    tell.sends(feed, times + tell.steady(0.5 + calm + seconds, few, 2 * service))
    return 0.5 + 2 * calm + seconds
