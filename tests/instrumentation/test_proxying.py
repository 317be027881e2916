"""``hopwatch.proxy`` is ``zmq.proxy`` with the counts of what passes it."""

import gc
import os
import re
import select
import signal
import statistics
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
from hopwatch import proxying
from hopwatch.proxy_counts import ProxyCounts
from journal_reader import Journal


class RunningProxy:
    """A proxy in a thread; its ends are bound over loopback TCP."""

    def __init__(self, kinds: tuple[int, int], run: Callable[..., None], capture: bool = False) -> None:
        self.context = zmq.Context()
        self.context.linger = 0
        self.error: zmq.ZMQError | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(kinds, run, capture))
        self._thread.start()
        self._ready.wait()
        assert self._thread.native_id is not None
        self.thread_id = self._thread.native_id

    def _run(self, kinds: tuple[int, int], run: Callable[..., None], capture: bool) -> None:
        with self.context.socket(kinds[0]) as front, self.context.socket(kinds[1]) as back:
            self.ports = [socket.bind_to_random_port("tcp://127.0.0.1") for socket in (front, back)]
            taker = self.context.socket(zmq.PUSH) if capture else None
            if taker is not None:
                taker.bind("inproc://capture")
            self._ready.set()
            try:
                run(front, back, taker)
            except zmq.ZMQError as error:
                self.error = error
            if taker is not None:
                taker.close()

    def end(self) -> zmq.ZMQError | None:
        """End the context as an application does; what the proxy raised."""
        self.context.term()
        self._thread.join()
        return self.error


@pytest.fixture
def connect(context: zmq.Context):
    def make(kind: int, port: int) -> zmq.Socket:
        socket = context.socket(kind)
        socket.rcvtimeo = 10_000
        socket.connect(f"tcp://127.0.0.1:{port}")
        return socket

    return make


def run_named(front: zmq.Socket, back: zmq.Socket, capture: zmq.Socket | None) -> None:
    hopwatch.proxy(front, back, capture, name="relay")


def test_requests_and_replies_pass_and_their_frames_are_counted(connect, journal: Journal, until) -> None:
    proxy = RunningProxy((zmq.ROUTER, zmq.DEALER), run_named)
    req, rep = connect(zmq.REQ, proxy.ports[0]), connect(zmq.REP, proxy.ports[1])
    for number in range(10):
        req.send_multipart([b"question", b"%d" % number])
        assert rep.recv_multipart() == [b"question", b"%d" % number]
        rep.send(b"answer")
        assert req.recv() == b"answer"

    # routing id, empty delimiter and two frames one way; routing id, delimiter and one frame back
    def are_counted() -> bool:
        front, back = journal.socket("relay.in"), journal.socket("relay.out")
        frames = [front["proxied_in_frames"], front["proxied_out_frames"]]
        frames += [back["proxied_out_frames"], back["proxied_in_frames"]]
        return frames == [40, 30, 40, 30] and front["proxied_in_bytes"] == back["proxied_out_bytes"]

    until(are_counted)
    (event,) = journal.events("proxy")
    assert (event["name"], event["frontend_type"], event["backend_type"]) == ("relay", "ROUTER", "DEALER")
    assert event["frontend"] == journal.of("relay.in", "opened")[0]["socket"]
    assert isinstance(proxy.end(), zmq.ContextTerminated)


def test_a_proxy_ends_with_its_context_as_zmqs_does(journal: Journal) -> None:
    ends = [RunningProxy((zmq.PULL, zmq.PUSH), run).end() for run in (zmq.proxy, run_named)]
    assert [(type(error), error.errno) for error in ends if error] == [(zmq.ContextTerminated, zmq.ETERM)] * 2
    assert journal.events("fault") == []


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_stamps_and_subscriptions_pass_unchanged(
    connect, journal: Journal, until, sequence: str | None
) -> None:
    proxy = RunningProxy((zmq.XSUB, zmq.XPUB), run_named)
    pub = hopwatch.wrap(connect(zmq.PUB, proxy.ports[0]), name="pub", sequence=sequence)
    sub = hopwatch.wrap(connect(zmq.SUB, proxy.ports[1]), name="sub", sequence=sequence)
    sub.subscribe(b"a")
    until(lambda: [pub.send_multipart([b"a", b"hello"]), sub.poll(10)][1])
    for number in range(100):
        pub.send_multipart([b"a", b"%d" % number])
        pub.send_multipart([b"b", b"%d" % number])
    received = []
    while received[-1:] != [[b"a", b"99"]]:
        received.append(sub.recv_multipart())
    assert [frames for frames in received if frames[1] != b"hello"] == [[b"a", b"%d" % n] for n in range(100)]
    assert journal.socket("sub")["gaps"] == 0
    proxy.end()


