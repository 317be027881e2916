"""The lists that can be asked for: found among the states first, so that only what is asked for is made into answers."""

import hashlib
from collections.abc import Iterator

from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.answers import ConnectionView, EventView, LaneView, SocketFindingView, SocketView
from hopwatch_agent.live.asking import (
    ConnectionsAsked,
    FindingsAsked,
    Key,
    LanesAsked,
    Page,
    SocketsAsked,
)
from hopwatch_agent.live.board import Shown
from hopwatch_agent.live.condition import LOSING
from hopwatch_agent.live.ends import Ends
from hopwatch_agent.live.paging import page_of
from hopwatch_agent.live.partings import Partings
from hopwatch_agent.live.places import Places
from hopwatch_agent.live.rows import role_of
from hopwatch_agent.live.shaping import (
    condition_of,
    connection_view,
    counts_of,
    event_view,
    finding_view,
    has_ended,
    lane_view,
    socket_view,
)
from hopwatch_agent.live.state import ConnectionState, Finding, LaneState, Row, SocketState

_LOSSES = tuple(COUNTERS.index(name) for name in ("lost", "unroutable"))


def sockets(shown: Shown, asked: SocketsAsked) -> Page[SocketView]:
    """Sockets, the oldest first."""
    found = (
        ((socket.opened_at, socket.socket), socket)
        for socket in shown.tables.sockets.values()
        if _is_asked(socket, asked, shown)
    )
    chosen, after = page_of(found, asked.page)
    peers: dict[str, list[ConnectionState]] = {socket.socket: [] for socket in chosen}
    for connection in shown.tables.connections.values():
        if connection.socket in peers:
            peers[connection.socket].append(connection)
    return Page([socket_view(socket, peers[socket.socket], shown) for socket in chosen], after)


def _is_asked(socket: SocketState, asked: SocketsAsked, shown: Shown) -> bool:
    return (
        asked.type in (None, socket.type)
        and asked.name in (None, socket.name)
        and _is_where_asked(socket, asked, shown)
        and (asked.open is None or asked.open is not has_ended(socket, shown))
        and _does_as_asked(socket, asked, shown)
    )


def _is_where_asked(socket: SocketState, asked: SocketsAsked, shown: Shown) -> bool:
    if asked.host is None and asked.pid is None:
        return True
    process = shown.tables.processes.get(socket.process)
    if process is None:
        return False
    return asked.host in (None, process.host) and asked.pid in (None, process.pid)


def _does_as_asked(socket: SocketState, asked: SocketsAsked, shown: Shown) -> bool:
    if asked.state is None and asked.losing is None and asked.lost is None:
        return True
    state = condition_of(socket, shown).state
    return (
        asked.state in (None, state)
        and (asked.losing is None or asked.losing is (state == LOSING))
        and (asked.lost is None or asked.lost is _has_lost(socket, shown))
    )


def _has_lost(socket: SocketState, shown: Shown) -> bool:
    counts = counts_of(socket, shown)
    return shown.left_behind.get(socket.socket, 0) > 0 or any(counts[place] for place in _LOSSES)


def findings(shown: Shown, asked: FindingsAsked) -> Page[SocketFindingView]:
    """What was found of the sockets that are shown, the oldest socket first."""
    chosen, after = page_of(_findings(shown, asked), asked.page)
    return Page([finding_view(finding, socket, shown) for socket, finding in chosen], after)


def _findings(shown: Shown, asked: FindingsAsked) -> Iterator[tuple[Key, tuple[SocketState, Finding]]]:
    for socket in shown.tables.sockets.values():
        if asked.socket in (None, socket.socket):
            # more are added behind them, none goes before its socket does
            for number, finding in enumerate(socket.findings):
                if asked.rule in (None, finding.rule):
                    yield (socket.opened_at, socket.socket, number), (socket, finding)


def connections(shown: Shown, asked: ConnectionsAsked) -> Page[ConnectionView]:
    """The connections of sockets in use, with the last ones that went down; those of one socket together."""
    chosen, after = page_of(_connections(shown, asked), asked.page)
    ends = Ends(shown.tables)
    partings, places = Partings(shown.tables, ends), Places(shown, ends)
    views = []
    for socket, connection in chosen:
        peer = ends.peer_of(connection)
        told = partings.ended(connection), places.waiting(connection, socket, peer)
        views.append(connection_view(connection, socket, peer, told, shown))
    return Page(views, after)


def _connections(
    shown: Shown, asked: ConnectionsAsked
) -> Iterator[tuple[Key, tuple[SocketState, ConnectionState]]]:
    for connection in shown.tables.connections.values():
        if asked.socket in (None, connection.socket) and asked.state in (None, connection.state):
            socket = shown.tables.sockets.get(connection.socket)
            if socket is not None and not has_ended(socket, shown):
                yield _place_of(connection), (socket, connection)


def _place_of(connection: ConnectionState) -> Key:
    if connection.connection is not None:
        return connection.socket, connection.connection, ""
    # an endpoint that was never reached has no number
    return connection.socket, 0, hashlib.blake2b(connection.endpoint.encode(), digest_size=8).hexdigest()


def lanes(shown: Shown, asked: LanesAsked) -> Page[LaneView]:
    """Lanes at each of their ends; those of one socket together."""
    found = ((key, lane) for key, lane in shown.tables.lanes.items() if _is_asked_lane(lane, asked))
    chosen, after = page_of(found, asked.page)
    return Page([lane_view(lane, shown) for lane in chosen], after)


def _is_asked_lane(lane: LaneState, asked: LanesAsked) -> bool:
    return (
        asked.socket in (None, lane.socket)
        and asked.stream in (None, lane.stream)
        and (asked.role is None or asked.role == role_of(lane.socket, lane.stream))
    )


def events(
    shown: Shown, after: int, limit: int, kind: str | None, socket: str | None, *, newest: bool
) -> Page[EventView]:
    """The next events after a number, or the newest ones after it; oldest first."""
    found: list[tuple[int, Row]] = []
    for number, row in reversed(shown.events):
        if number <= after:
            break
        if kind in (None, row.kind) and socket in (None, row.values.get("socket")):
            found.append((number, row))
        if newest and len(found) == limit:
            break
    chosen = found[-limit:]
    last: Key | None = (chosen[0][0],) if len(found) > limit else None
    return Page([event_view(number, row) for number, row in reversed(chosen)], last)
