"""Findings of sockets that threads share: shown true over bare sockets, and told by a wrapped one, once."""

import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

import hopwatch
import pytest
import zmq
from journal_reader import Journal
from set_up_sockets import bind, rules


def test_frames_of_two_threads_mix(context: zmq.Context) -> None:
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    push.connect(bind(pull))
    push.send(b"mine", zmq.SNDMORE)
    other = threading.Thread(target=push.send_multipart, args=([b"theirs", b"theirs too"],))
    other.start()
    other.join()
    push.send(b"mine too")
    assert pull.recv_multipart() == [b"mine", b"theirs", b"theirs too"]
    assert pull.recv_multipart() == [b"mine too"]


def in_turns(first: Callable[[], None], second: Callable[[], None], alive: bool) -> None:
    """One call here, one in another thread, one here again; the other thread is alive still, or has ended."""
    done, leave = threading.Event(), threading.Event()

    def call() -> None:
        second()
        done.set()
        if alive:
            leave.wait(10)

    thread = threading.Thread(target=call)
    first()
    thread.start()
    done.wait(10)
    if not alive:
        thread.join()
    first()
    leave.set()
    thread.join()


SHARED = """
import os, sys, threading
import zmq
context = zmq.Context()
push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
push.sndhwm = pull.rcvhwm = 0
push.connect(f"tcp://127.0.0.1:{pull.bind_to_random_port('tcp://127.0.0.1')}")
sys.setswitchinterval(1e-6)
def send():
    for _ in range(200_000):
        push.send(b"x" * 100)
threads = [threading.Thread(target=send) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
os._exit(0)
"""


def crashes_sending_at_once() -> bool:
    """Not if it hangs, as it also may."""
    with suppress(subprocess.TimeoutExpired):
        command = [sys.executable, "-c", SHARED]
        return subprocess.run(command, capture_output=True, timeout=20, check=False).returncode < 0
    return False


@pytest.mark.extended("libzmq crashes by chance, in some of twenty tries")
@pytest.mark.timeout(500)
def test_threads_that_send_at_once_without_a_lock_crash_libzmq() -> None:
    assert any(crashes_sending_at_once() for _ in range(20))


def send_in_turns(
    context: zmq.Context, alive: bool, sequence: str | None, kind: int = zmq.PUSH
) -> zmq.Socket:
    socket = hopwatch.wrap(context.socket(kind), sequence=sequence)
    bind(socket)
    pull = context.socket(zmq.PULL if kind == zmq.PUSH else zmq.SUB)
    pull.connect(socket.last_endpoint.decode())
    for _ in range(2):
        in_turns(lambda: socket.send(b"x"), lambda: socket.send(b"x"), alive)
    return socket


@pytest.mark.parametrize("alive", [True, False])
@pytest.mark.parametrize("sequence", [None, "stamp"])
@pytest.mark.parametrize("kind", [zmq.PUSH, zmq.PUB])
def test_threads_that_only_send_are_found_among_the_first_calls(
    context: zmq.Context, journal: Journal, alive: bool, sequence: str | None, kind: int
) -> None:
    assert rules(send_in_turns(context, alive, sequence, kind)) == (["two_threads"] if alive else [])


def test_threads_that_only_receive_are_found_among_the_first_calls(
    context: zmq.Context, journal: Journal
) -> None:
    push, pull = context.socket(zmq.PUSH), hopwatch.wrap(context.socket(zmq.PULL))
    push.connect(bind(pull))
    for _ in range(3):
        push.send(b"x")
    in_turns(pull.recv, pull.recv, True)
    assert rules(pull) == ["two_threads"]


@pytest.mark.parametrize("first_calls", [0, 1, 7])
@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_as_many_first_calls_are_looked_at_as_was_asked_for(
    context: zmq.Context,
    journal: Journal,
    link,
    monkeypatch: pytest.MonkeyPatch,
    first_calls: int,
    sequence: str | None,
) -> None:
    monkeypatch.setenv("HOPWATCH_FIRST_CALLS", str(first_calls))
    push = hopwatch.wrap(context.socket(zmq.PUSH), sequence=sequence)
    pull = hopwatch.wrap(context.socket(zmq.PULL), sequence=sequence)
    link(push, pull)
    send, recv = push.send, pull.recv
    for number in range(max(1, first_calls)):
        assert push._hopwatch.first_calls.sends == max(1, first_calls) - number
        send(b"x")
        recv()
    assert (push._hopwatch.first_calls.sends, pull._hopwatch.first_calls.receives) == (0, 0)
    in_turns(lambda: send(b"x"), lambda: send(b"x"), True)
    assert rules(push) == []


@pytest.mark.parametrize("alive", [True, False])
def test_threads_that_take_turns_are_found_and_a_socket_handed_over_is_not(
    context: zmq.Context, journal: Journal, alive: bool
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH))
    in_turns(lambda: bind(push), lambda: bind(push), alive)
    assert rules(push) == (["two_threads"] if alive else [])


def test_a_socket_made_here_and_used_there_is_fine(context: zmq.Context, journal: Journal) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH))
    worker = threading.Thread(target=lambda: [bind(push), push.setsockopt(zmq.LINGER, 7), push.close()])
    worker.start()
    worker.join()
    assert rules(push) == []
