"""The site that stories build on: hosts, parties on them, and the connections between."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hopwatch_simulate.agents import Agent
from hopwatch_simulate.edges import Edge, Passage
from hopwatch_simulate.hosts import Host, Process
from hopwatch_simulate.links import Link
from hopwatch_simulate.parties import Party
from hopwatch_simulate.pipes import Wire
from hopwatch_simulate.proxies import Proxy
from hopwatch_simulate.receivers import Act, Inlet
from hopwatch_simulate.senders import Outlet, SendingApp
from hopwatch_simulate.sockets import NONE, Options, Socket
from hopwatch_simulate.world import World

TRANSLATED = 0.15
"""How often there is an address translation between the two ends of a connection."""
SAME_PORT = 0.7
"""How often that leaves the port as it is."""


@dataclass
class Site:
    """All that there is in a fleet, and the means to add to it. Names are unique by their number."""

    world: World
    agents: list[Agent] = field(default_factory=list)
    parties: list[Party] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    proxies: list[Proxy] = field(default_factory=list)
    endpoints: dict[str, str] = field(default_factory=dict)
    names: int = 0

    def add_hosts(self, count: int, skew: float) -> None:
        """Hosts whose clocks are up to ``skew`` seconds wrong."""
        for number in range(count):
            host = Host(
                f"host-{number}", f"10.7.{number // 250}.{number % 250 + 1}", self.world.between(-skew, skew)
            )
            agent = Agent(self.world, host)
            agent.start()
            self.agents.append(agent)

    def name(self, stem: str) -> str:
        """A name that nobody has yet."""
        self.names += 1
        return f"{stem}-{self.names}"

    def party(self, command: str, *, dark: bool = False, agent: Agent | None = None) -> Party:
        """A process on one of the hosts (that of ``agent``, if given), now."""
        agent = agent or self.world.chance.choice(self.agents)
        party = Party(Process(self.world, agent.host, f"python {command}.py", dark=dark), agent)
        self.parties.append(party)
        return party

    def sender(
        self, party: Party, name: str, kind: str, *, sequence: str | None = "stamp", options: Options = NONE
    ) -> Outlet:
        """A sending socket of a party."""
        outlet = Outlet(
            self._opened(party, Socket(party.process, name, kind, sequence=sequence, options=options))
        )
        party.outlets.append(outlet)
        return outlet

    def receiver(self, party: Party, name: str, kind: str, service: float, *, sequence: str | None = "stamp",
                 then: Act | None = None, topics: Iterable[bytes] = (), options: Options = NONE) -> Inlet:  # fmt: skip
        """A receiving socket of a party, whose application takes ``service`` seconds a message."""
        socket = self._opened(party, Socket(party.process, name, kind, sequence=sequence, options=options))
        inlet = Inlet(socket, service, then=then, waits=self.world.chance.random() < 0.5)
        inlet.filtered = set(topics)
        for topic in inlet.filtered:
            socket.event("subscription", action="subscribe", topic=topic.hex())
        party.inlets.append(inlet)
        return inlet

    def proxy(self, party: Party, name: str, *, in_hwm: int = 1000, out_hwm: int = 1000) -> Proxy:
        """A proxy of XSUB and XPUB that runs in a party."""
        proxy = Proxy(party.process, name, in_hwm=in_hwm, out_hwm=out_hwm)
        for socket in (proxy.front, proxy.back):
            self._opened(party, socket)
            self.bind(socket)
        party.inlets.append(proxy.inlet)
        party.outlets.append(proxy.outlet)
        party.proxies.append(proxy)
        self.proxies.append(proxy)
        proxy.start()
        return proxy

    def sends(self, party: Party, outlet: Outlet, times: Sequence[float], topics: Sequence[bytes | None] = (None,),
              size: int = 200, patient: bool = True) -> SendingApp:  # fmt: skip
        """The party's application sends at these times."""
        app = SendingApp(outlet, times, topics, size, patient=patient)
        party.apps.append(app)
        app.start()
        return app

    def bind(self, socket: Socket, endpoint: str = "") -> None:
        """A socket is bound, to a port of its own if not told where."""
        where = "0.0.0.0" if self.world.chance.random() < 0.5 else socket.process.host.address  # noqa: S104 - a word in a file
        self.endpoints[socket.id] = endpoint = endpoint or f"tcp://{where}:{socket.process.host.port()}"
        socket.event("endpoint", action="bind", endpoint=endpoint)

    def link(self, ends: tuple[Party, Outlet, Party, Inlet], wire: Wire, *, bound: Socket, full: str = "slow_receiver",
             proxied: tuple[Proxy | None, Proxy | None] = (None, None), again: Link | None = None) -> Link:  # fmt: skip
        """Two sockets connect, now: one of them is ``bound`` already. ``proxied``: whose backend sends, whose frontend receives.

        ``again``: a former link of the connecting socket to the same place.
        """
        from_party, outlet, to_party, inlet = ends
        edge = Edge(outlet.socket, inlet.socket, full)
        outlet.passage.edges.append(edge)
        endpoint = self.endpoints[bound.id]
        seen_as = again.seen_as if again else self._seen_as(bound)
        connecting = inlet.socket if bound is outlet.socket else outlet.socket
        if again is None:
            connecting.event("endpoint", action="connect", endpoint=f"tcp://{seen_as}")
        link = Link(outlet, inlet, bound=bound, endpoint=endpoint, seen_as=seen_as, wire=wire, edge=edge)
        sends_for, receives_for = proxied
        if sends_for is not None:
            link.on_subscription = sends_for.subscribe
        if receives_for is not None:
            receives_for.upstream.append(link)
        from_party.outgoing.append(link)
        to_party.incoming.append(link)
        self.links.append(link)
        for agent in {id(party.agent): party.agent for party in (from_party, to_party)}.values():
            agent.links.append(link)
        topics = set(receives_for.topics) if receives_for is not None else set(inlet.filtered)
        self.world.after(0.001, lambda: link.come_up(topics))
        return link

    def passages(self) -> list[Passage]:
        """Every socket that passes messages on."""
        return [outlet.passage for party in self.parties for outlet in party.outlets]

    def _seen_as(self, bound: Socket) -> str:
        """The address under which others reach a bound socket."""
        chance = self.world.chance
        own = self.endpoints[bound.id].removeprefix("tcp://")
        if chance.random() < TRANSLATED:
            port = own.rpartition(":")[2] if chance.random() < SAME_PORT else chance.randrange(80, 9000)
            return f"10.96.{chance.randrange(256)}.{chance.randrange(1, 255)}:{port}"
        return own.replace("0.0.0.0", bound.process.host.address)  # noqa: S104 - as above

    def _opened(self, party: Party, socket: Socket) -> Socket:
        party.agent.sockets.append(socket)
        return socket
