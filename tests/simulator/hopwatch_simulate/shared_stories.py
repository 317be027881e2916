"""Stories of PUSH and PULL: messages shared out among workers, or brought together from several."""

from collections.abc import Callable

from hopwatch_simulate.agents import Agent
from hopwatch_simulate.parties import Party
from hopwatch_simulate.receivers import Inlet
from hopwatch_simulate.senders import Outlet
from hopwatch_simulate.sockets import NONE, Options
from hopwatch_simulate.telling import QUICK, SETTLED, Teller

Pusher = tuple[Party, Outlet]
Worker = tuple[Party, Inlet]


def fan_out(tell: Teller) -> None:
    """Jobs shared out among quick workers."""
    source = source_of(tell)
    workers = [worker_of(tell, source, QUICK) for _ in range(tell.chance.randint(1, 3))]
    tell.site.sends(*source, tell.steady(0.5, tell.chance.randint(100, 1000), 0.001))
    _all_leave(tell, 1.9 + SETTLED, source, *workers)


def fan_in(tell: Teller) -> None:
    """Several senders connect to one bound PULL."""
    party = tell.site.party("collect")
    inlet = tell.site.receiver(party, tell.site.name("results"), "PULL", QUICK)
    tell.site.bind(inlet.socket)
    sources = []
    for _ in range(tell.chance.randint(2, 3)):
        source = source_of(tell, bound=False)
        tell.site.link((*source, party, inlet), tell.wire(), bound=inlet.socket)
        tell.site.sends(*source, tell.steady(0.5, tell.chance.randint(100, 500), 0.002))
        sources.append(source)
    _all_leave(tell, 1.9 + SETTLED, *sources)
    tell.at(2.3 + SETTLED, party.leave)


def killed_worker(tell: Teller) -> None:
    """One of two workers is killed with jobs in its queues; the other goes on."""
    _one_of_two_goes(tell, Party.kill)


def worker_closes(tell: Teller) -> None:
    """One of two workers closes its socket with jobs unread; the other goes on."""
    _one_of_two_goes(tell, Party.leave)


def _one_of_two_goes(tell: Teller, goes: Callable[[Party], None]) -> None:
    source = source_of(tell, options={"sndhwm": 10})
    slow = worker_of(tell, source, 0.02, options={"rcvhwm": 10})
    quick = worker_of(tell, source, QUICK, options={"rcvhwm": 10})
    tell.site.sends(*source, tell.steady(0.5, 1200, 0.001))
    tell.at(tell.world.between(1.0, 1.3), lambda: goes(slow[0]))
    _all_leave(tell, 2.2 + SETTLED, source, quick)


def killed_source(tell: Teller) -> None:
    """The PUSH is killed with jobs queued for a slow worker."""
    source = source_of(tell)
    worker = worker_of(tell, source, 0.01, options={"rcvhwm": 10})
    tell.site.sends(*source, tell.steady(0.5, 600, 0.001))
    tell.at(0.9, source[0].kill)
    tell.at(1.6 + SETTLED, worker[0].leave)


def refused(tell: Teller) -> None:
    """The PUSH does not wait for its slow worker: what gets EAGAIN was never accepted, and is no loss on the way."""
    source = source_of(tell, options={"sndhwm": 20})
    worker = worker_of(tell, source, 0.004, options={"rcvhwm": 10})
    tell.site.sends(*source, tell.steady(0.5, 800, 0.001), patient=False)
    _all_leave(tell, 1.7 + SETTLED, source, worker)


def source_of(tell: Teller, *, bound: bool = True, options: Options = NONE) -> Pusher:
    """A PUSH in a process of its own."""
    party = tell.site.party("jobs")
    outlet = tell.site.sender(party, tell.site.name("jobs"), "PUSH", options=options)
    if bound:
        tell.site.bind(outlet.socket)
    return party, outlet


def worker_of(
    tell: Teller, source: Pusher, service: float, options: Options = NONE, agent: Agent | None = None
) -> Worker:
    """A PULL in a process of its own (on the host of ``agent``, if given), and its connection to one PUSH: it is bound if that is not."""
    party = tell.site.party("work", agent=agent)
    inlet = tell.site.receiver(party, tell.site.name("worker"), "PULL", service, options=options)
    bound = source[1].socket
    if bound.id not in tell.site.endpoints:
        bound = inlet.socket
        tell.site.bind(bound)
    tell.site.link((*source, party, inlet), tell.wire(12), bound=bound)
    return party, inlet


def _all_leave(tell: Teller, seconds: float, *them: Pusher | Worker) -> None:
    tell.leave(seconds, *(party for party, _ in them))
