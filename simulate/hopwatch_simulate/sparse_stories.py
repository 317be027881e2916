"""Stories of PUBs that stamp a message now and then: how many are missing is known, and not which."""

from hopwatch_simulate.stories import ends
from hopwatch_simulate.telling import QUICK, SETTLED, Publisher, Teller


def sparse_slow_subscriber(tell: Teller) -> None:
    """One of two readers is too slow. Some more come when it has read all, fewer than are between two stamps, or more."""
    feed = _sparse(tell, tell.chance.choice([20, 50, 100]))
    service = tell.world.between(0.003, 0.005)
    slow = tell.subscriber(feed, service, options={"rcvhwm": 10}, wire=tell.wire(10))
    fast = tell.subscriber(feed, QUICK)
    count = tell.chance.randint(2500, 3000)
    caught_up = 0.5 + count * 0.001 + 150 * service
    last = tell.steady(caught_up, tell.chance.randint(0, 30), 0.002)
    tell.sends(feed, [*tell.steady(0.5, count, 0.001), *last])
    ends(tell, caught_up + 30 * service + SETTLED, feed, slow, fast)


def sparse_bursts(tell: Teller) -> None:
    """A reader that keeps up with the mean, and a mark too low for the burst between."""
    feed = _sparse(tell, tell.chance.choice([10, 20, 50]))
    steady = tell.subscriber(feed, 0.001, full="hwm_too_low", options={"rcvhwm": 10}, wire=tell.wire(8))
    calm, burst = 300, tell.chance.randint(300, 1000)
    times = tell.steady(0.5, calm, 0.005) + tell.steady(2.3, burst, 0.00002) + tell.steady(2.6, calm, 0.005)
    tell.sends(feed, times)
    ends(tell, 4.5 + SETTLED, feed, steady)


def sparse_killed_feed(tell: Teller) -> None:
    """The PUB is killed while a slow reader's queue is long, and not full."""
    feed = _sparse(tell, 1000)
    reader = tell.subscriber(feed, 0.01, options={"rcvhwm": 10}, wire=tell.wire(10))
    tell.sends(feed, tell.steady(0.5, 700, 0.001))
    dies = tell.world.between(0.9, 1.1)
    tell.at(dies, feed.party.kill)
    tell.at(dies + 0.6 + SETTLED, reader.party.leave)


def _sparse(tell: Teller, sndhwm: int) -> Publisher:
    return tell.publisher(stamp_every=tell.chance.choice([4, 16, 64]), options={"sndhwm": sndhwm})
