"""Stories of PUB and SUB: small systems, each with a history that loses messages for one reason, or for none."""

from collections.abc import Callable, Sequence

from hopwatch_simulate.parties import Party
from hopwatch_simulate.pipes import Wire
from hopwatch_simulate.telling import QUICK, SETTLED, Publisher, Subscriber, Teller


def ends(tell: Teller, seconds: float, *them: Publisher | Subscriber) -> None:
    """All go home, in any order."""
    tell.leave_in_any_order(seconds, *(one.party for one in them))


def quiet(tell: Teller) -> None:
    """A PUB and its readers, all of them quick; some want a part of the topics."""
    feed = tell.publisher(bound=tell.either_way())
    readers = [
        tell.subscriber(feed, QUICK, topics=_some(tell, feed)) for _ in range(tell.chance.randint(1, 3))
    ]
    tell.sends(feed, tell.steady(0.5, tell.chance.randint(50, 1200), 0.001))
    ends(tell, 0.5 + 1.6 + SETTLED, feed, *readers)


def slow_subscriber(tell: Teller) -> None:
    """One of two readers reads more slowly than the PUB sends: its pipe is full again and again."""
    feed = tell.publisher(bound=tell.either_way(), options={"sndhwm": tell.chance.choice([20, 50, 100, 200])})
    service = tell.world.between(0.003, 0.005)
    slow = tell.subscriber(feed, service, options={"rcvhwm": 10}, wire=tell.wire(10))
    fast = tell.subscriber(feed, QUICK)
    tell.sends(feed, tell.steady(0.5, tell.chance.randint(1200, 2500), 0.001))
    ends(tell, 0.5 + 3.2 + 250 * service + SETTLED, feed, slow, fast)


def bursts(tell: Teller) -> None:
    """A reader that keeps up with the mean, and a mark too low for the bursts between."""
    sends_bursts(
        tell, tell.publisher(bound=tell.either_way(), options={"sndhwm": tell.chance.choice([10, 20, 50])})
    )


def sends_bursts(tell: Teller, feed: Publisher) -> None:
    """The rest of ``bursts``, of any PUB with a low mark."""
    steady = tell.subscriber(feed, 0.001, full="hwm_too_low", options={"rcvhwm": 10}, wire=tell.wire(8))
    tell.sends(feed, calm_burst_calm(tell, 0.5))
    ends(tell, 4.5 + SETTLED, feed, steady)


def calm_burst_calm(tell: Teller, start: float) -> list[float]:
    """Times of messages: a burst between two stretches of a steady pace."""
    calm, burst = 300, tell.chance.randint(300, 1000)
    return (
        tell.steady(start, calm, 0.005)
        + tell.steady(start + 1.8, burst, 0.00002)
        + tell.steady(start + 2.1, calm, 0.005)
    )


def volleys(tell: Teller) -> None:
    """A PUB that sends many at once, and nothing between: a reader on its host that has long read them when the next come, and a mark too low
    for each.
    """
    feed = tell.publisher(topics=(None,), options={"sndhwm": tell.chance.choice([10, 20, 50])})
    reader = tell.neighbour(feed, 0.0002, full="hwm_too_low", options={"rcvhwm": 10}, wire=tell.wire(8))
    volley, every = tell.chance.randint(150, 300), tell.world.between(0.5, 0.9)
    times = [at for turn in range(5) for at in tell.steady(0.5 + turn * every, volley, 0.00002)]
    tell.sends(feed, [*times, *tell.steady(0.5 + 5 * every, 200, 0.002)])
    ends(tell, 0.9 + 5 * every + SETTLED, feed, reader)


def batches(tell: Teller) -> None:
    """A PUB that sends some at once again and again, more than its reader can read until the next."""
    feed = tell.publisher(bound=tell.either_way(), options={"sndhwm": tell.chance.choice([50, 100])})
    service = tell.world.between(0.003, 0.005)
    slow = tell.subscriber(feed, service, options={"rcvhwm": 10}, wire=tell.wire(10))
    batch, every = tell.chance.randint(20, 60), 0.04
    times = [at for turn in range(60) for at in tell.steady(0.5 + turn * every, batch, 0.00002)]
    tell.sends(feed, times)
    ends(tell, 0.5 + 60 * every + 150 * service + SETTLED, feed, slow)


