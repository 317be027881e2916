"""Stories of ways with more than one hop: proxies in chains and trees, and applications that receive and send again."""

from collections.abc import Callable

from hopwatch_simulate.messages import Message
from hopwatch_simulate.parties import Party
from hopwatch_simulate.pipes import Wire
from hopwatch_simulate.proxied_ways import (
    Middle,
    also_into,
    behind,
    chain,
    come_back,
    end_all,
    feed_into,
    feed_of,
    hub,
    join,
)
from hopwatch_simulate.stories import calm_burst_calm, ends
from hopwatch_simulate.telling import QUICK, SETTLED, Publisher, Subscriber, Teller


def quiet_chain(tell: Teller) -> None:
    """One to three proxies one behind the other, and quick readers at the end."""
    middles = chain(tell, tell.chance.randint(1, 3))
    feeds = [feed_into(tell, middles[0]) for _ in range(tell.chance.randint(1, 2))]
    readers = [behind(tell, middles[-1], QUICK) for _ in range(tell.chance.randint(1, 2))]
    for feed in feeds:
        tell.sends(feed, tell.steady(0.6, 700, 0.001))
    end_all(tell, 1.8 + SETTLED, middles, *feeds, *readers)


def slow_behind_a_chain(tell: Teller) -> None:
    """The last of some proxies drops for the slow one of its two readers."""
    middles = chain(tell, tell.chance.randint(1, 2), out_hwm=tell.chance.choice([50, 100]))
    feed = feed_into(tell, middles[0])
    service = tell.world.between(0.003, 0.005)
    slow = behind(tell, middles[-1], service, options={"rcvhwm": 10}, wire=tell.wire(10))
    fast = behind(tell, middles[-1], QUICK)
    tell.sends(feed, tell.steady(0.6, 2000, 0.001))
    end_all(tell, 3.5 + 150 * service + SETTLED, middles, feed, slow, fast)


def slow_before_a_proxy(tell: Teller) -> None:
    """The link to the proxy carries less than the PUB sends: both readers miss the same."""
    middles = chain(tell, 1)
    wire = Wire(0.02, 20, pace=0.003)
    feed = feed_into(tell, middles[0], full="network", wire=wire, options={"sndhwm": 60})
    readers = [behind(tell, middles[-1], QUICK) for _ in range(2)]
    tell.sends(feed, tell.steady(0.7, 1500, 0.001))
    end_all(tell, 3.4 + SETTLED, middles, feed, *readers)


def bursts_before_a_proxy(tell: Teller) -> None:
    """A proxy that keeps up with the mean, and a mark before it too low for the bursts between."""
    middle = hub(tell, in_hwm=10, service=0.001)
    options = {"sndhwm": tell.chance.choice([10, 20, 50])}
    feed = feed_into(tell, middle, full="hwm_too_low", wire=tell.wire(8), options=options)
    readers = [behind(tell, middle, QUICK) for _ in range(tell.chance.randint(1, 2))]
    tell.sends(feed, calm_burst_calm(tell, 0.6))
    end_all(tell, 4.6 + SETTLED, [middle], feed, *readers)


def slow_proxy(tell: Teller) -> None:
    """A proxy that takes longer for a message than its PUB: both readers miss the same."""
    service = tell.world.between(0.003, 0.005)
    middle = hub(tell, in_hwm=10, service=service)
    feed = feed_into(tell, middle, wire=tell.wire(10), options={"sndhwm": tell.chance.choice([50, 100])})
    readers = [behind(tell, middle, QUICK) for _ in range(2)]
    tell.sends(feed, tell.steady(0.6, 1500, 0.001))
    end_all(tell, 2.8 + 150 * service + SETTLED, [middle], feed, *readers)


def tree(tell: Teller) -> None:
    """A proxy before two others; a reader behind each, one of them slow."""
    root = hub(tell, in_hwm=1000, out_hwm=1000)
    leaves = [hub(tell, in_hwm=1000, out_hwm=80) for _ in range(2)]
    for leaf in leaves:
        join(tell, root, leaf)
    feed = feed_into(tell, root)
    slow = behind(tell, leaves[0], 0.004, options={"rcvhwm": 10}, wire=tell.wire(10))
    fast = behind(tell, leaves[1], QUICK)
    tell.sends(feed, tell.steady(0.8, 1500, 0.001))
    end_all(tell, 3.4 + SETTLED, [root, *leaves], feed, slow, fast)


def late_behind_a_proxy(tell: Teller) -> None:
    """A second reader comes late to a proxy that has long passed messages on."""
    middles = chain(tell, 1)
    feed = feed_into(tell, middles[0])
    early = behind(tell, middles[0], QUICK)
    tell.sends(feed, tell.steady(0.6, 1500, 0.001))
    late: list[Subscriber] = []
    tell.at(tell.world.between(0.9, 1.6), lambda: late.append(behind(tell, middles[0], QUICK)))
    tell.at(2.9, lambda: end_all(tell, 3.0, middles, feed, early, *late))


