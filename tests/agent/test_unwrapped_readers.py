"""A bare receiver of stamped messages on this host is told of while it is connected, since it gets stamps as frames."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
import zmq
from agent_process import eventually
from hopwatch_agent import unwrapped_readers
from programs import Program

RULE = "receiver_not_wrapped"
ANYWHERE = "tcp://127.0.0.1:*"
Starts = Callable[..., Program]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is given the time that a journal may take."""
    monkeypatch.setattr(unwrapped_readers, "KNOWN_WITHIN_NS", 0)


def told(bench: Any) -> set[str]:
    """Names of the sockets that have the finding."""
    bench.tick()
    return {one.socket_name for one in bench.view.findings() if one.rule == RULE}


def connected(bench: Any) -> set[str]:
    """Names of the sockets that have a connection."""
    bench.tick()
    return {one.socket_name for one in bench.view.connections() if one.state == "ready"}


def ready(bench: Any) -> int:
    """How many connections the publisher has."""
    bench.tick()
    return sum(one.state == "ready" for one in bench.view.connections() if one.socket_name == "source")


def test_it_is_told_for_as_long_as_a_bare_reader_is_connected(bench: Any, start: Starts) -> None:
    source = start("source", ANYWHERE)
    [endpoint] = source.expect("ready")
    bare = start("reader", endpoint, "--bare")
    bare.expect("ready")
    eventually(lambda: told(bench) == {"source"})
    (finding,) = (one for one in bench.view.findings() if one.rule == RULE)
    assert "gets the stamp as one more frame" in finding.text
    bare.ask("close", event="closed")
    eventually(lambda: told(bench) == set())
    assert [row["rule"] for row in bench.rows("finding")].count(RULE) == 0


def test_it_is_not_told_of_a_wrapped_reader(bench: Any, start: Starts) -> None:
    source = start("source", ANYWHERE)
    [endpoint] = source.expect("ready")
    reader = start("reader", endpoint)
    reader.expect("ready")
    eventually(lambda: connected(bench) == {"source", "reader"})
    assert told(bench) == set()


def test_it_is_not_told_of_a_bare_proxy_whose_readers_are_wrapped(bench: Any, start: Starts) -> None:
    source = start("source", ANYWHERE)
    [endpoint] = source.expect("ready")
    context = zmq.Context()
    front, back = context.socket(zmq.XSUB), context.socket(zmq.XPUB)
    front.connect(endpoint)
    port = back.bind_to_random_port("tcp://127.0.0.1")

    def pass_on() -> None:
        with pytest.raises(zmq.ContextTerminated):
            zmq.proxy(front, back)
        for socket in (front, back):
            socket.close(linger=0)

    passing = threading.Thread(target=pass_on)
    passing.start()
    try:
        reader = start("reader", f"tcp://127.0.0.1:{port}")
        reader.expect("ready")
        eventually(lambda: ready(bench) == 1 and told(bench) == set())
    finally:
        context.term()
        passing.join(20)
