"""Stories of senders that go home while their receiver has much unread: over tcp it reads on from the kernel, over ipc that is cut off."""

from collections.abc import Callable

from hopwatch_simulate.parties import Party
from hopwatch_simulate.shared_stories import Pusher, Worker, source_of, worker_of
from hopwatch_simulate.sockets import Options
from hopwatch_simulate.telling import SETTLED, Publisher, Subscriber, Teller

LITTLE_INBOX: Options = {"rcvhwm": 2}
SERVICE = 0.05
JOBS = 13
"""As many as a worker's inbox and the kernel before it hold."""
ALL_SENT = 0.75
ALL_READ = 0.5 + JOBS * SERVICE


def source_closes(tell: Teller) -> None:
    """Over ipc: the PUSH closes in good order, and its worker's low mark loses what the kernel still holds."""
    source = source_of(tell, bound=False)
    tell.site.bind(source[1].socket, f"ipc:///run/{source[1].socket.name}")
    worker = worker_of(tell, source, SERVICE, options={"rcvhwm": 1}, agent=source[0].agent)
    tell.site.sends(*source, tell.steady(0.5, 10, 0.02))
    tell.at(ALL_SENT, source[0].leave)
    tell.at(1.6 + SETTLED, worker[0].leave)


def worker_reads_on(tell: Teller) -> None:
    """The PUSH closes, and its worker has time to read all from the kernel, at whatever mark."""
    _, worker = _is_left_with_some(tell, Party.leave)
    tell.at(ALL_READ + 0.2 + SETTLED, worker[0].leave)


def worker_reads_on_and_closes(tell: Teller) -> None:
    """The PUSH closes, and later its worker, with some left in its inbox and some in the kernel."""
    _, worker = _is_left_with_some(tell, Party.leave)
    tell.at(_before_all_is_read(tell), worker[0].leave)


def worker_reads_on_and_is_killed(tell: Teller) -> None:
    """The PUSH closes, and its worker is killed while it reads on."""
    _, worker = _is_left_with_some(tell, Party.leave)
    tell.at(_before_all_is_read(tell), worker[0].kill)


def worker_outlives_a_killed_source(tell: Teller) -> None:
    """The PUSH is killed, when it has passed all on or with some in its queue, and later its worker closes, with some left in its inbox."""
    _, worker = _is_left_with_some(tell, Party.kill, JOBS + tell.chance.choice([0, 7]))
    tell.at(_before_all_is_read(tell), worker[0].leave)


def reader_reads_on(tell: Teller) -> None:
    """The PUB closes, and its reader has time to read all."""
    _, reader = _is_cut_off_from_none(tell)
    tell.at(2.6 + SETTLED, reader.party.leave)


def reader_reads_on_and_closes(tell: Teller) -> None:
    """The PUB closes, and later its reader, with some left."""
    _, reader = _is_cut_off_from_none(tell)
    tell.at(tell.world.between(1.05, 1.3), reader.party.leave)


def reader_reads_on_and_is_killed(tell: Teller) -> None:
    """The PUB closes, and its reader is killed while it reads on."""
    _, reader = _is_cut_off_from_none(tell)
    tell.at(tell.world.between(1.05, 1.3), reader.party.kill)


def feed_back_before_all_is_read(tell: Teller) -> None:
    """The PUB goes home and is soon back; its reader calls it again when it has taken in all that the former one had passed on."""
    feed, reader = _is_cut_off_from_none(tell)

    def come_back() -> None:
        again = tell.restarted(feed)
        tell.also_reads(reader, again)
        tell.sends(again, [tell.world.now + 1.6 + number * 0.02 for number in range(20)])
        tell.at(3.6 + SETTLED, again.party.leave)

    tell.at(1.1, come_back)
    tell.at(4.0 + SETTLED, reader.party.leave)


def _is_left_with_some(
    tell: Teller, goes: Callable[[Party], None], jobs: int = JOBS
) -> tuple[Pusher, Worker]:
    source = source_of(tell)
    worker = worker_of(tell, source, SERVICE, options=LITTLE_INBOX)
    tell.site.sends(*source, tell.steady(0.5, jobs, 0.01))
    tell.at(ALL_SENT, lambda: goes(source[0]))
    return source, worker


def _before_all_is_read(tell: Teller) -> float:
    return tell.world.between(ALL_SENT + 0.05, ALL_READ - 0.06)


def _is_cut_off_from_none(tell: Teller) -> tuple[Publisher, Subscriber]:
    """A PUB that lingers until all is passed on, and its reader, who has inbox and kernel full by then."""
    feed = tell.publisher(topics=(None,))
    reader = tell.subscriber(feed, SERVICE, options={"rcvhwm": 3}, wire=tell.wire(12))
    tell.sends(feed, tell.steady(0.5, 18, 0.01))
    tell.at(0.8, feed.party.leave)
    return feed, reader
