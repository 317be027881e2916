"""Who is at the other end of a connection, and why one went down: of real sockets and processes."""

import signal
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from agent_process import eventually
from journal_writer import JournalWriter
from programs import Program

Starts = Callable[..., Program]


def parted(bench: Any, of: str = "source") -> Any:
    """The connection of a socket that went down, once it is known why."""
    found: list[Any] = []

    def is_told() -> bool:
        bench.tick()
        found[:] = [
            connection
            for connection in bench.view.connections()
            if connection.socket_name == of and connection.ended is not None
        ]
        return bool(found) and found[0].ended.how != "unknown"

    eventually(is_told)
    (connection,) = found
    return connection


def told(bench: Any) -> set[Any]:
    bench.tick()
    return {
        (one.socket_name, one.peer_name, one.host, one.state, one.ended) for one in bench.view.connections()
    }


def closed(reader: Program) -> None:
    reader.ask("close", event="closed")


def exited(reader: Program) -> None:
    reader.tell("exit")
    reader.wait()


def let_go(reader: Program) -> None:
    reader.ask("disconnect", event="disconnected")


@pytest.mark.parametrize("transport", ["tcp", "ipc"])
@pytest.mark.parametrize(
    ("ends", "how"),
    [(closed, "closed"), (exited, "exited"), (Program.sigkill, "died"), (let_go, "let_go")],
)
def test_who_went_and_why_is_told_at_the_other_end(
    bench: Any, start: Starts, tmp_path: Path, transport: str, ends: Callable[[Program], None], how: str
) -> None:
    place = "tcp://127.0.0.1:*" if transport == "tcp" else f"ipc://{tmp_path}/pipe"
    source = start("source", place)
    [endpoint] = source.expect("ready")
    reader = start("reader", endpoint)
    reader.expect("ready")
    both = {
        ("source", "reader", "web-1", "ready", None),
        ("reader", "source", "web-1", "ready", None),
    }
    eventually(lambda: told(bench) == both)
    ends(reader)
    connection = parted(bench)
    assert (connection.state, connection.peer_name, connection.ended.how) == ("disconnected", "reader", how)
    assert "reader" in connection.ended.text


def ends_at(bench: Any, of: str) -> list[tuple[str, str | None]]:
    """State, and why it went, of each connection of a socket, the oldest first."""
    bench.tick()
    of_socket = [one for one in bench.view.connections() if one.socket_name == of]
    found = [one for one in of_socket if one.connection is not None]  # not what it calls in vain
    return [(one.state, one.ended and one.ended.how) for one in found]


def test_who_called_by_a_name_lets_go_by_it(bench: Any, start: Starts) -> None:
    source = start("source", "tcp://127.0.0.1:*")
    [endpoint] = source.expect("ready")
    reader = start("reader", endpoint.replace("127.0.0.1", "localhost"))
    reader.expect("ready")
    eventually(lambda: ends_at(bench, "reader") == [("ready", None)])
    let_go(reader)
    eventually(lambda: ends_at(bench, "reader") == [("disconnected", "let_go")])


@pytest.mark.parametrize("transport", ["tcp", "ipc"])
def test_who_let_go_sees_it_at_once_and_what_ends_after_it_came_back_has_a_reason_of_its_own(
    bench: Any, start: Starts, tmp_path: Path, transport: str
) -> None:
    place = "tcp://127.0.0.1:*" if transport == "tcp" else f"ipc://{tmp_path}/pipe"
    source = start("source", place)
    [endpoint] = source.expect("ready")
    reader = start("reader", endpoint)
    reader.expect("ready")
    let_go(reader)
    eventually(lambda: ends_at(bench, "reader") == [("disconnected", "let_go")])
    reader.ask("connect", event="connected")
    eventually(lambda: ends_at(bench, "reader") == [("disconnected", "let_go"), ("ready", None)])
    eventually(lambda: ends_at(bench, "source")[-1] == ("ready", None))
    source.reap()
    # of two connections by one path it is not known which is whose
    why = "died" if transport == "tcp" else "unknown"
    eventually(lambda: ends_at(bench, "reader") == [("disconnected", "let_go"), ("disconnected", why)])


