"""Findings about stamping sockets with a connection, on this host, to somebody whom nobody wrapped: told while there is time to mend it."""

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.state import ConnectionState, Finding, SocketState
from hopwatch_agent.live.updates import FINDINGS_KEPT
from hopwatch_agent.pace import Pace
from hopwatch_agent.sampling import Moment

RULE = "receiver_not_wrapped"
SECONDS = 1.0
SHARE = 0.001
KNOWN_WITHIN_NS = 5_000_000_000
"""Whoever is wrapped, and read by this agent, has told of its end of a connection by then."""
ONLY_RECEIVE = frozenset({"SUB", "XSUB", "PULL"})


class UnwrappedReaders:
    """Used by the thread that ticks. What is found is not landed: an analysis, which knows other agents' sockets too, finds it anew."""

    def __init__(self) -> None:
        self._pace = Pace(SECONDS, SHARE)

    def note(self, draft: Draft, moment: Moment) -> None:
        """Adds the finding to sockets that have such a connection, and takes it from those that have none any more, if it is time."""
        if not self._pace.is_due(moment):
            return
        with self._pace.kept(moment):
            strangers = _strangers(draft, moment.wall)
            for socket in list(draft.sockets.values()):
                told = [finding for finding in socket.findings if finding.rule == RULE]
                stranger = strangers.get(socket.socket) if socket.closed_at is None else None
                if stranger is not None and not told and len(socket.findings) < FINDINGS_KEPT:
                    draft.sockets.put(
                        socket.socket,
                        replace(socket, findings=(*socket.findings, _finding(socket, stranger))),
                    )
                elif told and stranger is None and socket.closed_at is None:
                    others = tuple(finding for finding in socket.findings if finding.rule != RULE)
                    draft.sockets.put(socket.socket, replace(socket, findings=others))


def _strangers(draft: Draft, now: int) -> dict[str, ConnectionState]:
    """By socket that stamps what it sends: a connection by TCP on this host whose other end no socket has told of. Who is read by way of
    somebody whom nobody wrapped, a proxy, is not among them.
    """
    up = [one for one in draft.connections.values() if one.is_up and one.local and one.remote]
    owners = {(one.local, one.remote): one.socket for one in up}
    found: dict[str, ConnectionState] = {}
    for one in up:
        if (one.remote, one.local) in owners or now - one.since < KNOWN_WITHIN_NS or not _on_one_host(one):
            continue
        socket = draft.sockets.get(one.socket)
        if socket is not None and socket.sequence == "stamp" and socket.type not in ONLY_RECEIVE:
            found.setdefault(one.socket, one)
    return {sender: found[sender] for sender in found.keys() - _read_from_afar(draft, owners, found.keys())}


def _read_from_afar(
    draft: Draft, owners: Mapping[tuple[str | None, str | None], str], senders: Collection[str]
) -> set[str]:
    """Those of the senders whose messages reach a socket that they have no connection to."""
    if not senders:
        return set()
    joined = {(socket, owners.get((remote, local))) for (local, remote), socket in owners.items()}
    lanes = ((lane.stream, lane.socket) for lane in draft.lanes.values() if lane.stream in senders)
    return {stream for stream, reader in lanes if reader != stream and (stream, reader) not in joined}


def _on_one_host(connection: ConnectionState) -> bool:
    local, remote = connection.local or "", connection.remote or ""
    return local.rpartition(":")[0] == remote.rpartition(":")[0]


def _finding(socket: SocketState, stranger: ConnectionState) -> Finding:
    return Finding(
        rule=RULE,
        text=(
            f"The messages of this {socket.type} are stamped, and no wrapped socket is known at the other end of its connection to {stranger.remote}, on this host: "
            "such a receiver gets the stamp as one more frame, and what it misses is not known."
        ),
        advice=(
            'Wrap the receiver too, have this agent read its journal, or take sequence="count", which changes nothing on the wire.'
        ),
    )
