"""The site that stories build on: hosts, parties on them, and the connections between."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from hopwatch_simulate.agents import Agent
from hopwatch_simulate.applications import AskingApp, SendingApp
from hopwatch_simulate.connections import Connection
from hopwatch_simulate.edges import Edge, Passage
from hopwatch_simulate.hosts import ANYWHERE, Host, Process
from hopwatch_simulate.links import Link
from hopwatch_simulate.parties import Party
from hopwatch_simulate.pipes import Wire
from hopwatch_simulate.proxies import PER_MESSAGE, Proxy
from hopwatch_simulate.receivers import Act, Inlet
from hopwatch_simulate.routers import ReplyOutlet, RouterOutlet
from hopwatch_simulate.senders import Outlet
from hopwatch_simulate.sockets import NONE, ONE_WAY, Options, Socket
from hopwatch_simulate.world import World

TRANSLATED = 0.15
"""How often there is an address translation between the two ends of a connection."""
TRANSLATED_TO = "10.96."
SAME_PORT = 0.7
"""How often that leaves the port as it is."""
MASQUERADED = 0.3
"""How often that hides the connecting end's address as well."""


@dataclass
class Site:
    """All that there is in a fleet, and the means to add to it. Names are unique by their number.

    Sites of different numbers (0 to 80) share neither host names nor addresses, so that they can be analysed together.
    """

    world: World
    number: int = 0
    agents: list[Agent] = field(default_factory=list)
    parties: list[Party] = field(default_factory=list)
    proxies: list[Proxy] = field(default_factory=list)
    endpoints: dict[str, str] = field(default_factory=dict)
    names: int = 0
    skew: float = 0.0

    def add_hosts(self, count: int, skew: float) -> None:
        """Hosts whose clocks are up to ``skew`` seconds wrong."""
        self.skew = skew
        for number in range(len(self.agents), len(self.agents) + count):
            address = f"10.{self.number + 7}.{number // 250}.{number % 250 + 1}"
            host = Host(self._of_site(f"host-{number}"), address, self.world.between(-skew, skew))
            agent = Agent(self.world, host)
            agent.start()
            self.agents.append(agent)

    def name(self, stem: str) -> str:
        """A name that nobody has yet."""
        self.names += 1
        return self._of_site(f"{stem}-{self.names}")

    def party(self, command: str, *, dark: bool = False, agent: Agent | None = None) -> Party:
        """A process on one of the hosts (that of ``agent``, if given), now."""
        agent = agent or self.world.chance.choice(self.agents)
        party = Party(Process(self.world, agent.host, f"python {command}.py", dark=dark), agent)
        self.parties.append(party)
        return party

    def agent_apart_from(self, party: Party) -> Agent:
        """The agent of another host than a party's."""
        if len(self.agents) == 1:
            self.add_hosts(1, self.skew)
        return self.world.chance.choice([agent for agent in self.agents if agent is not party.agent])

    def socket(self, party: Party, name: str, kind: str, *, sequence: str | None = "stamp", stamp_every: int = 1,
               options: Options = NONE, routing_id: bytes = b"") -> Socket:  # fmt: skip
        """A socket of a party, opened now."""
        socket = Socket(
            party.process,
            name,
            kind,
            sequence=sequence,
            stamp_every=stamp_every,
            options=options,
            routing_id=routing_id,
        )
        party.agent.sockets.append(socket)
        return socket

    def outlet(self, party: Party, socket: Socket) -> Outlet:
        """The sending side of a party's socket."""
        kinds = {"ROUTER": RouterOutlet, "REP": ReplyOutlet}
        outlet = kinds.get(socket.kind, Outlet)(socket)
        party.outlets.append(outlet)
        return outlet

    def sender(self, party: Party, name: str, kind: str, *, sequence: str | None = "stamp", stamp_every: int = 1,
               options: Options = NONE) -> Outlet:  # fmt: skip
        """A sending socket of a party."""
        return self.outlet(
            party, self.socket(party, name, kind, sequence=sequence, stamp_every=stamp_every, options=options)
        )

    def receiver(self, party: Party, name: str, kind: str, service: float, *, sequence: str | None = "stamp",
                 then: Act | None = None, topics: Iterable[bytes] = (), options: Options = NONE) -> Inlet:  # fmt: skip
        """A receiving socket of a party."""
        socket = self.socket(party, name, kind, sequence=sequence, options=options)
        return self.inlet(party, socket, service, then=then, topics=topics)

    def inlet(self, party: Party, socket: Socket, service: float, *, then: Act | None = None,
              topics: Iterable[bytes] = ()) -> Inlet:  # fmt: skip
        """The receiving side of a party's socket: its application takes ``service`` seconds a message."""
        inlet = Inlet(socket, service, then=then, waits=self.world.chance.random() < 0.5)
        inlet.filtered = set(topics)
        for topic in sorted(inlet.filtered):
            socket.event("subscription", action="subscribe", topic=topic.hex())
        party.inlets.append(inlet)
        return inlet

    def proxy(self, party: Party, name: str, *, in_hwm: int = 1000, out_hwm: int = 1000, service: float = PER_MESSAGE,
              kind: type[Proxy] = Proxy, after: Proxy | None = None) -> Proxy:  # fmt: skip
        """A proxy that runs in a party and takes ``service`` seconds a message; ``after`` another one, of its kind and in its place."""
        made = type(after) if after else kind
        proxy = made(party.process, name, in_hwm=in_hwm, out_hwm=out_hwm, service=service)
        former = (after.front, after.back) if after else (None, None)
        for socket, before in zip((proxy.front, proxy.back), former, strict=True):
            party.agent.sockets.append(socket)
            self.bind(socket, self.endpoints[before.id] if before else "")
        party.inlets.append(proxy.inlet)
        party.outlets.append(proxy.outlet)
        party.proxies.append(proxy)
        self.proxies.append(proxy)
        proxy.start()
        return proxy

    def sends(self, party: Party, outlet: Outlet, times: Sequence[float], topics: Sequence[bytes | None] = (None,),
              sizes: Sequence[int] = (200,), patient: bool = True) -> SendingApp:  # fmt: skip
        """The party's application sends at these times."""
        app = SendingApp(outlet, times, topics, sizes, patient=patient)
        party.apps.append(app)
        app.start()
        return app

    def asks(
        self, party: Party, outlet: Outlet, inlet: Inlet, times: Sequence[float], size: int = 100
    ) -> None:
        """The party's application asks at these times, or when the answer before has come."""
        app = AskingApp(outlet, inlet, times, size)
        party.apps.append(app)
        app.start()

    def bind(self, socket: Socket, endpoint: str = "") -> None:
        """A socket is bound, to a port of its own if not told where."""
        where = ANYWHERE if self.world.chance.random() < 0.5 else socket.process.host.address
        self.endpoints[socket.id] = endpoint = endpoint or f"tcp://{where}:{socket.process.host.port()}"
        socket.event("endpoint", action="bind", endpoint=endpoint)

    def connect(self, parties: tuple[Party, Party], bound: Socket, connecting: Socket, wire: Wire, *,
                again: Connection | None = None) -> Connection:  # fmt: skip
        """A connection that is to come up; what it carries is yet to be said. ``parties``: whose process each end is in.

        ``again``: a former connection of the connecting socket to the same place.
        """
        called = again.called if again else self._called(bound)
        if again is None:
            connecting.event("endpoint", action="connect", endpoint=called)
        endpoint = self.endpoints[bound.id]
        translated = called.startswith(f"tcp://{TRANSLATED_TO}")
        masqueraded = translated and (
            again.masqueraded if again else self.world.chance.random() < MASQUERADED
        )
        connection = Connection(self.world, bound, connecting, endpoint=endpoint, called=called, wire=wire, masqueraded=masqueraded, former=again)  # fmt: skip
        for party in parties:
            party.connections.append(connection)
        for agent in {id(party.agent): party.agent for party in parties}.values():
            agent.connections.append(connection)
        return connection

    def link(self, ends: tuple[Party, Outlet, Party, Inlet], wire: Wire, *, bound: Socket, full: str = "slow_receiver",
             proxied: tuple[Proxy | None, Proxy | None] = (None, None), again: Connection | None = None) -> Connection:  # fmt: skip
        """Two sockets connect, now: one of them is ``bound`` already. ``proxied``: whose backend sends, whose frontend receives."""
        from_party, outlet, to_party, inlet = ends
        connecting = inlet.socket if bound is outlet.socket else outlet.socket
        connection = self.connect((from_party, to_party), bound, connecting, wire, again=again)
        link = self.carry(connection, outlet, inlet, full=full, again=again)
        sends_for, receives_for = proxied
        if sends_for is not None:
            link.on_subscription = sends_for.subscribe
        if receives_for is not None:
            receives_for.upstream.append(link)
        topics = set(receives_for.topics) if receives_for is not None else set(inlet.filtered)
        self.world.after(0.001, lambda: connection.come_up(topics))
        return connection

    def carry(self, connection: Connection, outlet: Outlet, inlet: Inlet, *, full: str = "slow_receiver",
              again: Connection | None = None) -> Link:  # fmt: skip
        """Messages of one socket go to the other over a connection."""
        edge = Edge(outlet.socket, inlet.socket, full, again=again is not None, masked=connection.masqueraded)
        outlet.passage.edges.append(edge)
        former = [link for link in again.links if link.outlet is outlet] if again else []
        calls = outlet.socket is connection.connecting.socket
        heir_of = former[-1] if former and calls else None
        drains = connection.over_tcp and outlet.socket.kind in ONE_WAY
        link = Link(outlet, inlet, edge, connection.wire, calls=calls, drains=drains, heir_of=heir_of)
        link.on_oversize = partial(connection.hang_up, inlet.socket)
        connection.links.append(link)
        return link

    def passages(self) -> list[Passage]:
        """Every socket that passes messages on."""
        return [outlet.passage for party in self.parties for outlet in party.outlets]

    def _of_site(self, name: str) -> str:
        return f"{name}@{self.number}" if self.number else name

    def _called(self, bound: Socket) -> str:
        """The endpoint under which others reach a bound socket."""
        chance = self.world.chance
        own = self.endpoints[bound.id]
        if own.startswith("ipc://"):
            return own
        if chance.random() < TRANSLATED:
            port = own.rpartition(":")[2] if chance.random() < SAME_PORT else chance.randrange(80, 9000)
            return f"tcp://{TRANSLATED_TO}{chance.randrange(256)}.{chance.randrange(1, 255)}:{port}"
        return own.replace(ANYWHERE, bound.process.host.address)
