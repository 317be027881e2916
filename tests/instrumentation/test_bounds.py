"""Nothing grows with the number of messages, gaps, onsets or sockets."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import hopwatch
import pytest
import zmq
from hopwatch.journal.events import SEGMENT_BYTES, SEGMENTS_KEPT
from hopwatch.monitors.addresses import Addresses, addresses_of
from hopwatch.monitors.watched import ASKED_FOR, EVENT, Watched
from interpreters import frees_classes
from journal_reader import Journal

RESIDENT = """
    def resident():
        return int(open("/proc/self/statm").read().split()[1]) * 4096
"""

BOUND = (SEGMENTS_KEPT + 1) * SEGMENT_BYTES
SMALL_SEGMENT_BYTES = 1 << 18
"""So small that 40,000 events fill more of them than are kept."""


def run(tmp_path: Path, body: str) -> list[int]:
    program = tmp_path / "program.py"
    constants = f"SMALL_SEGMENT_BYTES = {SMALL_SEGMENT_BYTES}\n"
    program.write_text(constants + textwrap.dedent(RESIDENT) + textwrap.dedent(body))
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
        from hopwatch.journal import events
        from hopwatch.words import LOST
        events.SEGMENT_BYTES = SMALL_SEGMENT_BYTES
        context = zmq.Context()
        sender = context.socket(zmq.PAIR)
        receiver = hopwatch.wrap(context.socket(zmq.PAIR), name="receiver", sequence="stamp")
        sender.bind("inproc://pair")
        receiver.connect("inproc://pair")
        def flood(first, count):
            for number in range(first, first + 2 * count, 2):
                sender.send(b"x" + stamp.encode(stamp.Stamp(0, 0, 0, 77, number, number, 1)))
                receiver.recv()
        flood(0, 20_000)
        before = resident()
        flood(40_000, 20_000)
        print(resident() - before, hopwatch.wrap(receiver)._hopwatch.slot.words[LOST])
        context.destroy(linger=0)
        """,
    )
    assert lost == 39_999
    assert grown < 500_000
    assert journal_bytes(journal) <= (SEGMENTS_KEPT + 1) * SMALL_SEGMENT_BYTES
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
        flood(8_000)
        before = resident()
        flood(8_000)
        print(resident() - before, router._hopwatch.slot.words[ONSETS], router._hopwatch.slot.words[UNROUTABLE])
        context.destroy(linger=0)
        """,
    )
    assert onsets >= 15_990
    assert unroutable == 16_000
    assert grown < 500_000
    assert journal_bytes(journal) <= BOUND


@frees_classes
@pytest.mark.parametrize("way", ["wrap", "install"])
def test_a_thousand_sockets_leave_no_file_thread_memory_or_slot(
    tmp_path: Path, journal: Journal, way: str
) -> None:
    """One thing kept of each would show: ``benchmarks/many_sockets.py`` has the figures of ten thousand."""
    files, blocks, grown, threads, slots = run(
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
                if seen == before if files is None else seen <= files:
                    break
                time.sleep(0.1)
            gc.collect()
            return seen, sys.getallocatedblocks(), resident()
        use(200)
        files, blocks, memory = held()
        threads = len(os.listdir("/proc/self/task"))
        grown = []
        for _ in range(4):
            use(250)
            now = held(files)
            grown.append((now[1] - blocks, now[2] - memory))
            _, blocks, memory = now
        print(now[0] - files, *map(min, zip(*grown)), len(os.listdir("/proc/self/task")) - threads)
        push = hopwatch.wrap(context.socket(zmq.PUSH), name="last")
        print(push._hopwatch.slot.place[0])
        push.close()
        context.term()
        """.replace("WAY", repr(way)),
    )
    assert (max(files, 0), threads, slots) == (
        0,
        0,
        0,
    )  # the first look may have come before libzmq had closed all
    # in each quarter: a bare process's heap grows in jumps, too
    assert blocks < 125
    assert grown < 2_500_000
    assert [path.suffix for path in sorted(journal.directory.iterdir())].count(".counters") == 1
    assert journal.sockets() == {}


def test_a_peer_that_is_not_there_is_told_ever_more_seldom(context: zmq.Context, journal: Journal) -> None:
    """At the first try, the second, the fourth, the eighth, and so on."""
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push")
    monitor, read = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
    monitor.bind("inproc://monitor")
    read.connect("inproc://monitor")
    watched = Watched(read, push._hopwatch)
    for tries in range(1, 1025):
        monitor.send_multipart([EVENT.pack(zmq.EVENT_CONNECT_RETRIED, 0), b"tcp://127.0.0.1:1"])
        assert watched.drain()
        if tries & (tries + 1) == 0:
            assert len(journal.of("push", "retried")) == tries.bit_length()


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