OURS, THEIRS = "00000000000000a1", "00000000000000b2"
PLACE, PORT = "127.0.0.1:5555", "127.0.0.1:40001"
SECOND = 10**9


@dataclass
class Pair:
    """Journals of a PUB and a SUB that were connected some minutes ago."""

    pub: JournalWriter
    sub: JournalWriter
    began: int

    def event(self, writer: JournalWriter, name: str, seconds: float, **fields: Any) -> None:
        socket = OURS if writer is self.pub else THEIRS
        writer.event(name, t=self.began + int(seconds * SECOND), socket=socket, **fields)

    def connection(self, what: str, seconds: float) -> None:
        about = {"connection": 1, "endpoint": f"tcp://{PLACE}", "sent": 0, "received": 0}
        self.event(self.pub, what, seconds, local=PLACE, remote=PORT, accepted=True, **about)
        self.event(self.sub, what, seconds, local=PORT, remote=PLACE, accepted=False, **about)


@pytest.fixture
def pair(bench: Any) -> Pair:
    pub, sub = bench.writer(), bench.writer()
    pub.opened(OURS, name="quotes")
    sub.opened(THEIRS, kind="SUB", name="screen")
    made = Pair(pub, sub, time.time_ns() - 600 * SECOND)
    made.connection("connected", 0)
    return made


def why(bench: Any) -> Any:
    bench.tick()
    (connection,) = (one for one in bench.view.connections() if one.socket_name == "screen")
    return connection.ended.how


def test_what_was_cut_long_before_its_peer_was_closed_was_not_closed_by_it(
    bench: Any, pair: Pair, alive: Callable[..., AbstractContextManager[None]]
) -> None:
    with alive(pair.pub), alive(pair.sub):
        pair.connection("disconnected", 1)
        assert why(bench) == "cut"
        pair.event(pair.pub, "closed", 590, counters={})
        assert why(bench) == "cut"


def test_what_was_cut_long_before_its_peer_was_found_dead_did_not_die_with_it(
    bench: Any, pair: Pair, alive: Callable[..., AbstractContextManager[None]]
) -> None:
    with alive(pair.sub):
        with alive(pair.pub):
            pair.connection("disconnected", 1)
            assert why(bench) == "cut"
        assert why(bench) == "unknown"


def test_why_it_was_let_go_is_known_however_much_happens_afterwards(
    bench: Any, pair: Pair, alive: Callable[..., AbstractContextManager[None]]
) -> None:
    with alive(pair.pub), alive(pair.sub):
        pair.event(pair.sub, "disconnect", 1, endpoint=f"tcp://{PLACE}")
        pair.connection("disconnected", 1.1)
        for number in range(10_001):
            pair.event(pair.pub, "onset", 2, number=number, lane=0, lane_number=number)
        assert why(bench) == "let_go"
        (at_pub,) = (one for one in bench.view.connections() if one.socket_name == "quotes")
        assert at_pub.ended.how == "let_go"


def test_a_connection_that_was_cut_between_two_who_are_there_is_told_so(bench: Any, start: Starts) -> None:
    source = start("source", "tcp://127.0.0.1:*", "--maxmsgsize", "100")
    [endpoint] = source.expect("ready")
    reader = start("reader", endpoint)
    reader.expect("ready")
    # whose ends they are can be asked while it is up only
    eventually(lambda: ends_at(bench, "source") == ends_at(bench, "reader") == [("ready", None)])
    reader.ask("send-too-much", event="sent")
    connection = parted(bench)
    assert (connection.peer_name, connection.ended.how) == ("reader", "cut")
    assert "source hangs up on messages larger than 100 bytes" in connection.ended.text


def test_of_who_was_never_watched_nothing_is_claimed(bench: Any, start: Starts) -> None:
    source = start("source", "tcp://127.0.0.1:*")
    [endpoint] = source.expect("ready")
    reader = start("reader", endpoint, "--bare")
    reader.expect("ready")
    eventually(lambda: ends_at(bench, "source") == [("ready", None)])
    reader.interrupt(signal.SIGKILL)

    def is_down() -> bool:
        bench.tick()
        return [one.state for one in bench.view.connections()] == ["disconnected"]

    eventually(is_down)
    (connection,) = bench.view.connections()
    assert (connection.peer_name, connection.ended.how) == (None, "unknown")
