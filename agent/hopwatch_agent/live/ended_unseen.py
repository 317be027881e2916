"""What ended while the agent was away: the end of a head lists the sockets and connections that are open.

A socket that ended so keeps the counters that were read last. No row calls them final.
"""

from msgspec.structs import replace

from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.left_behind import SHARING
from hopwatch_agent.live.rows import rows_of, socket_row
from hopwatch_agent.live.state import ConnectionState, ProcessState, SocketState
from hopwatch_agent.live.steps import Step, update
from hopwatch_agent.records import Disconnected, Standing

Entry = tuple[str, int]
"""A socket and the number of one of its connections; 0 stands for the socket itself."""


def end_unlisted(standing: Standing, process: ProcessState, draft: Draft) -> None:
    """Close the sockets, and cut the connections, that the line covers and does not list."""
    listed = {(socket, number) for socket, numbers in standing.sockets.items() for number in (0, *numbers)}
    after, until = standing.after or ("", 0), max(listed, default=("", 0))

    def is_over(entry: Entry) -> bool:
        return entry not in listed and entry > after and (standing.last or entry < until)

    own = [one for one in draft.sockets.values() if one.process == process.process and one.closed_at is None]
    for socket in own:
        if is_over((socket.socket, 0)):
            _close(socket, standing.t, process, draft)
        elif socket.type in SHARING:
            # peers that came and went meanwhile got messages too
            draft.sockets.put(socket.socket, replace(socket, shared_elsewhere=True))
    for one in [one for one in draft.connections.values() if one.process == process.process and one.is_up]:
        is_open = (state := draft.sockets.get(one.socket)) is not None and state.closed_at is None
        if is_open and one.connection is not None and is_over((one.socket, one.connection)):
            _cut(one, one.connection, standing.t, process, draft)


def _close(socket: SocketState, at: int, process: ProcessState, draft: Draft) -> None:
    draft.sockets.put(socket.socket, replace(socket, closed_at=at, final=True))
    draft.add(*socket_row("closed", socket), process, at)


def _cut(one: ConnectionState, number: int, at: int, process: ProcessState, draft: Draft) -> None:
    event = Disconnected(
        n=process.first,
        t=at,
        socket=one.socket,
        connection=number,
        endpoint=one.endpoint,
        local=one.local,
        remote=one.remote,
    )
    for kind, values in rows_of(event):
        draft.add(kind, {**values, "sent": None, "received": None}, process, at)
    update(event, Step(process, draft))