def leaves_a_proxy(tell: Teller) -> None:
    """One of two readers behind a proxy goes home; the PUB sends on."""
    _one_of_two_goes(tell, Party.leave)


def killed_behind_a_proxy(tell: Teller) -> None:
    """One of two readers behind a proxy is killed, with some unread; the PUB sends on."""
    _one_of_two_goes(tell, Party.kill)


def _one_of_two_goes(tell: Teller, goes: Callable[[Party], None]) -> None:
    middles = chain(tell, tell.chance.randint(1, 2))
    feed = feed_into(tell, middles[0])
    goer, stayer = behind(tell, middles[-1], QUICK), behind(tell, middles[-1], QUICK)
    tell.sends(feed, tell.steady(0.6, 2000, 0.001))
    tell.at(tell.world.between(1.2, 1.8), lambda: goes(goer.party))
    end_all(tell, 3.0 + SETTLED, middles, feed, stayer)


def forwarder(tell: Teller) -> None:
    """An application receives and sends again: a stream ends there, and another begins and meets a slow reader."""
    feed = tell.publisher(topics=(None,))
    party = tell.site.party("clean")
    outlet = tell.site.sender(party, tell.site.name("clean"), "PUB", options={"sndhwm": 100})
    tell.site.bind(outlet.socket)

    def send_again(_message: Message) -> None:
        message = outlet.numbered(None, 200)
        outlet.publish(message)
        outlet.count(message)

    inlet = tell.site.receiver(party, tell.site.name("raw"), "SUB", QUICK, then=send_again, topics=(b"",))
    tell.site.link((feed.party, feed.outlet, party, inlet), tell.wire(), bound=feed.outlet.socket)
    again = Publisher(party, outlet, (None,))
    slow = tell.subscriber(again, 0.004, options={"rcvhwm": 10}, wire=tell.wire(10))
    tell.sends(feed, tell.steady(0.6, 1500, 0.001))
    ends(tell, 3.4 + SETTLED, feed, again, slow)


def dark_proxy(tell: Teller) -> None:
    """A proxy that is not instrumented, between a PUB and a reader that are: it drops for the slow reader."""
    middle = hub(tell, in_hwm=1000, out_hwm=60, dark=True)
    feed = feed_into(tell, middle)
    slow = behind(tell, middle, 0.004, options={"rcvhwm": 10}, wire=tell.wire(10))
    tell.sends(feed, tell.steady(0.6, 1200, 0.001))
    end_all(tell, 3.2 + SETTLED, [middle], feed, slow)


def side_by_side(tell: Teller) -> None:
    """Two proxies that get the same from one PUB; a reader behind each, one of them slow."""
    middles = [hub(tell, out_hwm=80) for _ in range(2)]
    feed = feed_into(tell, middles[0])
    also_into(tell, feed, middles[1])
    slow = behind(tell, middles[0], 0.004, options={"rcvhwm": 10}, wire=tell.wire(10))
    fast = [behind(tell, middles[1], QUICK) for _ in range(tell.chance.randint(1, 2))]
    tell.sends(feed, tell.steady(0.8, 1500, 0.001))
    end_all(tell, 3.4 + SETTLED, middles, feed, slow, *fast)


def restarted_proxy(tell: Teller) -> None:
    """A proxy goes home and comes back while its PUB has nothing to send."""
    middle = hub(tell)
    feed = feed_into(tell, middle)
    readers = [behind(tell, middle, QUICK) for _ in range(tell.chance.randint(1, 2))]
    tell.sends(feed, tell.steady(0.5, 400, 0.001) + tell.steady(2.4, 400, 0.001))
    tell.at(1.5, middle[0].leave)
    _comes_back(tell, 1.9, middle, feed, readers)


def killed_proxy(tell: Teller) -> None:
    """A proxy is killed and comes back; its PUB sends on all the time."""
    middle = hub(tell)
    feed = feed_into(tell, middle)
    readers = [behind(tell, middle, QUICK) for _ in range(tell.chance.randint(1, 2))]
    tell.sends(feed, tell.steady(0.5, 1800, 0.001))
    tell.at(tell.world.between(0.9, 1.2), middle[0].kill)
    _comes_back(tell, 1.5, middle, feed, readers)


def _comes_back(
    tell: Teller, seconds: float, middle: Middle, feed: Publisher, readers: list[Subscriber]
) -> None:
    def do() -> None:
        again = come_back(tell, middle, feed_of(feed), readers)
        end_all(tell, 3.0 + SETTLED, [again], feed, *readers)

    tell.at(seconds, do)
