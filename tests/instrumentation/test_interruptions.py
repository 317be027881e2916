"""Messages stay whole when a peer goes away, or a signal handler raises, in the middle of one."""

import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import hopwatch
import pytest
import zmq
from journal_reader import Journal

SECONDS = 1.5
ALARMS = 40
FEW_ALARMS = 10


class AlarmError(Exception):
    """What the application's signal handler raises."""


@pytest.fixture
def alarms() -> Iterator[None]:
    """A signal handler that raises, whenever a test arms its timer."""

    def ring(*_: object) -> None:
        raise AlarmError

    before = signal.signal(signal.SIGVTALRM, ring)
    yield
    signal.signal(signal.SIGVTALRM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


def shapes_received(pull: zmq.Socket) -> Counter[tuple[bytes, ...]]:
    shapes: Counter[tuple[bytes, ...]] = Counter()
    while pull.poll(200):
        # also raised at a stamp alone, sent again because it was not known whether it had been
        with suppress(zmq.Again):
            while True:
                shapes[tuple(pull.recv_multipart(zmq.DONTWAIT))] += 1
    return shapes


PROXY = """
import signal, sys, zmq

signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
context = zmq.Context()
frontend, backend = context.socket(zmq.PULL), context.socket(zmq.PUSH)
for socket in (frontend, backend):
    socket.bind("tcp://127.0.0.1:*")
    print(socket.last_endpoint.decode(), flush=True)
try:
    zmq.proxy(frontend, backend)
finally:
    context.destroy(linger=0)
"""


@pytest.mark.extended("libzmq misses a signal by chance, in some of many tries")
def test_a_bare_proxy_at_work_takes_no_notice_of_some_signals_and_ends_by_a_later_one(
    context: zmq.Context,
) -> None:
    """Handlers run when a wait of the proxy is interrupted: one that is not waiting goes on as if there had been no signal."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if signals_until_the_proxy_ends(context) > 1:
            return
    raise AssertionError("each proxy ended by its first signal")


def signals_until_the_proxy_ends(context: zmq.Context) -> int:
    with subprocess.Popen([sys.executable, "-c", PROXY], stdout=subprocess.PIPE, text=True) as proxy:
        assert proxy.stdout is not None
        push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
        for socket in (push, pull):
            socket.connect(proxy.stdout.readline().strip())
        over = threading.Event()

        def keep_busy() -> None:
            while not over.is_set():
                with suppress(zmq.Again):
                    push.send(b"x", zmq.DONTWAIT)
                with suppress(zmq.Again):
                    pull.recv(zmq.DONTWAIT)

        push.send(b"x")
        assert pull.poll(20_000)
        busy = threading.Thread(target=keep_busy)
        busy.start()
        try:
            for signals in range(1, 100):
                proxy.send_signal(signal.SIGTERM)
                with suppress(subprocess.TimeoutExpired):
                    proxy.wait(1.0)
                    return signals
        finally:
            over.set()
            busy.join()
            proxy.kill()
    raise AssertionError("the proxy never ended")


@pytest.mark.parametrize("sequence", [None, "stamp"])
@pytest.mark.parametrize("message", [[b"a"], [b"a", b"b"]])
def test_receivers_that_come_and_go_see_no_stamp_and_raise_nothing(
    context: zmq.Context, journal: Journal, sequence: str | None, message: list[bytes]
) -> None:
    """Each comes while messages are being sent, reads some, and goes."""
    push = hopwatch.wrap(context.socket(zmq.PUSH), sequence=sequence)
    push.sndtimeo = 50
    port = push.bind_to_random_port("tcp://127.0.0.1")
    over = threading.Event()

    def keep_sending() -> None:
        while not over.is_set():
            with suppress(zmq.Again):
                push.send_multipart(message)

    sending = threading.Thread(target=keep_sending)
    sending.start()
    whole = 0
    try:
        with zmq.Context() as own:
            for _ in range(20):
                with hopwatch.wrap(own.socket(zmq.PULL), sequence=sequence) as pull:
                    pull.linger, pull.rcvtimeo = 0, 10_000
                    pull.connect(f"tcp://127.0.0.1:{port}")
                    for _ in range(50):
                        frames = pull.recv_multipart()
                        assert set(frames) <= set(message)
                        whole += frames == message
    finally:
        over.set()
        sending.join()
    assert whole > 900


@pytest.mark.extended("libzmq tears a message now and then, of bare sockets too")
@pytest.mark.parametrize("sequence", [None, "stamp"])
@pytest.mark.parametrize("message", [[b"a"], [b"a", b"b"]])
def test_receivers_that_come_and_go_tear_no_more_messages_than_bare_and_raise_nothing(
    context: zmq.Context, journal: Journal, sequence: str | None, message: list[bytes]
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), sequence=sequence)
    push.sndtimeo = 5000
    port = push.bind_to_random_port("tcp://127.0.0.1")
    shapes: Counter[tuple[bytes, ...]] = Counter()
    over = threading.Event()

    def come_and_go() -> None:
        with zmq.Context() as own:
            while not over.is_set():
                with hopwatch.wrap(own.socket(zmq.PULL), sequence=sequence) as pull:
                    pull.linger = 0
                    pull.connect(f"tcp://127.0.0.1:{port}")
                    until = time.monotonic() + 0.05
                    while time.monotonic() < until:
                        if pull.poll(5):
                            shapes[tuple(pull.recv_multipart())] += 1

    receivers = [threading.Thread(target=come_and_go) for _ in range(2)]
    for receiver in receivers:
        receiver.start()
    until = time.monotonic() + SECONDS
    while time.monotonic() < until or shapes[tuple(message)] < 50_000:
        push.send_multipart(message)
    over.set()
    for receiver in receivers:
        receiver.join()
    # libzmq (4.3.5) itself tears one message in some hundred thousand when pipes come and go, of bare sockets too
    torn = shapes.total() - shapes[tuple(message)]
    assert torn <= shapes.total() // 10_000


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_signal_handler_that_raises_joins_no_two_messages(
    context: zmq.Context, journal: Journal, alarms: None
) -> None:
    push, pull = (hopwatch.wrap(context.socket(kind), sequence="stamp") for kind in (zmq.PUSH, zmq.PULL))
    push.sndhwm = pull.rcvhwm = 0
    push.bind("inproc://interrupted")
    pull.connect("inproc://interrupted")
    deadline = time.monotonic() + 30
    raised = 0

    def send_until_an_alarm() -> None:
        """Python 3.13.0 passes over handlers around a loop for what is raised at the loop's condition."""
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0005)
        while time.monotonic() < deadline:
            push.send(b"a")

    while raised < ALARMS and time.monotonic() < deadline:
        try:
            send_until_an_alarm()
        except AlarmError:  # noqa: PERF203 -- each alarm is one try
            raised += 1
    shapes = shapes_received(pull)
    assert raised == ALARMS
    assert set(shapes) == {(b"a",)}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_signal_handler_that_raises_within_a_receive_leaves_the_rest_of_the_message(
    context: zmq.Context, journal: Journal, alarms: None
) -> None:
    push = context.socket(zmq.PUSH)
    pull = hopwatch.wrap(context.socket(zmq.PULL), sequence="stamp")
    push.sndhwm = pull.rcvhwm = 0
    push.bind("inproc://interrupted-receive")
    pull.connect("inproc://interrupted-receive")
    frames = [b"%d" % number for number in range(5)]
    shapes: Counter[tuple[bytes, ...]] = Counter()
    raised = 0
    deadline = time.monotonic() + 30
    while raised < FEW_ALARMS and time.monotonic() < deadline:
        for _ in range(2_000):
            push.send_multipart(frames)
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.0005)
            for _ in range(2_000):
                if pull.poll(0):
                    shapes[tuple(pull.recv_multipart())] += 1
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        except AlarmError:
            raised += 1
    while pull.poll(0):
        shapes[tuple(pull.recv_multipart())] += 1
    assert raised == FEW_ALARMS
    whole = tuple(frames)
    assert all(shape == whole[len(whole) - len(shape) :] for shape in shapes)
