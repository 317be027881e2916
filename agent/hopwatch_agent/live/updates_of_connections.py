"""Events of connections to changes of the current state."""

from msgspec.structs import replace

from hopwatch_agent import records
from hopwatch_agent.live.limits import kept, kept_or_none
from hopwatch_agent.live.state import CONNECTION_COUNTS, ConnectionKey, ConnectionState, SocketState
from hopwatch_agent.live.steps import Step, update

DROPPED_KEPT = 8
AWAITING_KEPT = 100
REACHED_KEPT = 100
CALLED_KEPT = 100


def unreached(socket: str, endpoint: str) -> ConnectionKey:
    """What an endpoint is kept by as long as no connection to it is up."""
    return socket, f"endpoint {kept(endpoint)}"


@update.register
def _(event: records.Connected, step: Step) -> None:
    socket = step.draft.sockets.get(event.socket)
    endpoint = kept(event.endpoint)
    again = socket is not None and not event.accepted and endpoint in socket.reached
    _put_connection(event, "connected", step, again=again)
    step.draft.connections.drop(unreached(event.socket, event.endpoint))
    if socket is not None:
        awaiting = (*socket.awaiting, event.connection)[-AWAITING_KEPT:]
        called = socket.called if event.accepted else (*socket.called, event.connection)[-CALLED_KEPT:]
        socket = _counted(replace(socket, awaiting=awaiting, called=called), "connected")
        if again:
            socket = _counted(socket, "reconnected")
        elif not event.accepted and len(socket.reached) < REACHED_KEPT:
            socket = replace(socket, reached=(*socket.reached, endpoint))
        step.draft.sockets.put(event.socket, socket)


def _counted(socket: SocketState, what: str) -> SocketState:
    place = CONNECTION_COUNTS.index(what)
    counts = list(socket.connections)
    counts[place] += 1
    return replace(socket, connections=tuple(counts))


@update.register
def _(event: records.Disconnected, step: Step) -> None:
    _put_connection(event, "disconnected", step)
    socket = step.draft.sockets.get(event.socket)
    if socket is not None:
        step.draft.sockets.put(
            event.socket, _counted(_without(socket, event.connection, step), "disconnected")
        )


def let_go(event: records.Disconnect, step: Step) -> None:
    """The connections that its own application lets go of: no monitor tells of that."""
    socket = step.draft.sockets.get(event.socket)
    if socket is not None and not socket.has_let_go:
        socket = replace(socket, has_let_go=True)
        step.draft.sockets.put(event.socket, socket)
    for number in socket.called if socket is not None else ():
        key = (event.socket, str(number))
        connection = step.draft.connections.get(key)
        if socket is not None and connection is not None and connection.endpoint == kept(event.endpoint):
            let_go = replace(connection, state="disconnected", since=event.t, let_go_at=event.t)
            step.draft.connections.put(key, let_go)
            socket = _without(socket, number, step)
            step.draft.sockets.put(event.socket, socket)


def _without(socket: SocketState, number: int, step: Step) -> SocketState:
    """The socket, one of whose connections went down."""
    if number in socket.dropped:
        return socket
    dropped = (*socket.dropped, number)
    for forgotten in dropped[:-DROPPED_KEPT]:
        step.draft.connections.drop((socket.socket, str(forgotten)))
    return replace(
        socket,
        dropped=dropped[-DROPPED_KEPT:],
        awaiting=tuple(other for other in socket.awaiting if other != number),
        called=tuple(other for other in socket.called if other != number),
    )


def _put_connection(event: records.ConnectionEvent, state: str, step: Step, *, again: bool = False) -> None:
    key = (event.socket, str(event.connection))
    before = step.draft.connections.get(key)
    connection = ConnectionState(
        socket=event.socket,
        connection=event.connection,
        process=step.process.process,
        endpoint=kept(event.endpoint),
        local=kept_or_none(records.as_ipv4(event.local)),
        remote=kept_or_none(records.as_ipv4(event.remote)),
        # an end does not say again who had called
        accepted=event.accepted or (before is not None and before.accepted),
        state=state,
        since=event.t,
        again=again,
        let_go_at=before.let_go_at if before is not None and state == "disconnected" else None,
    )
    _put(key, connection, step)


def _put(key: ConnectionKey, connection: ConnectionState, step: Step) -> None:
    if not step.draft.connections.put(key, connection):
        step.draft.left_out["connections"] += 1


@update.register
def _(event: records.Handshake, step: Step) -> None:
    socket = step.draft.sockets.get(event.socket)
    for number in socket.awaiting if socket is not None else ():
        # monitors tell handshakes by endpoint alone; they come in the order of the connections
        connection = step.draft.connections.get((event.socket, str(number)))
        if socket is not None and connection is not None and connection.endpoint == kept(event.endpoint):
            ready = replace(connection, state="ready", since=event.t)
            step.draft.connections.put((event.socket, str(number)), ready)
            awaiting = tuple(other for other in socket.awaiting if other != number)
            step.draft.sockets.put(event.socket, replace(socket, awaiting=awaiting))
            return


@update.register(records.Retried)
@update.register(records.HandshakeFailed)
def _(event: records.Retried | records.HandshakeFailed, step: Step) -> None:
    refused = isinstance(event, records.HandshakeFailed)
    connection = ConnectionState(
        socket=event.socket,
        connection=None,
        process=step.process.process,
        endpoint=kept(event.endpoint),
        local=None,
        remote=None,
        accepted=False,
        state="refused" if refused else "retrying",
        since=event.t,
        reason=kept(str(event.reason)) if isinstance(event, records.HandshakeFailed) else None,
    )
    _put(unreached(event.socket, event.endpoint), connection, step)
    socket = step.draft.sockets.get(event.socket)
    if refused and socket is not None:
        step.draft.sockets.put(event.socket, _counted(socket, "handshakes_failed"))
