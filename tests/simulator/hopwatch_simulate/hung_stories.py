"""Stories of receivers that stop to read and are killed a while later: what waits for them by then goes with them, dropped or not."""

from hopwatch_simulate.proxied_ways import behind, chain, end_all, feed_into
from hopwatch_simulate.shared_stories import source_of, worker_of
from hopwatch_simulate.stories import ends
from hopwatch_simulate.telling import QUICK, SETTLED, Subscriber, Teller

SENT_IN_ALL = 900
HANGS = 1.1
"""Seconds after which it hangs: by then it got some 600 of them, and all that were sent."""


def hung_reader(tell: Teller) -> None:
    """One of two readers hangs; its pipe does not fill up until it is killed."""
    feed = tell.publisher(bound=tell.either_way())
    hung, quick = tell.subscriber(feed, QUICK), tell.subscriber(feed, QUICK)
    _hangs_and_is_killed(tell, hung)
    tell.sends(feed, tell.steady(0.5, SENT_IN_ALL, 0.001))
    ends(tell, 4.5 + SETTLED, feed, quick)


def hung_behind_a_proxy(tell: Teller) -> None:
    """The same behind some proxies."""
    middles = chain(tell, tell.chance.randint(1, 2))
    feed = feed_into(tell, middles[0])
    hung, quick = behind(tell, middles[-1], QUICK), behind(tell, middles[-1], QUICK)
    _hangs_and_is_killed(tell, hung)
    tell.sends(feed, tell.steady(0.5, SENT_IN_ALL, 0.001))
    end_all(tell, 4.5 + SETTLED, middles, feed, quick)


def hung_behind_a_closed_feed(tell: Teller) -> None:
    """The PUB goes home, having passed all on; the reader that hung by then is killed later."""
    feed = tell.publisher(bound=tell.either_way())
    hung = tell.subscriber(feed, QUICK)
    _hangs_and_is_killed(tell, hung)
    tell.sends(feed, tell.steady(0.5, SENT_IN_ALL, 0.001))
    tell.at(1.6, feed.party.leave)


def hung_worker(tell: Teller) -> None:
    """The only worker hangs; the PUSH goes home, and the worker is killed later."""
    source = source_of(tell)
    worker = worker_of(tell, source, QUICK)
    tell.at(HANGS, worker[1].stop)
    tell.at(_killed_at(tell), worker[0].kill)
    tell.site.sends(*source, tell.steady(0.5, SENT_IN_ALL, 0.001))
    tell.at(1.6, source[0].leave)


def _hangs_and_is_killed(tell: Teller, reader: Subscriber) -> None:
    tell.at(HANGS, reader.inlet.stop)
    tell.at(_killed_at(tell), reader.party.kill)


def _killed_at(tell: Teller) -> float:
    return tell.world.between(2.0, 4.0)
