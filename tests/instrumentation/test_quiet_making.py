"""A socket that ``install`` wraps is made and set up as a bare one is: no other thread gets a turn by it, and nothing is late in the journal."""

import gc
import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import hopwatch
import pytest
import zmq
from journal_reader import Journal


@pytest.fixture(autouse=True)
def uninstalled() -> Iterator[None]:
    yield
    hopwatch.uninstall()


class Turns(threading.Thread):
    """Counts how often the interpreter was given up to it."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.count = 0
        self.over = False

    def run(self) -> None:
        while not self.over:
            self.count += 1
            os.sched_yield()


@pytest.fixture
def turns() -> Iterator[Turns]:
    """A thread that gets a turn only where one is given up to it: not by closing what other tests have left, when that is collected."""
    turns, interval = Turns(), sys.getswitchinterval()
    sys.setswitchinterval(1000)
    gc.collect()
    gc.disable()
    turns.start()
    yield turns
    gc.enable()
    turns.over = True
    sys.setswitchinterval(interval)
    turns.join()


def turns_taken(turns: Turns, make: Callable[[], zmq.Socket]) -> int:
    """In how many of 1500 calls another thread had a turn."""
    taken = 0
    for _ in range(1500):
        os.sched_yield()
        before = turns.count
        socket = make()
        taken += turns.count != before
        socket.close()
    return taken


@pytest.mark.skipif(not getattr(sys, "_is_gil_enabled", lambda: True)(), reason="there are no turns to take")
@pytest.mark.parametrize("kind", [zmq.ROUTER, zmq.SUB])
def test_no_other_thread_runs_while_a_socket_is_made_and_set_up(
    context: zmq.Context, journal: Journal, turns: Turns, until, kind: int
) -> None:
    def make() -> zmq.Socket:
        socket = context.socket(kind)
        socket.linger = 0
        socket.rcvhwm = 10
        if kind == zmq.SUB:
            socket.subscribe(b"topic")
        return socket

    bare = turns_taken(turns, make)
    hopwatch.install()
    context.socket(kind).bind("inproc://first")  # opens the journal
    assert bare == turns_taken(turns, make) == 0
    until(lambda: turns.count > 100)


def test_what_was_set_before_a_bind_is_journaled_with_it_in_order(
    context: zmq.Context, journal: Journal
) -> None:
    hopwatch.install()
    pull, sub = context.socket(zmq.PULL), context.socket(zmq.SUB)
    pull.rcvhwm = 10
    sub.subscribe(b"a")
    pull.bind_to_random_port("tcp://127.0.0.1")
    kinds = ["opened", "opened", "option", "subscribe", "monitor", "bind"]
    events = journal.events()
    assert [event["event"] for event in events] == kinds
    assert [event["n"] for event in events] == list(range(1, len(kinds) + 1))
    assert sorted(event["t"] for event in events) == [event["t"] for event in events]


def test_what_waits_to_be_journaled_is_bounded(context: zmq.Context, journal: Journal) -> None:
    hopwatch.install()
    pull = context.socket(zmq.PULL)
    for mark in range(1000):
        pull.rcvhwm = mark
    assert len(journal.events("option")) > 900


def test_a_killed_process_leaves_all_of_a_bound_socket(tmp_path: Path, journal: Journal) -> None:
    program = """
        import os, signal, hopwatch, zmq
        hopwatch.install()
        context = zmq.Context()
        pull = context.socket(zmq.PULL)
        pull.rcvhwm = 10
        pull.connect("tcp://127.0.0.1:9")
        os.kill(os.getpid(), signal.SIGKILL)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=False)
    kinds = [event["event"] for event in journal.events()]
    assert kinds[:3] == ["opened", "option", "monitor"]
    assert "connect" in kinds


@pytest.mark.extended("a race of libzmq's thread with ours, of which we must not lose many")
def test_a_message_sent_right_after_a_connect_finds_the_connection(
    context: zmq.Context, journal: Journal
) -> None:
    """A peer that refuses the handshake takes the connection away again, a moment later."""
    hopwatch.install()
    server = context.socket(zmq.ROUTER)
    public, secret = zmq.curve_keypair()
    server.curve_server, server.curve_secretkey, server.curve_publickey = True, secret, public
    port = server.bind_to_random_port("tcp://127.0.0.1")
    late = 0
    for _ in range(200):
        stranger = context.socket(zmq.DEALER)
        stranger.connect(f"tcp://127.0.0.1:{port}")
        try:
            stranger.send(b"at once", zmq.DONTWAIT)
        except zmq.Again:
            late += 1
        stranger.close(linger=0)
    assert late < 40


def test_a_context_ends_though_a_bind_has_failed(context: zmq.Context, journal: Journal) -> None:
    hopwatch.install()
    with zmq.Context() as other:
        taken, late = context.socket(zmq.PULL), other.socket(zmq.PULL)
        port = taken.bind_to_random_port("tcp://127.0.0.1")
        with pytest.raises(zmq.ZMQError, match="in use"):
            late.bind(f"tcp://127.0.0.1:{port}")
        late.close()
        ending = threading.Thread(target=other.term, daemon=True)
        ending.start()
        ending.join(10)
        assert not ending.is_alive()


@pytest.mark.parametrize("used", [False, True])
def test_a_socket_whose_address_was_taken_is_watched(
    context: zmq.Context, journal: Journal, used: bool
) -> None:
    hopwatch.install()
    pull = context.socket(zmq.PULL)
    if used:
        assert pull.underlying
    states = [event["state"] for event in journal.events("monitor")]
    assert states == (["attached"] if used else [])
