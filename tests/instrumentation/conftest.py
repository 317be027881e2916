"""Sockets of every type, wired over loopback TCP, with a journal of their own."""

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zmq
from journal_reader import Journal


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Journal:
    directory = tmp_path / "journal"
    monkeypatch.setenv("HOPWATCH_DIR", str(directory))
    monkeypatch.delenv("HOPWATCH_DISABLED", raising=False)
    return Journal(directory)


class KeepingContext(zmq.Context):
    """Keeps its sockets until it is destroyed, so that a test need not close each of them."""

    kept: list[zmq.Socket]

    def socket(self, *args: object, **kwargs: object) -> zmq.Socket:
        socket = super().socket(*args, **kwargs)
        self.kept.append(socket)
        return socket


@pytest.fixture
def context() -> Iterator[zmq.Context]:
    context = KeepingContext()
    context.kept = []
    yield context
    # senders were made first: libzmq (4.3.5) may never end a context whose full SUB is closed before its PUB, bare ones too
    for socket in context.kept:
        socket.close(linger=0)
    context.destroy(linger=0)


@pytest.fixture
def until() -> Callable[[Callable[[], object]], None]:
    """Wait for a condition, ten seconds at most."""

    def wait(condition: Callable[[], object]) -> None:
        deadline = time.monotonic() + 10
        while not condition():
            assert time.monotonic() < deadline, "the condition did not come true within 10 s"
            time.sleep(0.005)

    return wait


@pytest.fixture
def link(until: Callable[[Callable[[], object]], None]) -> Callable[[zmq.Socket, zmq.Socket], None]:
    """Connect the second socket to the first over loopback TCP, and wait until a PUB knows its subscriber."""

    def connect(bound: zmq.Socket, connected: zmq.Socket) -> None:
        port = bound.bind_to_random_port("tcp://127.0.0.1")
        connected.connect(f"tcp://127.0.0.1:{port}")
        if bound.type in {zmq.PUB, zmq.XPUB}:
            # asking for EVENTS makes libzmq take in what has arrived, the subscription among it
            until(lambda: bound.getsockopt(zmq.EVENTS) and bound.getsockopt(zmq.TOPICS_COUNT))

    return connect


class SlowReader(threading.Thread):
    """Reads numbers off a SUB, with a pause after each, until it is told that no more come and none is left."""

    def __init__(self, socket: zmq.Socket, pause: float) -> None:
        super().__init__(daemon=True)
        self.socket = socket
        self.numbers: list[int] = []
        self._pause = pause
        self._expected = 0
        self._last_sent = threading.Event()
        self._found_nothing = threading.Event()
        self.start()

    def run(self) -> None:
        while not self._last_sent.is_set() or self.socket.poll(self._patience_ms):
            if self.socket.poll(20):
                self.numbers.append(int(self.socket.recv_multipart()[-1][:10]))
                time.sleep(self._pause)
            else:
                self._found_nothing.set()

    @property
    def _patience_ms(self) -> int:
        return 10_000 if len(self.numbers) < self._expected else 100

    def catch_up(self) -> None:
        """Returns when there was nothing to be read any more: what is sent next shows what was lost before."""
        self._found_nothing.clear()
        assert self._found_nothing.wait(10), "the reader did not catch up within 10 s"

    def finish(self, expected: int = 0) -> list[int]:
        """All numbers that came, of which so many are waited for longer; the socket belongs to the caller again."""
        self._expected = expected
        self._last_sent.set()
        self.join()
        return self.numbers

    @property
    def inner_gaps(self) -> list[tuple[int, int]]:
        """Runs of numbers missing between two that came."""
        return [(a + 1, b - 1) for a, b in itertools.pairwise(self.numbers) if b > a + 1]


@pytest.fixture
def read_slowly() -> Callable[..., SlowReader]:
    return lambda socket, pause=0.0005: SlowReader(socket, pause)


@pytest.fixture
def narrow(context: zmq.Context) -> Callable[[int], zmq.Socket]:
    """A socket that holds ten messages and has kernel buffers as small as they get; a SUB subscribes to everything."""

    def make(socket_type: int) -> zmq.Socket:
        socket = context.socket(socket_type)
        socket.sndhwm = socket.rcvhwm = 10
        socket.sndbuf = socket.rcvbuf = 4096
        if socket_type == zmq.SUB:
            socket.subscribe(b"")
        return socket

    return make
