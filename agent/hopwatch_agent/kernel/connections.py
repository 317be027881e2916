"""The kernel's view of the connections of hopwatch's sockets, second by second: what is shown of it, and what is landed."""

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec.structs import asdict

from hopwatch_agent.kernel.addresses import Ends, ends_of
from hopwatch_agent.kernel.limits import SHORTEST_SECONDS, confirmed, limit_of
from hopwatch_agent.kernel.records import Tcp, TcpState
from hopwatch_agent.kernel.tcp_info import TcpReader
from hopwatch_agent.live.draft import Draft, Tables
from hopwatch_agent.live.state import ConnectionKey, ConnectionState, Values
from hopwatch_agent.sampling import Moment

MOST_AT_ONCE = 1_000
"""Connections that are read a second; more take turns."""
LANDED_EVERY = 5.0
TELLING = frozenset({"receiver", "network"})


@dataclass
class _Followed:
    """A connection that was read: its newest reading, what limited it by that alone, and the one that was landed last."""

    process: str
    clock: float
    state: TcpState
    limited_by: str
    landed: TcpState | None = None
    landed_clock: float = 0.0


class Connections:
    """Follows the open connections. Used by one thread."""

    def __init__(self, reader: TcpReader) -> None:
        self._reader = reader
        self._followed: dict[ConnectionKey, _Followed] = {}
        self._ends: dict[tuple[str | None, str | None], Ends | None] = {}
        self._newest: Mapping[Ends, Tcp] = {}
        self._start_after: ConnectionKey = ("", "")

    def sample(self, tables: Tables, draft: Draft, moment: Moment) -> Mapping[ConnectionKey, TcpState]:
        """Reads them, and puts into the draft what is to land; raises ``KernelError``."""
        open_now = self._open_connections(tables)
        turn = self._in_turn(open_now)
        found = self._read([open_now[key][1] for key in turn], {ends for _, ends in open_now.values()})
        for key in turn:
            connection, ends = open_now[key]
            if ends in found:
                peer = self._newest.get(ends.seen_from_the_other)
                self._take(connection, found[ends], peer, moment)
            else:
                open_now.pop(key)
        for key in self._followed.keys() - open_now.keys():
            self._land(key, self._followed.pop(key), draft, moment)
        for key, followed in self._followed.items():
            if moment.forced or _is_worth_a_row(followed, moment.clock):
                self._land(key, followed, draft, moment)
        return {key: followed.state for key, followed in self._followed.items()}

    def _read(self, turn: list[Ends], all_open: set[Ends]) -> Mapping[Ends, Tcp]:
        """Those whose turn it is, and of their other ends those that never had one: an end must not pass for another host's."""
        others = {ends.seen_from_the_other for ends in turn} & all_open
        asked = {*turn, *(others - self._newest.keys())}
        found = self._reader.read(list(asked))
        kept = {ends: tcp for ends, tcp in self._newest.items() if ends in all_open and ends not in asked}
        self._newest = {**kept, **found}
        return found

    def _open_connections(self, tables: Tables) -> dict[ConnectionKey, tuple[ConnectionState, Ends]]:
        found = {}
        known, self._ends = self._ends, {}
        for key, connection in tables.connections.items():
            if not _is_open(connection, tables):
                continue
            addresses = (connection.local, connection.remote)
            ends = self._ends[addresses] = known[addresses] if addresses in known else ends_of(*addresses)
            if ends is not None:
                found[key] = connection, ends
        return found

    def _in_turn(self, open_now: Mapping[ConnectionKey, object]) -> list[ConnectionKey]:
        if len(open_now) <= MOST_AT_ONCE:
            return list(open_now)
        ordered = sorted(open_now)
        later = [key for key in ordered if key > self._start_after]
        turn = (later + ordered)[:MOST_AT_ONCE]
        self._start_after = turn[-1]
        return turn

    def _take(self, connection: ConnectionState, tcp: Tcp, peer: Tcp | None, moment: Moment) -> None:
        key = (connection.socket, str(connection.connection))
        followed = self._followed.get(key)
        if followed is None:
            # the counts began at 0 when the connection came up
            seconds = (moment.wall - connection.since) / 1e9
            found = limit_of(Tcp(), tcp, seconds, peer)
            state = TcpState(moment.wall, tcp, confirmed(found, None))
            self._followed[key] = _Followed(connection.process, moment.clock, state, found.by)
        elif moment.clock - followed.clock >= SHORTEST_SECONDS:
            found = limit_of(followed.state.tcp, tcp, moment.clock - followed.clock, peer)
            followed.state = TcpState(moment.wall, tcp, confirmed(found, followed.limited_by))
            followed.clock, followed.limited_by = moment.clock, found.by

    @staticmethod
    def _land(key: ConnectionKey, followed: _Followed, draft: Draft, moment: Moment) -> None:
        process = draft.processes.get(followed.process)
        if process is not None and followed.state != followed.landed:
            draft.add(*_row(key, followed.state), process, followed.state.at)
        followed.landed, followed.landed_clock = followed.state, moment.clock


def _is_open(connection: ConnectionState, tables: Tables) -> bool:
    process = tables.processes.get(connection.process)
    socket = tables.sockets.get(connection.socket)
    lives = process is not None and process.gone_at is None
    return lives and socket is not None and socket.closed_at is None and connection.is_up


def _is_worth_a_row(followed: _Followed, clock: float) -> bool:
    """Whether it was not landed lately, or another thing limits it now."""
    if followed.landed is None or clock - followed.landed_clock >= LANDED_EVERY:
        return followed.landed is None or followed.landed.tcp != followed.state.tcp
    by = followed.state.limit.by
    return by in TELLING and by != followed.landed.limit.by


def _row(key: ConnectionKey, state: TcpState) -> tuple[str, Values]:
    socket, number = key
    values: Values = {"socket": socket, "connection": int(number), "limited_by": state.limit.by}
    return "tcp", {**values, **asdict(state.tcp)}
