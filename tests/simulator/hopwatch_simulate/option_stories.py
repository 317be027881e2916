"""Stories of options that lose messages by design: ZMQ_CONFLATE, which keeps the newest, and ZMQ_MAXMSGSIZE, which hangs up."""

from hopwatch_simulate.stories import ends
from hopwatch_simulate.telling import QUICK, SETTLED, Subscriber, Teller

CARRIED = "number_in_payload"
"""Numbers that messages carry: an end with ZMQ_CONFLATE cannot stamp."""
TOO_LARGE = 50_000
BOUND = {"maxmsgsize": 10_000}


def conflating_reader(tell: Teller) -> None:
    """A reader that wants the newest message only, beside one that gets all."""
    feed = tell.publisher(topics=(None,), sequence=CARRIED)
    service = tell.world.between(0.004, 0.012)
    newest = tell.subscriber(feed, service, sequence=CARRIED, options={"conflate": 1})
    every_one = tell.subscriber(feed, QUICK, sequence=CARRIED)
    tell.sends(feed, tell.steady(0.5, tell.chance.randint(600, 1500), 0.001))
    ends(tell, 2.1 + SETTLED, feed, newest, every_one)


def conflating_feed(tell: Teller) -> None:
    """A PUB that keeps only the newest message for a reader behind a slow link."""
    feed = tell.publisher(topics=(None,), sequence=CARRIED, options={"conflate": 1})
    wire = tell.wire(pace=tell.world.between(0.002, 0.004))
    reader = tell.subscriber(feed, QUICK, sequence=CARRIED, wire=wire)
    tell.sends(feed, tell.steady(0.5, tell.chance.randint(600, 1500), 0.001))
    ends(tell, 2.3 + SETTLED, feed, reader)


def slow_reader_of_numbers(tell: Teller) -> None:
    """Numbers are missing as they are of a reader that conflates, and it is the pipe that was full."""
    feed = tell.publisher(
        topics=(None,), sequence=CARRIED, options={"sndhwm": tell.chance.choice([20, 50, 100])}
    )
    service = tell.world.between(0.003, 0.005)
    slow = tell.subscriber(feed, service, sequence=CARRIED, options={"rcvhwm": 10}, wire=tell.wire(10))
    fast = tell.subscriber(feed, QUICK, sequence=CARRIED)
    tell.sends(feed, tell.steady(0.5, tell.chance.randint(1000, 2000), 0.001))
    ends(tell, 2.7 + 150 * service + SETTLED, feed, slow, fast)


def oversize_to_a_caller(tell: Teller) -> None:
    """A reader hangs up on a message that is too large, and never calls again."""
    feed = tell.publisher()
    bounded = tell.subscriber(feed, QUICK, options=BOUND)
    boundless = tell.subscriber(feed, QUICK)
    tell.sends(feed, tell.steady(0.5, 1200, 0.001), _one_too_large(tell, 1200))
    tell.leave(1.8 + SETTLED, feed.party, bounded.party, boundless.party)


def oversize_to_a_bound_end(tell: Teller) -> None:
    """A bound reader hangs up on a message that is too large, and its PUB calls again and goes on."""
    feed = tell.publisher(bound=False)
    bounded = tell.subscriber(feed, QUICK, options=BOUND)
    tell.sends(feed, tell.steady(0.5, 1200, 0.001), _one_too_large(tell, 1200))
    ends(tell, 1.9 + SETTLED, feed, bounded)


def oversize_job(tell: Teller) -> None:
    """A bound PULL hangs up on a job that is too large, and its PUSH calls again."""
    worker = tell.site.party("work")
    inlet = tell.site.receiver(worker, tell.site.name("worker"), "PULL", QUICK, options=BOUND)
    tell.site.bind(inlet.socket)
    source = tell.site.party("jobs")
    outlet = tell.site.sender(source, tell.site.name("jobs"), "PUSH")
    tell.site.link((source, outlet, worker, inlet), tell.wire(), bound=inlet.socket)
    tell.site.sends(source, outlet, tell.steady(0.5, 800, 0.001), sizes=_one_too_large(tell, 800))
    tell.leave(1.5 + SETTLED, source, worker)


def bounded_and_cut(tell: Teller) -> None:
    """A reader that takes no large messages, none of which come: its connection breaks for another reason, and comes back."""
    reader = _bounded_and_cut(tell)
    connection = reader.party.connections[0]
    tell.at(tell.world.between(1.3, 1.6), lambda: connection.come_up(reader.inlet.filtered))


def cut_for_good(tell: Teller) -> None:
    """A connection breaks and does not come back while the PUB is there."""
    _bounded_and_cut(tell)


def _bounded_and_cut(tell: Teller) -> Subscriber:
    feed = tell.publisher()
    reader = tell.subscriber(feed, QUICK, options=BOUND)
    tell.sends(feed, tell.steady(0.5, 1500, 0.001))
    tell.at(tell.world.between(0.8, 1.2), reader.party.connections[0].cut)
    tell.leave(2.2 + SETTLED, feed.party, reader.party)
    return reader


def _one_too_large(tell: Teller, count: int) -> list[int]:
    sizes = [200] * count
    sizes[tell.chance.randrange(count // 4, count // 2)] = TOO_LARGE
    return sizes
