"""Stories of a proxy behind another one that lose on the hop between the two, where neither end tells of a full pipe."""

from hopwatch_simulate.pipes import Wire
from hopwatch_simulate.proxied_ways import Before, Middle, behind, come_back, end_all, feed_into, hub, join
from hopwatch_simulate.telling import QUICK, Publisher, Subscriber, Teller

LITTLE = 10
COUNTED = 5.0
"""Seconds into a story after which all that was passed on has been, and counted, for long."""


def slow_second_proxy(tell: Teller) -> None:
    """The second proxy takes longer for a message than comes in: who reads behind it misses what a reader of the first one gets."""
    service = tell.world.between(0.003, 0.005)
    first, second = (
        hub(tell, out_hwm=tell.chance.choice([50, 100])),
        hub(tell, in_hwm=LITTLE, service=service),
    )
    join(tell, first, second, wire=tell.wire(LITTLE))
    feed, readers = _with_readers(tell, first, second)
    tell.sends(feed, tell.steady(0.7, 1200, 0.001))
    end_all(tell, COUNTED, [first, second], feed, *readers)


def slow_link_between_proxies(tell: Teller) -> None:
    """What is between the two proxies carries less than the PUB sends."""
    first = hub(tell, out_hwm=60)
    second = hub(tell, agent=tell.site.agent_apart_from(first[0]))
    join(tell, first, second, full="network", wire=Wire(0.02, 20, pace=0.003))
    feed, readers = _with_readers(tell, first, second)
    tell.sends(feed, tell.steady(0.8, 1200, 0.001))
    end_all(tell, COUNTED, [first, second], feed, *readers)


def cut_between_proxies(tell: Teller) -> None:
    """The connection between the two proxies breaks and comes up again; the PUB sends on all the time."""
    first, second = hub(tell), hub(tell)
    connection = join(tell, first, second)
    feed, readers = _with_readers(tell, first, second)
    tell.sends(feed, tell.steady(0.7, 1400, 0.001))
    breaks = tell.world.between(0.9, 1.4)
    tell.at(breaks, connection.cut)
    tell.at(breaks + tell.world.between(0.1, 0.5), lambda: connection.come_up(second[1].topics))
    end_all(tell, COUNTED, [first, second], feed, *readers)


def killed_second_proxy(tell: Teller) -> None:
    """The second proxy is killed and comes back; the PUB sends on all the time."""
    first, second = hub(tell), hub(tell)
    connection = join(tell, first, second, bound=second[1].front)
    feed = feed_into(tell, first)
    readers = [behind(tell, second, QUICK) for _ in range(tell.chance.randint(1, 2))]
    near = [behind(tell, first, QUICK)] if tell.chance.random() < 0.5 else []
    tell.sends(feed, tell.steady(0.7, 1400, 0.001))
    tell.at(tell.world.between(0.9, 1.2), second[0].kill)
    before = Before(first[0], first[1].outlet, first[1], connection)

    def comes_back() -> None:
        end_all(tell, COUNTED, [first, come_back(tell, second, before, readers)], feed, *readers, *near)

    tell.at(1.5, comes_back)


def slow_branch(tell: Teller) -> None:
    """A proxy before two others, one of which takes longer for a message than comes in."""
    service = tell.world.between(0.003, 0.005)
    root = hub(tell, out_hwm=tell.chance.choice([50, 100]))
    slow, quick = hub(tell, in_hwm=LITTLE, service=service), hub(tell)
    join(tell, root, slow, wire=tell.wire(LITTLE))
    join(tell, root, quick)
    feed = feed_into(tell, root)
    readers = [behind(tell, leaf, QUICK) for leaf in (slow, slow, quick)]
    tell.sends(feed, tell.steady(0.8, 1200, 0.001))
    end_all(tell, COUNTED, [root, slow, quick], feed, *readers)


def _with_readers(tell: Teller, first: Middle, second: Middle) -> tuple[Publisher, list[Subscriber]]:
    """A PUB before the first proxy, one or two readers behind the second, and sometimes one behind the first."""
    feed = feed_into(tell, first)
    readers = [behind(tell, second, QUICK) for _ in range(tell.chance.randint(1, 2))]
    if tell.chance.random() < 0.5:
        readers.append(behind(tell, first, QUICK))
    return feed, readers
