"""Where there are more connections than are read at once, each is still judged with what is known of its other end."""

import socket
import time
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest
from agent_process import eventually
from hopwatch_agent.kernel import connections
from hopwatch_agent.kernel.connections import Connections
from hopwatch_agent.kernel.records import TcpState
from hopwatch_agent.kernel.tcp_info import TcpReader
from hopwatch_agent.live.draft import Draft, Tables
from hopwatch_agent.live.state import ConnectionState, ProcessState, SocketState
from hopwatch_agent.sampling import Moment

PROCESS = "00000000000000c1"


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        near = socket.create_connection(server.getsockname())
        far, _ = server.accept()
        with near, far:
            yield near, far


def tables_of(*ends: socket.socket) -> Tables:
    tables = Tables()
    tables.processes[PROCESS] = ProcessState(PROCESS, "web-1")
    for number, end in enumerate(ends):
        identity = f"{number:016x}"
        tables.sockets[identity] = SocketState(
            identity, PROCESS, "s", "PUSH", None, probed=False, proxy=None, options={}, slot=None, opened_at=0
        )
        local, remote = (f"{host}:{port}" for host, port in (end.getsockname(), end.getpeername()))
        tables.connections[identity, "0"] = ConnectionState(
            identity,
            0,
            PROCESS,
            "tcp://x",
            local,
            remote,
            accepted=False,
            state="ready",
            since=time.time_ns(),
        )
    return tables


def test_the_other_end_is_known_though_it_is_not_its_turn(
    ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST_AT_ONCE", 1)
    tables = tables_of(*ends)
    ends[0].setblocking(False)
    with suppress(BlockingIOError):
        while True:
            ends[0].send(b"x" * 100_000)
    with closing(TcpReader()) as reader:
        followed = Connections(reader)

        def sender() -> TcpState | None:
            shown = followed.sample(tables, Draft(tables), Moment(time.time_ns(), time.monotonic()))
            return shown.get(("0" * 16, "0"))

        def unread() -> bool:
            state = sender()
            return state is not None and "lie unread at the other end" in str(state.limit.evidence)

        eventually(unread)
