"""Sockets that choose a peer by whom a message is for: ROUTER by its routing id, REP by who asked."""

from collections import defaultdict
from dataclasses import dataclass

from hopwatch_simulate.edges import Edge
from hopwatch_simulate.messages import Message
from hopwatch_simulate.pipes import Pipe
from hopwatch_simulate.senders import Outlet
from hopwatch_simulate.sockets import Socket


@dataclass
class Run:
    """Messages that were swallowed one after the other for one routing id: told of so many, and those since."""

    told: int = 0
    first: Message | None = None
    waiting: int = 0


class RouterOutlet(Outlet):
    """A ROUTER: a lane for each routing id, and nothing but silence where nobody has it."""

    def __init__(self, socket: Socket) -> None:
        super().__init__(socket)
        self.peers: dict[str, bytes] = {}
        """Routing ids of the sockets that are connected, by these."""
        self._routes: dict[bytes, tuple[Pipe, Edge]] = {}
        self._runs: defaultdict[bytes, Run] = defaultdict(Run)
        socket.on_close = self._tell_rest

    def add(self, pipe: Pipe, edge: Edge) -> None:
        super().add(pipe, edge)
        self._routes[edge.identity] = (pipe, edge)
        self.peers[edge.receiver.id] = edge.identity
        self.passage.found(edge)

    def drop(self, pipe: Pipe) -> None:
        super().drop(pipe)
        self._routes = {known: route for known, route in self._routes.items() if route[0] is not pipe}

    def send(self, message: Message) -> bool:
        """To the peer of the routing id that is its topic: whether there is one with room or not, the message is taken."""
        self.passage.passed.append((self.world.now, message))
        route = self._routes.get(message.topic)
        if route is None:
            self._swallow(message)
            return True
        self._tell(self._runs.pop(message.topic, None))
        pipe, edge = route
        if pipe.has_room():
            pipe.write(message)
            edge.taken.add(message)
            return True
        if pipe.refusing:
            self.socket.counters["onsets"] += 1
        else:
            self.tell_onset(message)
        pipe.refuse(message)
        edge.lost[message] = edge.full
        return True

    def _swallow(self, message: Message) -> None:
        """Told in events that double: the first message of a run, and then as many as were told of before."""
        self.passage.swallow(message)
        self.socket.counters["unroutable"] += 1
        run = self._runs[message.topic]
        run.first = run.first or message
        run.waiting += 1
        if run.waiting >= run.told:
            self._tell(run)

    def _tell(self, run: Run | None) -> None:
        if run is None or run.first is None:
            return
        first = run.first
        lane = {"lane": first.lane, "lane_number": first.lane_number} if self.socket.stamps else {}
        about = {"messages": run.waiting, "reason": "unknown_peer", "peer": first.topic.hex()}
        self.socket.event("unroutable", number=first.number, **lane, **about)
        run.told, run.first, run.waiting = run.told + run.waiting, None, 0

    def _tell_rest(self) -> None:
        for run in self._runs.values():
            self._tell(run)


class ReplyOutlet(Outlet):
    """A REP: it answers whoever asked last, and if that one is gone meanwhile, nobody."""

    def __init__(self, socket: Socket) -> None:
        super().__init__(socket)
        self.asked_by = ""

    def send(self, message: Message) -> bool:
        self.passage.passed.append((self.world.now, message))
        for pipe, edge in self.pipes:
            if edge.receiver.id == self.asked_by:
                pipe.write(message)
                edge.taken.add(message)
                return True
        for edge in self.passage.edges:
            if edge.receiver.id == self.asked_by:
                edge.lost[message] = "receiver_died" if edge.receiver.ended == "died" else "closed"
        return True
