"""Stories of sockets that send and receive: ROUTER and DEALER, REQ and REP, PAIR."""

from dataclasses import dataclass

from hopwatch_simulate.applications import answers
from hopwatch_simulate.connections import Connection
from hopwatch_simulate.parties import Party
from hopwatch_simulate.pipes import Wire
from hopwatch_simulate.receivers import Inlet
from hopwatch_simulate.routers import ReplyOutlet, RouterOutlet
from hopwatch_simulate.senders import Outlet
from hopwatch_simulate.sockets import NONE, Options
from hopwatch_simulate.telling import QUICK, SETTLED, Teller


@dataclass
class Talker:
    """A socket that sends and receives, in a process of its own."""

    party: Party
    outlet: Outlet
    inlet: Inlet

    @property
    def routing_id(self) -> bytes:
        return self.inlet.socket.routing_id


def router_and_dealers(tell: Teller) -> None:
    """DEALERs ask a ROUTER, who answers each; some have a routing id that they chose."""
    broker = talker_of(tell, "broker", "ROUTER", bind=True)
    _answering(broker)
    clients = [talker_of(tell, "client", "DEALER", named=tell.chance.random() < 0.5) for _ in range(tell.chance.randint(1, 3))]  # fmt: skip
    for client in clients:
        meet(tell, broker, client)
        tell.site.sends(client.party, client.outlet, tell.steady(0.5, tell.chance.randint(50, 400), 0.002))
    all_leave(tell, 1.5 + SETTLED, *clients, broker)


def two_way_dealers(tell: Teller) -> None:
    """Two DEALERs that both send, whichever of them is bound."""
    one = talker_of(tell, "left", "DEALER", bind=True)
    other = talker_of(tell, "right", "DEALER")
    meet(tell, one, other)
    for talker in (one, other):
        tell.site.sends(talker.party, talker.outlet, tell.steady(0.5, tell.chance.randint(50, 500), 0.002))
    all_leave(tell, 1.7 + SETTLED, one, other)


def slow_dealer(tell: Teller) -> None:
    """A ROUTER sends to two DEALERs by their routing ids, more than the slow one reads."""
    broker = talker_of(
        tell, "broker", "ROUTER", bind=True, options={"sndhwm": tell.chance.choice([20, 50, 100])}
    )
    service = tell.world.between(0.006, 0.009)
    slow = talker_of(tell, "worker", "DEALER", service=service, named=True, options={"rcvhwm": 10})
    fast = talker_of(tell, "worker", "DEALER", named=True)
    meet(tell, broker, slow, wire=tell.wire(10))
    meet(tell, broker, fast)
    times = tell.steady(0.5, tell.chance.randint(1200, 2000), 0.001)
    tell.site.sends(broker.party, broker.outlet, times, (slow.routing_id, fast.routing_id))
    all_leave(tell, 2.8 + 150 * service + SETTLED, broker, slow, fast)


def strangers(tell: Teller) -> None:
    """A ROUTER sends to a routing id that nobody has, and to one whose owner comes late."""
    broker = talker_of(tell, "broker", "ROUTER", bind=True)
    known = talker_of(tell, "worker", "DEALER", named=True)
    late = talker_of(tell, "worker", "DEALER", named=True)
    meet(tell, broker, known)
    times = tell.steady(0.4, tell.chance.randint(600, 1200), 0.001)
    tell.site.sends(broker.party, broker.outlet, times, (known.routing_id, b"stranger", late.routing_id))
    tell.at(tell.world.between(0.6, 0.9), lambda: meet(tell, broker, late))
    all_leave(tell, 1.9 + SETTLED, broker, known, late)


def dealer_goes(tell: Teller) -> None:
    """One of two DEALERs goes home, and its ROUTER sends on to its routing id."""
    broker = talker_of(tell, "broker", "ROUTER", bind=True)
    stays = talker_of(tell, "worker", "DEALER", named=True)
    goes = talker_of(tell, "worker", "DEALER", named=True)
    for worker in (stays, goes):
        meet(tell, broker, worker)
    times = tell.steady(0.5, 800, 0.001)
    tell.site.sends(broker.party, broker.outlet, times, (stays.routing_id, goes.routing_id))
    tell.at(tell.world.between(0.7, 1.1), goes.party.leave)
    all_leave(tell, 1.7 + SETTLED, broker, stays)


