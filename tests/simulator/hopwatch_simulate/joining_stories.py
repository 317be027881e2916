"""Stories of readers that come late, to a PUB that is silent just then: all that they lack had been sent before they were there."""

from hopwatch_simulate.stories import ends
from hopwatch_simulate.telling import QUICK, Subscriber, Teller, Topics


def joins_in_a_pause(tell: Teller) -> None:
    """A PUB of a single lane has sent some, and says nothing while a second reader joins."""
    _joins(tell, (None,))


def joins_several_topics_in_a_pause(tell: Teller) -> None:
    """The same, of several topics."""
    _joins(tell, tell.drawn_topics())


def _joins(tell: Teller, topics: Topics) -> None:
    feed = tell.publisher(topics=topics)
    early = tell.subscriber(feed, QUICK)
    tell.sends(feed, tell.steady(0.3, tell.chance.randint(50, 400), 0.001) + tell.steady(1.8, 400, 0.001))
    late: list[Subscriber] = []
    tell.at(tell.world.between(0.9, 1.4), lambda: late.append(tell.subscriber(feed, QUICK)))
    tell.at(2.8, lambda: ends(tell, 2.9, feed, early, *late))
