"""Stories of PUSH and PULL whose connection breaks while its buffers are full: a PUSH that connected keeps its queue, one that is bound loses it."""

from collections.abc import Callable

from hopwatch_simulate.connections import Connection
from hopwatch_simulate.parties import Party
from hopwatch_simulate.shared_stories import Pusher, Worker, source_of, worker_of
from hopwatch_simulate.sockets import Options
from hopwatch_simulate.telling import LITTLE_INBOX, QUICK, SETTLED, Teller

FULL_BY = 0.62
"""Seconds into a story after which kernel and inbox of a slow worker are full."""
NO_LINGER: Options = {"linger": 0}
"""Of a PUSH that connected: with time to linger it would wait for ever to be connected again."""


def cut_and_mended_share(tell: Teller) -> None:
    """The connection to the only worker breaks and comes up again; all is read before both go home."""
    source, worker = _with_a_backlog(tell, tell.chance.choice([20, 100, 1000]))
    _mends(tell, worker, _breaks(tell, worker))
    _all_leave(tell, 3.4 + SETTLED, source, worker)


def mended_share_then_killed(tell: Teller) -> None:
    """The connection to the only worker breaks and comes up again, and the worker is killed later, with some unread."""
    _ends_after_the_mend(tell, Party.kill)


def mended_share_then_killed_early(tell: Teller) -> None:
    """The same, while the worker still has unread what had come over the connection before: one that is bound reads both in turn."""
    source, worker = _with_a_backlog(tell, 1000, {"rcvhwm": 100})
    broken = tell.world.between(0.72, 0.75)
    tell.at(broken, worker[0].connections[0].cut)
    mended = broken + 0.1
    tell.at(mended, worker[0].connections[0].come_up)
    tell.at(mended + tell.world.between(0.1, 0.3), worker[0].kill)
    tell.leave(2.4 + SETTLED, source[0])


def mended_share_then_closed(tell: Teller) -> None:
    """The same, and the worker closes its socket with some unread."""
    _ends_after_the_mend(tell, Party.leave)


def share_cut_for_good(tell: Teller) -> None:
    """The connection to the only worker breaks for good, and both ends see it; the worker goes home long after, and then the PUSH."""
    source, worker = _with_a_backlog(tell, tell.chance.choice([20, 100, 1000]))
    _breaks(tell, worker)
    tell.leave(2.6 + SETTLED, worker[0], source[0])


def share_cut_for_good_and_left(tell: Teller) -> None:
    """The same, and the PUSH goes home soon after the cut."""
    source, worker = _with_a_backlog(tell, tell.chance.choice([20, 100, 1000]))
    broken = _breaks(tell, worker)
    tell.leave(broken + tell.world.between(0.1, 0.8), source[0])
    tell.leave(2.6 + SETTLED, worker[0])


def one_share_cut_and_mended(tell: Teller) -> None:
    """Of several workers one has its connection broken, and comes back; the others go on."""
    source = _source(tell, tell.chance.choice([10, 20]))
    slow = worker_of(tell, source, 0.01, LITTLE_INBOX)
    others = [worker_of(tell, source, QUICK) for _ in range(tell.chance.randint(1, 3))]
    tell.site.sends(*source, tell.steady(0.5, tell.chance.randint(400, 800), 0.001))
    _mends(tell, slow, _breaks(tell, slow))
    _all_leave(tell, 3.0 + SETTLED, source, slow, *others)


def _ends_after_the_mend(tell: Teller, end: Callable[[Party], None]) -> None:
    source, worker = _with_a_backlog(tell, 1000)
    mended = _mends(tell, worker, _breaks(tell, worker))
    tell.at(mended + tell.world.between(0.25, 0.4), lambda: end(worker[0]))
    tell.leave(2.4 + SETTLED, source[0])


def _with_a_backlog(tell: Teller, sndhwm: int, inbox: Options = LITTLE_INBOX) -> tuple[Pusher, Worker]:
    """A PUSH and its only worker, who is too slow for it."""
    source = _source(tell, sndhwm)
    worker = worker_of(tell, source, tell.world.between(0.003, 0.004), inbox)
    tell.site.sends(*source, tell.steady(0.5, tell.chance.randint(350, 400), 0.001))
    return source, worker


def _source(tell: Teller, sndhwm: int) -> Pusher:
    bound = tell.chance.random() < 0.5
    return source_of(tell, bound=bound, options={"sndhwm": sndhwm, **({} if bound else NO_LINGER)})


def _breaks(tell: Teller, worker: Worker) -> float:
    return breaks(tell, worker[0].connections[0])


def _mends(tell: Teller, worker: Worker, broken: float) -> float:
    return mended_after(tell, worker[0].connections[0], broken)


def breaks(tell: Teller, connection: Connection) -> float:
    """It breaks while the buffers to a slow worker are full: when."""
    broken = tell.world.between(FULL_BY, 0.75)
    tell.at(broken, connection.cut)
    return broken


def mended_after(tell: Teller, connection: Connection, broken: float) -> float:
    """It comes up again: when."""
    mended = broken + tell.world.between(0.1, 0.3)
    tell.at(mended, connection.come_up)
    return mended


def _all_leave(tell: Teller, seconds: float, *them: Pusher | Worker) -> None:
    tell.leave_in_any_order(seconds, *(party for party, _ in them))
