"""Stories of a PUSH, two proxies of PULL and PUSH one behind the other, and workers: what is lost between the two, or behind them."""

from hopwatch_simulate.connections import Connection
from hopwatch_simulate.cut_share_stories import mended_after
from hopwatch_simulate.proxied_ways import Middle
from hopwatch_simulate.shared_stories import Pusher, Worker, source_of
from hopwatch_simulate.sharing_proxy_stories import JOBS, SLOW, sharing_hub, worker_behind
from hopwatch_simulate.telling import QUICK, SETTLED, Teller

FULL = (0.75, 0.85)
"""Seconds into a story between which everything behind the PUSH is full, if its workers are slow."""


def quiet_sharing_chain(tell: Teller) -> None:
    """Everything comes to one of the workers."""
    source, middles, _ = _chain(tell)
    workers = [worker_behind(tell, middles[1], QUICK) for _ in range(tell.chance.randint(1, 2))]
    _all_leave(tell, source, workers, middles)


def cut_between_sharing_proxies(tell: Teller) -> None:
    """The connection between the two proxies breaks while all is full, and comes up again."""
    source, middles, between = _chain(tell)
    workers = [worker_behind(tell, middles[1], _slow(tell)) for _ in range(tell.chance.randint(1, 2))]
    broken = tell.world.between(*FULL)
    tell.at(broken, between.cut)
    mended_after(tell, between, broken)
    _all_leave(tell, source, workers, middles)


def killed_worker_behind_a_sharing_chain(tell: Teller) -> None:
    """One of two workers behind both proxies is killed with jobs unread; the other one goes on."""
    source, middles, _ = _chain(tell)
    dies, goes_on = (worker_behind(tell, middles[1], _slow(tell)) for _ in range(2))
    tell.at(tell.world.between(*FULL), dies[0].kill)
    _all_leave(tell, source, [goes_on], middles)


def _chain(tell: Teller) -> tuple[Pusher, list[Middle], Connection]:
    """The connection is the one between the two proxies."""
    source = source_of(tell, options={"sndhwm": tell.chance.choice([100, 1000])})
    middles = [sharing_hub(tell) for _ in range(2)]
    (first, front), (second, back) = middles
    tell.site.link(
        (*source, first, front.inlet), tell.wire(12), bound=source[1].socket, proxied=(None, front)
    )
    bound = tell.chance.choice([front.back, back.front])
    sides = (first, front.outlet, second, back.inlet)
    between = tell.site.link(sides, tell.wire(12), bound=bound, proxied=(front, back))
    tell.site.sends(*source, tell.steady(0.5, JOBS, 0.001))
    return source, middles, between


def _slow(tell: Teller) -> float:
    return tell.world.between(*SLOW)


def _all_leave(tell: Teller, source: Pusher, workers: list[Worker], middles: list[Middle]) -> None:
    """The proxies last, when their counts hold all that came."""
    tell.leave_in_any_order(3.4 + SETTLED, *(party for party, _ in (source, *workers)))
    for step, (party, _) in enumerate(middles):
        tell.at(6.0 + SETTLED + step * 0.1, party.leave)
