"""Where what waits on a connection may be sitting: in the sender's pipe, in the kernel's buffers, in the receiver's pipe.

A pipe holds what its mark lets in, and what libzmq has in hand beside it. What the kernel holds it tells in bytes.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from hopwatch_agent.backlog.shown import Backlog, BacklogShown, summed
from hopwatch_agent.kernel.records import TcpState
from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.answers import PlaceOfMessages, WaitingView
from hopwatch_agent.live.board import Counts, Shown
from hopwatch_agent.live.ends import Ends
from hopwatch_agent.live.rows import role_of
from hopwatch_agent.live.state import ConnectionState, SocketState

IN_HAND = 8192
"""Bytes that libzmq reads or writes at once, and one message."""
HEAD, STAMP = 2, 50
"""Bytes on the wire, at least: beside a frame of a message, and of a stamp with its own."""
NEW_NS = 3_000_000_000
STALE_MARK = "mark_set_after_bind"
_SENT, _SENT_BYTES = COUNTERS.index("sent"), COUNTERS.index("sent_bytes")
_RECEIVED, _RECEIVED_BYTES = COUNTERS.index("received"), COUNTERS.index("received_bytes")


@dataclass(frozen=True)
class _Way:
    """The sender and the receiver that a connection joins, and what the kernel knows of each end."""

    sender: SocketState
    receiver: SocketState
    sends: TcpState | None
    receives: TcpState | None


class Places:
    """Of one moment."""

    def __init__(self, shown: Shown, ends: Ends) -> None:
        self._shown = shown
        self._ends = ends
        self._between = _between(shown.backlog)
        self._connections = Counter(
            connection.socket for connection in shown.tables.connections.values() if connection.is_up
        )

    def waiting(
        self, connection: ConnectionState, socket: SocketState, peer: SocketState | None
    ) -> WaitingView | None:
        """Of a connection that is up, between two sockets of this agent; None where what waits on it is not known."""
        if peer is None or not connection.is_up:
            return None
        for sender, receiver in ((socket, peer), (peer, socket)):
            found = self._backlog(sender, receiver)
            if found is not None:
                own, other = self._tcp(connection), self._tcp_of_peer(connection, peer)
                tcp = (own, other) if sender is socket else (other, own)
                way = _Way(sender, receiver, *tcp)
                return WaitingView(found.at_least, found.at_most, self._places(way, found.at_most))
        return None

    def _backlog(self, sender: SocketState, receiver: SocketState) -> Backlog | None:
        told = self._between.get((sender.socket, receiver.socket))
        if told is not None or receiver.proxy is not None:
            return told
        if sender.proxy is None:
            return self._shown.backlog.sent.get(sender.socket) if self._has_one(sender) else None
        return self._shown.backlog.received.get(receiver.socket) if self._has_one(receiver) else None

    def _has_one(self, socket: SocketState) -> bool:
        return self._connections[socket.socket] == 1

    def _places(self, way: _Way, at_most: int) -> list[PlaceOfMessages]:
        size = self._size_on_the_wire(way)
        sender = _in_pipe("sender", way.sender, "sndhwm", at_most, size)
        if way.sends is not None and way.sends.tcp.send_queue == 0 and _is_new(way.sends):
            # whatever finds room in the kernel's buffer is handed over to it at once
            sender = PlaceOfMessages("sender", way.sender.name, sender.mark, 0, None)
        receiver = _in_pipe("receiver", way.receiver, "rcvhwm", at_most, size)
        return [sender, *_in_kernel(way, at_most, size), receiver]

    def _size_on_the_wire(self, way: _Way) -> float | None:
        """Bytes of a message, on average and at least; None where nothing was counted."""
        stamp = STAMP if way.receiver.sequence == "stamp" else 0
        for socket, count, size in (
            (way.sender, _SENT, _SENT_BYTES),
            (way.receiver, _RECEIVED, _RECEIVED_BYTES),
        ):
            counts: Counts = self._shown.counters.get(socket.socket, socket.counters)
            if counts[count]:
                return counts[size] / counts[count] + HEAD + stamp
        return None

    def _tcp(self, connection: ConnectionState) -> TcpState | None:
        return self._shown.kernel.tcp.get((connection.socket, str(connection.connection)))

    def _tcp_of_peer(self, connection: ConnectionState, peer: SocketState) -> TcpState | None:
        others = (other for other in self._ends.other_ends(connection) if other.socket == peer.socket)
        return next((self._tcp(other) for other in others if other.local is not None), None)


def _is_new(state: TcpState) -> bool:
    """Of very many connections the kernel is asked in turns, and what it said some seconds ago is of other messages."""
    return time.time_ns() - state.at <= NEW_NS


def _between(backlog: BacklogShown) -> Mapping[tuple[str, str], Backlog]:
    """What each sender has on its way to each receiver."""
    found: defaultdict[tuple[str, str], list[Backlog]] = defaultdict(list)
    for (socket, stream, _), lane in backlog.lanes.items():
        if role_of(socket, stream) == "receive":
            found[stream, socket].append(lane)
    return {ends: summed(lanes) for ends, lanes in found.items()}


def _in_pipe(
    place: str, socket: SocketState, option: str, at_most: int, size: float | None
) -> PlaceOfMessages:
    stale = any(finding.rule == STALE_MARK for finding in socket.findings)
    mark = None if stale else socket.options.get(option)
    room = at_most
    if mark and size:
        room = min(at_most, mark + int(IN_HAND / size) + 1)
    return PlaceOfMessages(place, socket.name, mark, room, None)


def _in_kernel(way: _Way, at_most: int, size: float | None) -> list[PlaceOfMessages]:
    """Nothing where the kernel tells of neither end, as over ipc."""
    if way.sends is None or way.receives is None:
        return []
    held = way.sends.tcp.send_queue + way.receives.tcp.receive_queue
    room = at_most if size is None else min(at_most, round(held / size))
    return [PlaceOfMessages("kernel", None, None, room, held)]
