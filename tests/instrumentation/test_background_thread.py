"""The background thread takes next to nothing, whatever there is for it to do."""

import itertools
import threading
import time
from collections.abc import Callable
from pathlib import Path

import hopwatch
import pytest
import zmq
from journal_reader import Journal

BOUND_OF_THE_THREAD = 0.005
"""Of a core: CPU time as the scheduler has it, which a busy machine lengthens by cold caches alone."""


def cpu_seconds(thread: threading.Thread) -> float:
    return int(Path(f"/proc/self/task/{thread.native_id}/schedstat").read_text().split()[0]) / 1e9


@pytest.fixture
def share_of_a_core() -> Callable[[Callable[[], object]], float]:
    """What the background thread takes while something is done again and again, 50 times a second: the least of three spells."""
    others = set(threading.enumerate())

    def measure(work: Callable[[], object]) -> float:
        (thread,) = (each for each in set(threading.enumerate()) - others if each.name == "hopwatch-monitors")

        def spell(seconds: float) -> float:
            before, began = cpu_seconds(thread), time.monotonic()
            pause = threading.Event()
            while time.monotonic() - began < seconds:
                work()
                pause.wait(0.02)
            return (cpu_seconds(thread) - before) / (time.monotonic() - began)

        spell(1.2)  # in which the pauses adapt
        for _ in range(3):
            share = spell(1.7)
            if share < BOUND_OF_THE_THREAD:
                break
        return share

    return measure


@pytest.mark.parametrize("to_nobody", [False, True])
def test_a_hundred_sockets_cost_the_background_thread_next_to_nothing(
    context: zmq.Context, journal: Journal, until, share_of_a_core, to_nobody: bool
) -> None:
    sockets = [hopwatch.wrap(context.socket(zmq.PUSH)) for _ in range(100)]
    for socket in sockets:
        socket.connect("tcp://127.0.0.1:1" if to_nobody else f"inproc://{id(socket)}")
    until(lambda: not to_nobody or len(journal.events("retried")) >= 400)
    assert share_of_a_core(lambda: None) < (BOUND_OF_THE_THREAD if to_nobody else 0.002)


def test_ten_proxies_that_pass_messages_cost_the_background_thread_next_to_nothing(
    journal: Journal, until, share_of_a_core
) -> None:
    context = zmq.Context()
    context.linger = 0
    proxies, ends = [], []
    for number in range(10):
        front, back = context.socket(zmq.PULL), context.socket(zmq.PUSH)
        push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
        for bound, connected, name in ((front, push, "front"), (back, pull, "back")):
            bound.bind(f"inproc://{name}-{number}")
            connected.connect(f"inproc://{name}-{number}")
        proxies.append(threading.Thread(target=run_proxy, args=(front, back)))
        ends.append((push, pull))
    for proxy in proxies:
        proxy.start()

    def pass_a_message_each() -> None:
        for push, pull in ends:
            push.send(b"x")
            pull.recv()

    until(lambda: len(journal.events("proxy")) == 10)
    share = share_of_a_core(pass_a_message_each)
    for end in itertools.chain(*ends):
        end.close()
    context.term()
    for proxy in proxies:
        proxy.join(10)
    assert share < BOUND_OF_THE_THREAD
    assert all(event["frontend_counts"][0] > 50 for event in journal.events("proxy_ended"))


def run_proxy(front: zmq.Socket, back: zmq.Socket) -> None:
    with front, back, pytest.raises(zmq.ContextTerminated):
        hopwatch.proxy(front, back, name="relay")