def late_joiner(tell: Teller) -> None:
    """A reader that comes when the PUB has long begun."""
    feed = tell.publisher()
    early = tell.subscriber(feed, QUICK)
    tell.sends(feed, tell.steady(0.3, 1500, 0.001))
    late: list[Subscriber] = []
    tell.at(tell.world.between(0.5, 1.5), lambda: late.append(tell.subscriber(feed, QUICK)))
    tell.at(2.8, lambda: ends(tell, 2.9, feed, early, *late))


def cut_and_mended(tell: Teller) -> None:
    """A connection breaks and comes up again; what was sent meanwhile is gone."""
    feed = tell.publisher()
    cut = tell.subscriber(feed, QUICK)
    whole = tell.subscriber(feed, QUICK)
    connection = cut.party.connections[0]
    breaks = tell.world.between(0.7, 1.2)
    tell.sends(feed, tell.steady(0.4, 2000, 0.001))
    tell.at(breaks, connection.cut)
    tell.at(breaks + tell.world.between(0.1, 0.8), lambda: connection.come_up(cut.inlet.filtered))
    ends(tell, 3.2 + SETTLED, feed, cut, whole)


def cut_at_the_end(tell: Teller) -> None:
    """A connection breaks when the last messages are sent, and comes up again; all go home much later."""
    feed = tell.publisher()
    cut = tell.subscriber(feed, QUICK)
    whole = tell.subscriber(feed, QUICK)
    connection = cut.party.connections[0]
    tell.sends(feed, tell.steady(0.4, 800, 0.001))
    tell.at(1.1, connection.cut)
    tell.at(1.3 + tell.world.between(0.0, 0.3), lambda: connection.come_up(cut.inlet.filtered))
    ends(tell, 4.0 + SETTLED, feed, cut, whole)


def killed_feed(tell: Teller) -> None:
    """The PUB is killed while a slow reader's queue is long, and not full."""
    is_killed(tell, tell.publisher(bound=tell.either_way()))


def is_killed(tell: Teller, feed: Publisher) -> None:
    """The rest of ``killed_feed``, of any PUB."""
    reader = tell.subscriber(feed, 0.01, options={"rcvhwm": 10}, wire=tell.wire(10))
    tell.sends(feed, tell.steady(0.5, 700, 0.001))
    dies = tell.world.between(0.9, 1.1)
    tell.at(dies, feed.party.kill)
    tell.at(dies + 0.6 + SETTLED, reader.party.leave)


def killed_reader(tell: Teller) -> None:
    """One of two readers is killed with messages in its queues; the PUB goes on."""
    _one_of_two_goes(tell, Party.kill)


def reader_closes(tell: Teller) -> None:
    """One of two readers closes its socket with messages unread; the PUB goes on."""
    _one_of_two_goes(tell, Party.leave)


def _one_of_two_goes(tell: Teller, goes: Callable[[Party], None]) -> None:
    feed = tell.publisher()
    slow = tell.subscriber(feed, 0.01, options={"rcvhwm": 50})
    fast = tell.subscriber(feed, QUICK)
    tell.sends(feed, tell.steady(0.5, 1500, 0.001))
    tell.at(tell.world.between(0.8, 1.2), lambda: goes(slow.party))
    ends(tell, 2.6 + SETTLED, feed, fast)


def feed_closes(tell: Teller) -> None:
    """The PUB closes with no time to linger, while a slow reader's queue is long."""
    feed = tell.publisher(bound=tell.either_way(), options={"linger": 0})
    reader = tell.subscriber(feed, 0.008, options={"rcvhwm": 10}, wire=tell.wire(10))
    tell.sends(feed, tell.steady(0.5, 400, 0.001))
    tell.at(1.2, feed.party.leave)
    tell.at(1.2 + 0.5 + SETTLED, reader.party.leave)