def killed_dealer(tell: Teller) -> None:
    """A DEALER is killed with messages of a ROUTER unread."""
    broker = talker_of(tell, "broker", "ROUTER", bind=True)
    stays = talker_of(tell, "worker", "DEALER", named=True)
    dies = talker_of(tell, "worker", "DEALER", service=0.01, named=True, options={"rcvhwm": 50})
    for worker in (stays, dies):
        meet(tell, broker, worker)
    times = tell.steady(0.5, 800, 0.001)
    tell.site.sends(broker.party, broker.outlet, times, (stays.routing_id, dies.routing_id))
    tell.at(tell.world.between(0.8, 1.1), dies.party.kill)
    all_leave(tell, 1.7 + SETTLED, broker, stays)


def requests(tell: Teller) -> None:
    """REQs ask a REP, question after answer."""
    replier, askers = _asked(tell, tell.chance.randint(1, 3))
    all_leave(tell, 2.4 + SETTLED, *askers, replier)


def killed_asker(tell: Teller) -> None:
    """One of two REQs is killed while the answer to it is on its way, or was not yet sent."""
    replier, (dies, stays) = _asked(tell, 2, latency=0.01)
    tell.at(tell.world.between(0.8, 1.2), dies.party.kill)
    all_leave(tell, 2.4 + SETTLED, stays, replier)


def killed_replier(tell: Teller) -> None:
    """The REP is killed; at most one question of each REQ is with it, or an answer on its way."""
    replier, askers = _asked(tell, 2, latency=0.01)
    tell.at(tell.world.between(0.8, 1.2), replier.party.kill)
    all_leave(tell, 2.2 + SETTLED, *askers)


def pair(tell: Teller) -> None:
    """Two PAIRs, and messages both ways."""
    one, other = _pair(tell, QUICK)
    all_leave(tell, 1.7 + SETTLED, one, other)


def pair_closes(tell: Teller) -> None:
    """A slow PAIR is closed with messages unread."""
    one, other = _pair(tell, 0.01)
    all_leave(tell, tell.world.between(1.0, 1.3), other)
    all_leave(tell, 2.0 + SETTLED, one)


def _pair(tell: Teller, service: float) -> tuple[Talker, Talker]:
    one = talker_of(tell, "left", "PAIR", bind=True)
    other = talker_of(tell, "right", "PAIR", service=service, options={"rcvhwm": 50})
    meet(tell, one, other)
    for talker in (one, other):
        tell.site.sends(talker.party, talker.outlet, tell.steady(0.5, tell.chance.randint(200, 400), 0.001))
    return one, other


def _asked(tell: Teller, askers: int, latency: float | None = None) -> tuple[Talker, list[Talker]]:
    replier = talker_of(tell, "replier", "REP", service=0.0005, bind=True)
    _answering(replier)
    asking = [talker_of(tell, "asker", "REQ") for _ in range(askers)]
    for asker in asking:
        wire = tell.wire() if latency is None else Wire(latency, 20)
        meet(tell, replier, asker, wire=wire)
        times = tell.steady(0.5, tell.chance.randint(40, 70), 0.01)
        tell.site.asks(asker.party, asker.outlet, asker.inlet, times)
    return replier, asking


def talker_of(tell: Teller, name: str, kind: str, *, service: float = QUICK, bind: bool = False, named: bool = False,
            options: Options = NONE) -> Talker:  # fmt: skip
    """A socket that sends and receives, in a process of its own."""
    party = tell.site.party(name)
    called = tell.site.name(name)
    routing_id = called.encode() if named else b""
    socket = tell.site.socket(party, called, kind, options=options, routing_id=routing_id)
    talker = Talker(party, tell.site.outlet(party, socket), tell.site.inlet(party, socket, service))
    if bind:
        tell.site.bind(socket)
    return talker


def _answering(talker: Talker) -> None:
    if isinstance(talker.outlet, RouterOutlet | ReplyOutlet):
        talker.inlet.then = answers(talker.outlet)


def meet(tell: Teller, bound: Talker, calling: Talker, *, wire: Wire | None = None) -> Connection:
    """They connect, and messages may go both ways."""
    parties = (bound.party, calling.party)
    sockets = (bound.outlet.socket, calling.outlet.socket)
    connection = tell.site.connect(parties, *sockets, wire or tell.wire())
    tell.site.carry(connection, bound.outlet, calling.inlet)
    tell.site.carry(connection, calling.outlet, bound.inlet)
    tell.world.after(0.001, connection.come_up)
    return connection


def all_leave(tell: Teller, seconds: float, *them: Talker) -> None:
    """They go home, one after the other."""
    tell.leave(seconds, *(talker.party for talker in them))
