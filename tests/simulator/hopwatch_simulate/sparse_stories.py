"""Stories of PUBs that stamp a message now and then: how many are missing is known, and not which."""

from hopwatch_simulate.stories import ends, is_killed, sends_bursts
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
    """As ``bursts``."""
    sends_bursts(tell, _sparse(tell, tell.chance.choice([10, 20, 50])))


def sparse_killed_feed(tell: Teller) -> None:
    """As ``killed_feed``."""
    is_killed(tell, _sparse(tell, 1000))


def _sparse(tell: Teller, sndhwm: int) -> Publisher:
    return tell.publisher(stamp_every=tell.chance.choice([4, 16, 64]), options={"sndhwm": sndhwm})
