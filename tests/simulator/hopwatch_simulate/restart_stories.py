"""Stories of processes that end and come back: as new sockets, at the place of the old ones."""

from collections.abc import Callable

from hopwatch_simulate.agents import Cgroup
from hopwatch_simulate.parties import Party
from hopwatch_simulate.receivers import Inlet
from hopwatch_simulate.stories import ends
from hopwatch_simulate.telling import QUICK, SETTLED, Teller

LIMIT = 64_000_000


def killed_for_memory(tell: Teller) -> None:
    """Of two slow readers the kernel kills one for its cgroup's memory, and somebody the other."""
    feed = tell.publisher()
    starved, shot = (tell.subscriber(feed, 0.01, options={"rcvhwm": 50}) for _ in range(2))
    fast = tell.subscriber(feed, QUICK)
    tell.sends(feed, tell.steady(0.5, 1500, 0.001))
    cgroup = Cgroup(f"/kubepods/pod-{starved.party.process.id}", LIMIT)
    tell.at(tell.world.between(0.8, 1.2), lambda: starved.party.kill(out_of=cgroup))
    tell.at(tell.world.between(0.8, 1.2), shot.party.kill)
    ends(tell, 2.6 + SETTLED, feed, fast)


def restarted_reader(tell: Teller) -> None:
    """A reader is killed, and comes back as another: it gets what is sent from then on."""
    feed = tell.publisher()
    steady = tell.subscriber(feed, QUICK)
    dies = tell.subscriber(feed, 0.004)
    tell.sends(feed, tell.steady(0.5, 1500, 0.001))
    tell.at(tell.world.between(0.8, 1.0), dies.party.kill)
    tell.at(1.4, lambda: ends(tell, 2.8 + SETTLED, tell.subscriber(feed, QUICK)))
    ends(tell, 2.6 + SETTLED, feed, steady)


def restarted_worker(tell: Teller) -> None:
    """A bound PULL goes home and comes back: its sources call again, and keep meanwhile what it has not got."""
    _restarted_worker(tell, Party.leave)


def killed_bound_worker(tell: Teller) -> None:
    """A bound PULL is killed and comes back: what it held is gone, and nothing that its sources still had."""
    _restarted_worker(tell, Party.kill)


def _restarted_worker(tell: Teller, end: Callable[[Party], None]) -> None:
    party, inlet = _worker(tell, tell.site.party("work"), 0.003)
    sources = [tell.site.party("jobs") for _ in range(tell.chance.randint(1, 2))]
    for source in sources:
        outlet = tell.site.sender(source, tell.site.name("jobs"), "PUSH", options={"sndhwm": 200})
        tell.site.link((source, outlet, party, inlet), tell.wire(), bound=inlet.socket)
        tell.site.sends(source, outlet, tell.steady(0.5, tell.chance.randint(100, 400), 0.003))
    tell.at(tell.world.between(0.8, 1.0), lambda: end(party))
    tell.at(1.4, lambda: _come_back(tell, party, inlet, sources))


def _come_back(tell: Teller, former: Party, old: Inlet, sources: list[Party]) -> None:
    party, inlet = _worker(tell, tell.site.party("work", agent=former.agent), 0.0005, old)
    for source in sources:
        again = source.connections[-1]
        tell.site.link((source, source.outlets[0], party, inlet), again.wire, bound=inlet.socket, again=again)
        tell.at(2.8 + SETTLED, source.leave)
    tell.at(3.0 + SETTLED, party.leave)


def _worker(tell: Teller, party: Party, service: float, former: Inlet | None = None) -> tuple[Party, Inlet]:
    name = former.socket.name if former else tell.site.name("worker")
    inlet = tell.site.receiver(party, name, "PULL", service)
    tell.site.bind(inlet.socket, tell.site.endpoints[former.socket.id] if former else "")
    return party, inlet
