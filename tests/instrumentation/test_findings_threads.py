"""Findings of sockets that threads share: shown true over bare sockets, and told by a wrapped one, once."""

import threading
from collections.abc import Callable

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
