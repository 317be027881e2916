"""Stories of a PUSH, a proxy of PULL and PUSH, and workers: its connection to the proxy breaks, the proxy or a worker is killed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hopwatch_simulate.connections import Connection
from hopwatch_simulate.cut_share_stories import mended_after
from hopwatch_simulate.parties import Party
from hopwatch_simulate.proxied_ways import Middle
from hopwatch_simulate.proxies import Proxy, SharingProxy
from hopwatch_simulate.shared_stories import Pusher, Worker, source_of
from hopwatch_simulate.telling import SETTLED, Teller

LITTLE = 10
"""High water marks of proxies and workers: what does not fit waits in the PUSH."""
FULL = (0.72, 0.78)
"""Seconds into a story between which everything behind the PUSH is full."""
LOOKS = 0.002
SLOW = (0.003, 0.004)
"""Seconds that a slow worker takes for a job."""
JOBS = 600


@dataclass
class Shop:
    """A PUSH, the proxy that it sends to, and who works behind it."""

    source: Pusher
    party: Party
    proxy: Proxy
    before: Connection
    workers: list[Worker]

    @property
    def source_is_bound(self) -> bool:
        return self.before.bound.socket is self.source[1].socket


def quiet_sharing_proxy(tell: Teller) -> None:
    """Everything comes to one of the workers."""
    shop = _shop(tell, tell.chance.randint(1, 3))
    _all_leave(tell, shop)


def cut_before_a_sharing_proxy(tell: Teller) -> None:
    """The connection to the proxy breaks and comes up again."""
    shop = _shop(tell, tell.chance.randint(1, 2))
    _cut_and_mend(tell, shop)
    _all_leave(tell, shop)


def cut_before_a_sharing_proxy_then_killed(tell: Teller) -> None:
    """The same, and a worker is killed later, with some unread: an only one when all that is left is on the way to it."""
    shop = _shop(tell, tell.chance.randint(1, 2))
    mended = _cut_and_mend(tell, shop)
    dies, *others = shop.workers
    if others:
        tell.at(mended + tell.world.between(0.15, 0.3), dies[0].kill)
    else:
        tell.at(mended, lambda: _once(tell, lambda: _all_is_behind(shop), dies[0].kill))
    _all_leave(tell, shop, others)


def killed_sharing_proxy(tell: Teller) -> None:
    """The proxy is killed with all its queues full, and does not come back."""
    shop = _shop(tell, tell.chance.randint(1, 2))
    tell.at(tell.world.between(*FULL), shop.party.kill)
    tell.leave_in_any_order(2.4 + SETTLED, *(party for party, _ in (shop.source, *shop.workers)))


def restarted_sharing_proxy(tell: Teller) -> None:
    """The proxy is killed with all its queues full, and comes back at its place."""
    shop = _shop(tell, tell.chance.randint(1, 2))
    tell.at(tell.world.between(*FULL), shop.party.kill)
    tell.at(1.4, lambda: _all_leave(tell, _come_back(tell, shop)))


def _shop(tell: Teller, workers: int) -> Shop:
    bound = tell.chance.random() < 0.5
    lingers = {} if bound else {"linger": 0}
    source = source_of(tell, bound=bound, options={"sndhwm": tell.chance.choice([100, 1000]), **lingers})
    party, proxy = sharing_hub(tell)
    end = source[1].socket if bound else proxy.front
    sides = (*source, party, proxy.inlet)
    before = tell.site.link(sides, tell.wire(12), bound=end, proxied=(None, proxy))
    shop = Shop(source, party, proxy, before, [])
    shop.workers = [worker_behind(tell, (party, proxy)) for _ in range(workers)]
    tell.site.sends(*source, tell.steady(0.5, JOBS, 0.001))
    return shop


def sharing_hub(tell: Teller) -> Middle:
    """A proxy of PULL and PUSH in a process of its own."""
    party = tell.site.party("proxy")
    name = tell.site.name("hub")
    return party, tell.site.proxy(party, name, in_hwm=LITTLE, out_hwm=LITTLE, kind=SharingProxy)


def worker_behind(tell: Teller, middle: Middle, service: float | None = None) -> Worker:
    """A PULL that is connected to a proxy; it is slow, if not told how slow."""
    party = tell.site.party("work")
    service = tell.world.between(*SLOW) if service is None else service
    inlet = tell.site.receiver(party, tell.site.name("worker"), "PULL", service, options={"rcvhwm": LITTLE})
    ends = (middle[0], middle[1].outlet, party, inlet)
    tell.site.link(ends, tell.wire(12), bound=middle[1].back, proxied=(middle[1], None))
    return party, inlet


def _cut_and_mend(tell: Teller, shop: Shop) -> float:
    """When it is mended."""
    broken = tell.world.between(*FULL)
    tell.at(broken, shop.before.cut)
    return mended_after(tell, shop.before, broken)


def _come_back(tell: Teller, shop: Shop) -> Shop:
    party = tell.site.party("proxy", agent=shop.party.agent)
    proxy = tell.site.proxy(party, shop.proxy.name, in_hwm=LITTLE, out_hwm=LITTLE, after=shop.proxy)
    again = None if shop.source_is_bound else shop.before
    end = shop.source[1].socket if shop.source_is_bound else proxy.front
    sides = (*shop.source, party, proxy.inlet)
    before = tell.site.link(sides, shop.before.wire, bound=end, proxied=(None, proxy), again=again)
    for worker, inlet in shop.workers:
        former = worker.connections[-1]
        ends = (party, proxy.outlet, worker, inlet)
        tell.site.link(ends, former.wire, bound=proxy.back, proxied=(proxy, None), again=former)
    return Shop(shop.source, party, proxy, before, shop.workers)


def _all_is_behind(shop: Shop) -> bool:
    """The proxy has passed on all that was not lost before it, and its only worker has not read all."""
    (link,) = shop.before.links
    waits = link.pipe is None or link.pipe.queued or link.pipe.in_kernel or shop.proxy.inlet.unread()
    sent_all = shop.source[1].socket.counters["sent"] == JOBS
    held = shop.proxy.inlet.in_hand is not None
    return sent_all and not waits and not held and shop.workers[0][1].unread()


def _once(tell: Teller, ready: Callable[[], bool], act: Callable[[], None]) -> None:
    if ready():
        act()
    else:
        tell.world.after(LOOKS, lambda: _once(tell, ready, act))


def _all_leave(tell: Teller, shop: Shop, workers: Sequence[Worker] | None = None) -> None:
    """Whoever is still there, and the proxy last, when its counts hold all that came."""
    there = shop.workers if workers is None else workers
    tell.leave_in_any_order(3.2 + SETTLED, *(party for party, _ in (shop.source, *there)))
    tell.at(5.9 + SETTLED, shop.party.leave)
