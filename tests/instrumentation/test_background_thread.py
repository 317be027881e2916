"""The background thread sleeps nearly all the time, whatever there is for it to do. What it takes of a core: benchmarks/idle.py."""

import itertools
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

import hopwatch
import pytest
import zmq
from background_threads import background_threads
from hopwatch.monitors.thread import MonitorThread
from journal_reader import Journal

WAKE_UPS_A_SECOND = 10
"""Each of a hundred sockets that find nobody, or of ten proxies asked, would wake a thread without a pace more often than this."""


Count = Callable[[], int]
Until = Callable[[Callable[[], object]], None]


@pytest.fixture(
    params=[
        "own",
        pytest.param("kernel", marks=pytest.mark.extended("it counts waits for a busy interpreter as well")),
    ]
)
def wake_ups(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, until: Until) -> Count:
    """How often the background thread has woken so far, by the turns of its loop or by the kernel's count."""
    if request.param == "own":
        return turns_of_the_loop(monkeypatch)
    others = background_threads()

    def by_the_kernel() -> int:
        until(lambda: len(background_threads() - others) == 1)  # those of libzmq have no name until they run
        (thread,) = background_threads() - others
        status = Path(f"/proc/self/task/{thread}/status").read_text()
        return int(re.findall(r"^voluntary_ctxt_switches:\s+(\d+)", status, re.MULTILINE)[0])

    return by_the_kernel


def turns_of_the_loop(monkeypatch: pytest.MonkeyPatch) -> Count:
    """Of the threads that begin from now on: those of earlier tests go on."""
    run, turn = vars(MonitorThread)["_run"], vars(MonitorThread)["_turn"]
    taken: dict[MonitorThread, int] = {}

    def noted(monitors: MonitorThread) -> None:
        taken[monitors] = 0
        run(monitors)

    def counted(monitors: MonitorThread) -> None:
        if monitors in taken:
            taken[monitors] += 1
        turn(monitors)

    monkeypatch.setattr(MonitorThread, "_run", noted)
    monkeypatch.setattr(MonitorThread, "_turn", counted)
    return lambda: sum(taken.values())


@pytest.fixture
def wake_ups_a_second(wake_ups: Count) -> Callable[[Callable[[], object], float], float]:
    """Of the background thread while something is done again and again, 50 times a second: the least of ten spells, or the first that is low."""

    def measure(work: Callable[[], object], low: float) -> float:
        def spell(seconds: float) -> float:
            before, began = wake_ups(), time.monotonic()
            pause = threading.Event()
            while time.monotonic() - began < seconds:
                work()
                pause.wait(0.02)
            return (wake_ups() - before) / (time.monotonic() - began)

        spell(1.2)  # in which the pauses adapt
        rates = [spell(1.7)]
        while rates[-1] >= low and len(rates) < 10:
            rates.append(spell(1.7))
        return min(rates)

    return measure


@pytest.mark.parametrize("to_nobody", [False, True])
def test_a_hundred_sockets_hardly_wake_the_background_thread(
    context: zmq.Context, journal: Journal, until, wake_ups_a_second, to_nobody: bool
) -> None:
    sockets = [hopwatch.wrap(context.socket(zmq.PUSH)) for _ in range(100)]
    for socket in sockets:
        socket.connect("tcp://127.0.0.1:1" if to_nobody else f"inproc://{id(socket)}")
    until(lambda: not to_nobody or len(journal.events("retried")) >= 400)
    low = WAKE_UPS_A_SECOND if to_nobody else 1
    assert wake_ups_a_second(lambda: None, low) < low


def test_ten_proxies_that_pass_messages_hardly_wake_the_background_thread(
    journal: Journal, until, wake_ups_a_second
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
    wakes = wake_ups_a_second(pass_a_message_each, WAKE_UPS_A_SECOND)
    for _ in range(51):
        pass_a_message_each()
    for end in itertools.chain(*ends):
        end.close()
    context.term()
    for proxy in proxies:
        proxy.join(10)
    assert wakes < WAKE_UPS_A_SECOND
    assert all(event["frontend_counts"][0] > 0 for event in journal.events("proxy_ended"))


def run_proxy(front: zmq.Socket, back: zmq.Socket) -> None:
    with front, back, pytest.raises(zmq.ContextTerminated):
        hopwatch.proxy(front, back, name="relay")
