"""Nothing grows with the number of messages, gaps, onsets or sockets."""

import itertools
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import hopwatch
import pytest
import zmq
from hopwatch.journal.events import SEGMENT_BYTES, SEGMENTS_KEPT
from hopwatch.monitors.addresses import Addresses, addresses_of
from hopwatch.monitors.watched import ASKED_FOR
from interpreters import frees_classes
from journal_reader import Journal

RESIDENT = """
    def resident():
        return int(open("/proc/self/statm").read().split()[1]) * 4096
"""

BOUND = (SEGMENTS_KEPT + 1) * SEGMENT_BYTES


def run(tmp_path: Path, body: str) -> list[int]:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(RESIDENT) + textwrap.dedent(body))
    ended = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=200, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return [int(word) for word in ended.stdout.split()]


def journal_bytes(journal: Journal) -> int:
    return sum(path.stat().st_size for path in journal.directory.glob("*.events"))


def test_a_flood_of_gaps_keeps_the_journal_within_its_bound_and_takes_no_memory(
    tmp_path: Path, journal: Journal
) -> None:
    """Every second number is missing, so that each message that arrives is a gap."""
    grown, lost = run(
        tmp_path,
        """
        import hopwatch, zmq
        from hopwatch import stamp
        from hopwatch.words import LOST
        context = zmq.Context()
        sender = context.socket(zmq.PAIR)
        receiver = hopwatch.wrap(context.socket(zmq.PAIR), name="receiver", sequence="stamp")
        sender.bind("inproc://pair")
        receiver.connect("inproc://pair")
        def flood(first, count):
            for number in range(first, first + 2 * count, 2):
                sender.send_multipart([b"x", stamp.encode(stamp.Stamp(0, 0, 0, 77, number, number, 1))])
                receiver.recv()
        flood(0, 60_000)
        before = resident()
        flood(120_000, 60_000)
        print(resident() - before, hopwatch.wrap(receiver)._hopwatch_words[LOST])
        context.destroy(linger=0)
        """,
    )
    assert lost == 119_999
    assert grown < 1_000_000
    assert journal_bytes(journal) <= BOUND
    assert len(list(journal.directory.glob("*.events"))) == SEGMENTS_KEPT
    assert journal.header() == {"events_lost": 0, "faults": 0}
    numbers = [event["n"] for event in journal.events()]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_a_flood_of_full_pipes_and_of_peers_that_are_not_there_takes_no_memory(
    tmp_path: Path, journal: Journal
) -> None:
    grown, onsets, unroutable = run(
        tmp_path,
        """
        import hopwatch, zmq
        from hopwatch.words import ONSETS, UNROUTABLE
        context = zmq.Context()
        router, dealer = context.socket(zmq.ROUTER), context.socket(zmq.DEALER)
        router.sndhwm = dealer.rcvhwm = 1
        hopwatch.wrap(router, sequence="stamp")
        router.bind("inproc://router")
        dealer.routing_id = b"full"
        dealer.connect("inproc://router")
        router.poll(0)
        def flood(count):
            for number in range(count):
                router.send_multipart([b"full", b"x"])
                router.send_multipart([b"gone-%d" % (number % 5000), b"x"])
        flood(20_000)
        before = resident()
        flood(20_000)
        print(resident() - before, router._hopwatch_words[ONSETS], router._hopwatch_words[UNROUTABLE])
        context.destroy(linger=0)
        """,
    )
    assert onsets >= 39_990
    assert unroutable == 40_000
    assert grown < 1_000_000
    assert journal_bytes(journal) <= BOUND


@frees_classes
@pytest.mark.parametrize("way", ["wrap", "install"])
def test_a_thousand_sockets_leave_no_file_thread_memory_or_slot(
    tmp_path: Path, journal: Journal, way: str
) -> None:
    """One thing kept of each would show: ``benchmarks/many_sockets.py`` has the figures of ten thousand."""
    files, blocks, in_all, threads, slots = run(
        tmp_path,
        """
        import gc, os, sys, threading, time
        import hopwatch, zmq
        context = zmq.Context()
        WAY == "install" and hopwatch.install(sequence="stamp")
        def make(kind):
            socket = context.socket(kind)
            return socket if WAY == "install" else hopwatch.wrap(socket, sequence="stamp")
        def use(count):
            for number in range(count // 2):
                push, pull = make(zmq.PUSH), make(zmq.PULL)
                push.connect(f"tcp://127.0.0.1:{pull.bind_to_random_port('tcp://127.0.0.1')}")
                push.send(b"x")
                pull.recv()
                push.close()
                pull.close()
        def held(files=None):
            seen, deadline = None, time.monotonic() + 10
            while time.monotonic() < deadline:  # libzmq closes its files a little after the socket
                seen, before = len(os.listdir("/proc/self/fd")), seen
                if seen == (files or before):
                    break
                time.sleep(0.1)
            gc.collect()
            return seen, sys.getallocatedblocks(), resident()
        use(200)
        files, blocks, memory = held()
        use(1000)
        now = held(files)
        print(now[0] - files, now[1] - blocks, now[2] - memory, threading.active_count())
        push = hopwatch.wrap(context.socket(zmq.PUSH), name="last")
        print(push._hopwatch.slot.place[0])
        push.close()
        context.term()
        """.replace("WAY", repr(way)),
    )
    assert (files, threads, slots) == (0, 2, 0)
    assert blocks < 500
    assert in_all < 10_000_000  # a bare process's heap grows by some megabytes, too, in jumps
    assert [path.suffix for path in sorted(journal.directory.iterdir())].count(".counters") == 1
    assert journal.sockets() == {}


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


def test_a_peer_that_is_not_there_is_told_ever_more_seldom(
    context: zmq.Context, journal: Journal, until
) -> None:
    push = context.socket(zmq.PUSH)
    push.reconnect_ivl = 1
    hopwatch.wrap(push, name="push")
    push.connect("tcp://127.0.0.1:1")
    until(lambda: len(journal.of("push", "retried")) >= 6)
    times = [event["t"] for event in journal.of("push", "retried")]
    assert times[-1] - times[-2] > times[1] - times[0]


def test_a_failed_bind_is_not_asked_to_be_told() -> None:
    assert int(zmq.Event.BIND_FAILED) not in ASKED_FOR


def test_a_descriptor_that_is_something_else_by_now_leaves_none_open() -> None:
    def held() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    reading, writing = os.pipe()
    before = held()
    assert addresses_of(reading, "tcp://127.0.0.1:5555", accepted=True) == Addresses(None, None)
    assert held() == before
    os.close(reading)
    os.close(writing)
    assert addresses_of(reading, "tcp://127.0.0.1:5555", accepted=True) == Addresses(None, None)