def slow_network(tell: Teller) -> None:
    """A link that carries less than the PUB sends, and a quick reader behind it."""
    feed = tell.publisher(bound=tell.either_way(), options={"sndhwm": 100})
    wire = Wire(tell.world.between(0.02, 0.08), 40, pace=0.003)
    far = tell.subscriber(feed, QUICK, full="network", wire=wire)
    near = tell.subscriber(feed, QUICK)
    tell.sends(feed, tell.steady(0.7, 3000, 0.001))
    ends(tell, 5.2 + SETTLED, feed, far, near)


def restarted_feed(tell: Teller) -> None:
    """The PUB goes home, and comes back as a new process and a new stream, at the same place."""
    first = tell.publisher()
    reader = tell.subscriber(first, QUICK)
    tell.sends(first, tell.steady(0.5, 600, 0.001))
    tell.at(1.5, first.party.leave)
    tell.at(1.9, lambda: _come_back(tell, first, reader))


def still_running(tell: Teller) -> None:
    """Nothing ends: at the end of the recording both are at work, and some messages on their way, fewer than the marks hold."""
    feed = tell.publisher()
    tell.subscriber(feed, QUICK)
    interval = 0.01
    count = int((tell.ends - tell.begins) / interval)
    tell.subscriber(feed, interval * (1 + min(0.2, 600 / count)), options={"rcvhwm": 20})
    tell.sends(feed, tell.steady(0.5, count, interval))


def still_losing(tell: Teller) -> None:
    """Nothing ends, and one of two readers is too slow: its pipe is full at the end, too."""
    feed = tell.publisher(options={"sndhwm": tell.chance.choice([20, 50, 100])})
    tell.subscriber(feed, QUICK)
    count = 3000
    interval = (tell.ends - tell.begins - 0.5) / count
    tell.subscriber(feed, 2.5 * interval, options={"rcvhwm": 10}, wire=tell.wire(10))
    tell.sends(feed, tell.steady(0.5, count, interval))


def unstamped(tell: Teller) -> None:
    """Nobody stamps: only counts can tell, and they agree."""
    feed = tell.publisher(bound=tell.either_way(), sequence=None, topics=(None,))
    reader = tell.subscriber(feed, QUICK, sequence=None)
    tell.sends(feed, tell.steady(0.5, tell.chance.randint(100, 900), 0.001))
    ends(tell, 1.6 + SETTLED, feed, reader)


def dark_reader(tell: Teller) -> None:
    """A reader that is not instrumented, beside one that is."""
    feed = tell.publisher()
    known = tell.subscriber(feed, QUICK)
    tell.subscriber(feed, 0.004, dark=True)
    tell.sends(feed, tell.steady(0.5, 800, 0.001))
    ends(tell, 1.6 + SETTLED, feed, known)


def dark_feed(tell: Teller) -> None:
    """A PUB that is not instrumented: nobody knows what was sent."""
    feed = tell.publisher(dark=True, sequence=None, options={"sndhwm": 100})
    reader = tell.subscriber(feed, 0.003, options={"rcvhwm": 10})
    tell.sends(feed, tell.steady(0.5, 800, 0.001))
    ends(tell, 2.5 + SETTLED, feed, reader)


def _come_back(tell: Teller, first: Publisher, reader: Subscriber) -> None:
    again = tell.restarted(first)
    tell.also_reads(reader, again)
    tell.sends(again, [tell.world.now + 0.4 + number * 0.001 for number in range(500)])
    ends(tell, 1.9 + 1.0 + SETTLED, again, reader)


def _some(tell: Teller, feed: Publisher) -> Sequence[bytes]:
    named = [topic for topic in feed.topics if topic is not None]
    if not named or tell.chance.random() < 0.5:
        return (b"",)
    return tell.chance.sample(named, tell.chance.randint(1, len(named)))