def test_the_capture_socket_gets_what_passes(connect, journal: Journal) -> None:
    proxy = RunningProxy((zmq.PULL, zmq.PUSH), run_named, capture=True)
    listener = proxy.context.socket(zmq.PULL)
    listener.connect("inproc://capture")
    push, pull = connect(zmq.PUSH, proxy.ports[0]), connect(zmq.PULL, proxy.ports[1])
    push.send(b"seen")
    assert (pull.recv(), listener.recv()) == (b"seen", b"seen")
    listener.close()
    proxy.end()


def test_sockets_that_were_wrapped_before_keep_their_names(context: zmq.Context, journal: Journal) -> None:
    def run(front: zmq.Socket, back: zmq.Socket, capture: zmq.Socket | None) -> None:
        hopwatch.proxy(hopwatch.wrap(front, name="mine"), back, capture, name="relay")

    RunningProxy((zmq.XSUB, zmq.XPUB), run).end()
    assert [event["name"] for event in journal.events("opened")] == ["mine", "relay.out"]
    assert len(journal.of("relay.out", "probing_stopped")) == 1


def test_disabled_it_is_zmqs_own(connect, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPWATCH_DISABLED", "1")
    proxy = RunningProxy((zmq.PULL, zmq.PUSH), run_named)
    push, pull = connect(zmq.PUSH, proxy.ports[0]), connect(zmq.PULL, proxy.ports[1])
    push.send(b"x")
    assert pull.recv() == b"x"
    assert isinstance(proxy.end(), zmq.ContextTerminated)
    assert not journal.directory.exists()


def test_a_proxy_that_has_ended_leaves_no_descriptor_and_no_warning(journal: Journal, until) -> None:
    def descriptors() -> int:
        gc.collect()
        return len(list(Path("/proc/self/fd").iterdir()))

    RunningProxy((zmq.PULL, zmq.PUSH), run_named).end()
    before = descriptors()
    for _ in range(3):
        RunningProxy((zmq.PULL, zmq.PUSH), run_named).end()
    until(lambda: descriptors() <= before)


def test_counts_follow_the_messages_while_messages_pass(connect, journal: Journal, until) -> None:
    proxy = RunningProxy((zmq.PULL, zmq.PUSH), run_named)
    push, pull = connect(zmq.PUSH, proxy.ports[0]), connect(zmq.PULL, proxy.ports[1])
    for number in range(1, 4):
        push.send(b"x")
        pull.recv()
        until(lambda number=number: journal.socket("relay.in")["proxied_in_frames"] == number)
    proxy.end()


@pytest.mark.extended("a busy machine counts later than within a second")
def test_counts_follow_within_a_second_mostly(connect, journal: Journal, until) -> None:
    """Every fifth of a second, or up to 0.8 s where that would cost more of a core than it may (test_pace.py)."""
    proxy = RunningProxy((zmq.PULL, zmq.PUSH), run_named)
    push, pull = connect(zmq.PUSH, proxy.ports[0]), connect(zmq.PULL, proxy.ports[1])
    took = []
    for number in range(1, 11):
        began = time.monotonic()
        push.send(b"x")
        pull.recv()
        until(lambda number=number: journal.socket("relay.in")["proxied_in_frames"] == number)
        took.append(time.monotonic() - began)
    proxy.end()
    assert statistics.median(took) < 1


def test_counts_say_as_of_when_they_hold_also_while_nothing_passes(connect, journal: Journal, until) -> None:
    proxy = RunningProxy((zmq.PULL, zmq.PUSH), run_named)
    push, pull = connect(zmq.PUSH, proxy.ports[0]), connect(zmq.PULL, proxy.ports[1])
    push.send(b"x")
    pull.recv()
    for _ in range(3):
        received_at = time.time_ns()
        until(lambda at=received_at: journal.socket("relay.in")["proxied_at"] > at)
        until(lambda at=received_at: journal.socket("relay.out")["proxied_at"] > at)
        assert journal.socket("relay.in")["proxied_in_frames"] == 1
    assert journal.socket("relay.in")["proxied_at"] < time.time_ns()
    proxy.end()


def test_a_proxy_through_which_nothing_passes_is_left_asleep_and_its_counts_are_those_of_now(
    connect, journal: Journal, until
) -> None:
    """So that a signal to a process that does nothing is seen at once, as by a bare proxy."""
    proxy = RunningProxy((zmq.PULL, zmq.PUSH), run_named)
    push, pull = connect(zmq.PUSH, proxy.ports[0]), connect(zmq.PULL, proxy.ports[1])
    push.send(b"x")
    pull.recv()
    until(lambda: journal.socket("relay.in")["proxied_in_frames"] == 1)

    def sleeps_through_two_seconds() -> bool:
        before, as_of = times_slept(os.getpid(), proxy.thread_id), journal.socket("relay.in")["proxied_at"]
        until(lambda: journal.socket("relay.in")["proxied_at"] > as_of + 2e9)
        return times_slept(os.getpid(), proxy.thread_id) == before

    # on a busy machine it may take some spells until a sleep of the proxy's thread covers one
    assert any(sleeps_through_two_seconds() for _ in range(20))
    assert journal.socket("relay.in")["proxied_in_frames"] == 1
    push.send(b"y")
    pull.recv()
    until(lambda: journal.socket("relay.in")["proxied_in_frames"] == 2)
    proxy.end()


def test_a_proxy_that_ends_leaves_its_last_counts(connect, journal: Journal, until) -> None:
    proxy = RunningProxy((zmq.PULL, zmq.PUSH), run_named)
    push, pull = connect(zmq.PUSH, proxy.ports[0]), connect(zmq.PULL, proxy.ports[1])
    push.send_multipart([b"a", b"bc"])
    pull.recv_multipart()
    until(lambda: journal.socket("relay.out")["proxied_out_frames"] == 2)
    proxy.end()
    (started,), (ended,) = journal.events("proxy"), journal.events("proxy_ended")
    for key in ("proxy", "name", "frontend", "backend", "frontend_type", "backend_type"):
        assert ended[key] == started[key]
    assert (ended["frontend_counts"], ended["backend_counts"]) == ([2, 3, 0, 0], [0, 0, 2, 3])
    assert ended["counted_at"] == journal.socket("relay.in")["proxied_at"]
    assert started["t"] < ended["counted_at"] < ended["t"]


@pytest.mark.parametrize("tells_frames", [True, False])
def test_a_proxy_that_cannot_be_counted_is_found_and_passes_messages_as_ever(
    connect, journal: Journal, monkeypatch: pytest.MonkeyPatch, tells_frames: bool
) -> None:
    """With an older libzmq, or this one taken for an older."""
    if not tells_frames:
        monkeypatch.setattr(proxying, "COUNTS_FRAMES_FROM", (99, 0, 0))
    elif zmq.zmq_version_info() < proxying.COUNTS_FRAMES_FROM:
        pytest.skip("this libzmq is such an old one")
    proxy = RunningProxy((zmq.PULL, zmq.PUSH), run_named)
    push, pull = connect(zmq.PUSH, proxy.ports[0]), connect(zmq.PULL, proxy.ports[1])
    push.send(b"x")
    assert pull.recv() == b"x"
    proxy.end()
    findings = [event for event in journal.events("finding") if event["rule"] == "proxy_not_counted"]
    sides = [journal.of(name, "opened")[0]["socket"] for name in ("relay.in", "relay.out")]
    assert [event["socket"] for event in findings] == ([] if tells_frames else sides)
    assert all(zmq.zmq_version() in event["text"] for event in findings)
    assert len(journal.events("proxy")) == tells_frames


def test_a_question_to_a_proxy_that_has_just_ended_holds_nobody_up(
    context: zmq.Context, journal: Journal
) -> None:
    sides = [hopwatch.wrap(context.socket(kind))._hopwatch for kind in (zmq.PULL, zmq.PUSH)]
    counts = ProxyCounts(*sides)
    counts.control.close()
    asking = threading.Thread(target=counts.run, daemon=True)
    asking.start()
    asking.join(5)
    assert not asking.is_alive()
    assert counts.end() == {"frontend_counts": [0] * 4, "backend_counts": [0] * 4, "counted_at": None}
    assert counts.run() is None


def test_sockets_that_take_the_places_of_a_proxys_sockets_get_none_of_its_counts(
    connect, context: zmq.Context, journal: Journal, until
) -> None:
    of_others = counts_alive()
    for number in range(5):
        proxy = RunningProxy((zmq.PULL, zmq.PUSH), run_named)
        push, pull = connect(zmq.PUSH, proxy.ports[0]), connect(zmq.PULL, proxy.ports[1])
        push.send(b"x")
        pull.recv()
        proxy.end()
        later = hopwatch.wrap(context.socket(zmq.PUSH), name=f"later-{number}")
        asked = [each for each in counts_alive() if each not in of_others]
        until(lambda counts=asked: all(each.socket.closed for each in counts))
        later.close()
        assert journal.socket(f"later-{number}")["proxied_in_frames"] == 0


def counts_alive() -> list[ProxyCounts]:
    return [each for each in gc.get_objects() if type(each) is ProxyCounts]


def times_slept(pid: int, thread_id: int) -> int:
    status = Path(f"/proc/{pid}/task/{thread_id}/status").read_text()
    return int(re.findall(r"\nvoluntary_ctxt_switches:\t(\d+)", status)[0])


def passed(journal: Journal) -> tuple[int, int]:
    """Frames that came in, and that went out, at the relay's two sides."""
    front, back = journal.socket("relay.in"), journal.socket("relay.out")
    return front["proxied_in_frames"], back["proxied_out_frames"]


def is_waiting(pid: int) -> bool:
    """Whether a process has been asleep for 50 ms on end."""
    switches = set()
    for _ in range(2):
        status = Path(f"/proc/{pid}/task/{pid}/status").read_text()
        switches.add((re.findall("State:.(.)", status)[0], *re.findall("ctxt_switches:.(.*)", status)))
        time.sleep(0.05)
    return len(switches) == 1 and switches.pop()[0] == "S"


@pytest.mark.parametrize("call", ["zmq.proxy(front, back)", "hopwatch.proxy(front, back, name='relay')"])
def test_an_interrupt_leaves_the_proxy_as_it_leaves_zmqs(
    tmp_path: Path, journal: Journal, connect, until, call: str
) -> None:
    program = tmp_path / "proxy.py"
    program.write_text(
        textwrap.dedent(f"""
        import signal, zmq, hopwatch
        signal.signal(signal.SIGINT, signal.default_int_handler)
        context = zmq.Context()
        context.linger = 0
        with context, context.socket(zmq.PULL) as front, context.socket(zmq.PUSH) as back:
            ports = [socket.bind_to_random_port("tcp://127.0.0.1") for socket in (front, back)]
            print(*ports, flush=True)
            try:
                {call}
            except KeyboardInterrupt:
                front.poll(0)
                print("interrupted", flush=True)
        """)
    )
    command = [sys.executable, str(program)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ports = [int(port) for port in process.stdout.readline().split()]
        push, pull = connect(zmq.PUSH, ports[0]), connect(zmq.PULL, ports[1])
        push.send(b"x")
        assert pull.recv() == b"x"
        until(lambda: is_waiting(process.pid))  # a signal between two waits would be seen with the next one
        said = select.poll()
        said.register(process.stdout, select.POLLIN)
        for _ in range(5):
            process.send_signal(signal.SIGINT)
            if said.poll(5000):
                break
        try:
            output, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (output, errors, process.returncode) == ("interrupted\n", "", 0)


def test_a_signal_that_begins_the_counts_anew_takes_none_away_and_is_told(
    tmp_path: Path, journal: Journal, connect, until
) -> None:
    """After the handler pyzmq calls zmq_proxy_steerable once more, whose counts begin at 0."""
    program = tmp_path / "proxy.py"
    program.write_text(
        textwrap.dedent("""
        import signal, zmq, hopwatch
        signal.signal(signal.SIGUSR1, lambda *_: print("handled", flush=True))
        context = zmq.Context()
        front, back = context.socket(zmq.PULL), context.socket(zmq.PUSH)
        print(*(socket.bind_to_random_port("tcp://127.0.0.1") for socket in (front, back)), flush=True)
        hopwatch.proxy(front, back, name="relay")
        """)
    )
    command = [sys.executable, str(program)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ports = [int(port) for port in process.stdout.readline().split()]
        push, pull = connect(zmq.PUSH, ports[0]), connect(zmq.PULL, ports[1])
        try:
            for number in range(1, 8):
                if number in {4, 6}:
                    until(
                        lambda: is_waiting(process.pid)
                    )  # a signal between two waits would be seen with the next one
                    process.send_signal(signal.SIGUSR1)
                    assert process.stdout.readline() == "handled\n"
                push.send(b"x")
                pull.recv()
                until(lambda number=number: passed(journal) == (number, number))
        finally:
            process.kill()
    sides = [journal.of(name, "opened")[0]["socket"] for name in ("relay.in", "relay.out")]
    assert [event["socket"] for event in journal.events("fault")] == sides
