"""Connections with both their ends, as far as those are known: of all agents, since one agent knows its own sockets alone."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hopwatch_console.connection_records import Connection
from hopwatch_console.fleet.picture import AgentPicture, Picture

Place = tuple[str, str, str]
RECEIVE_ONLY = frozenset({"SUB", "XSUB", "PULL"})


@dataclass(frozen=True)
class Connected:
    """One connection, with its agent and the names of the sockets at its ends; of the other one empty where it is not known.

    ``sends``: whether it is this end whose messages wait on it, if any do.
    """

    agent: AgentPicture
    connection: Connection
    own: str
    other: str
    sends: bool = False


def connected(picture: Picture) -> list[Connected]:
    """Every connection that an agent tells of."""
    ends: dict[Place, list[str]] = defaultdict(list)
    for agent in picture.agents:
        for told in agent.connections:
            if told.local and told.remote and told.is_up:
                ends[_place(agent, told.local, told.remote)].append(told.socket_name)
    return [item for agent in picture.agents for item in _of_agent(agent, ends)]


def told_once(items: Iterable[Connected]) -> list[Connected]:
    """Of a connection whose two ends one agent tells of, the sender's, where messages wait on it; else the first that is told."""
    found: dict[object, Connected] = {}
    for item in items:
        key = _key(item)
        if key not in found or (item.sends and not found[key].sends):
            found[key] = item
    return list(found.values())


def _of_agent(agent: AgentPicture, ends: dict[Place, list[str]]) -> Iterator[Connected]:
    types = {socket.id: socket.type for socket in agent.sockets}
    for told in agent.connections:
        own, other = told.socket_name, _other_end(ends, agent, told)
        sends = _is_of_sender(told, types.get(told.socket))
        if own == other:
            # as all sockets of a program that ``hopwatch run`` wraps
            own, other = (
                _with_type(own, types.get(told.socket)),
                _with_type(other, types.get(told.peer or "")),
            )
        yield Connected(agent, told, own, other, sends)


def _with_type(name: str, kind: str | None) -> str:
    return name if kind is None else f"{name} ({kind})"


def _is_of_sender(told: Connection, kind: str | None) -> bool:
    places = () if told.waiting is None else told.waiting.places
    senders = {place.socket_name for place in places if place.place == "sender"}
    return told.socket_name in senders and kind not in RECEIVE_ONLY


def _place(agent: AgentPicture, local: str, remote: str) -> Place:
    """Loopback addresses are other ones on each host."""
    here = agent.address.url if local.startswith(("127.", "[::1]", "::1")) else ""
    return here, local, remote


def _other_end(ends: dict[Place, list[str]], agent: AgentPicture, told: Connection) -> str:
    """As its agent says; else that of another agent. Two ends of a TCP connection have the same addresses, mirrored: where several would fit, none is named."""
    if told.peer_name:
        return told.peer_name
    if not told.local or not told.remote:
        return ""
    found = ends.get(_place(agent, told.remote, told.local), [])
    return found[0] if len(found) == 1 else ""


def _key(item: Connected) -> object:
    told = item.connection
    if told.peer is None:
        return item.agent.address, told.socket, told.connection, told.endpoint
    ends = {(told.socket, told.local or told.endpoint), (told.peer, told.remote or told.endpoint)}
    return item.agent.address, frozenset(ends), told.is_up
