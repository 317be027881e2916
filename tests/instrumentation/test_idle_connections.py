"""A middlebox that cuts what idles: what keeps a connection up, on bare sockets."""

import selectors
import socket
import threading
from collections.abc import Iterator

import pytest
import zmq

IDLE_SPELLS = 15
SPELL_SECONDS = 0.1
"""Silence is counted in spells: a machine that stands still for longer than all of them makes one of it."""
WATCHED_MS = 4_000
PATIENT_MS = 20_000


class Middlebox:
    """Passes on what two ends say, and hangs up on both when they have said nothing for so long."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def close(self) -> None:
        """Those that are up are cut."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _serve(self) -> None:
        calling, _ = self._listener.accept()
        with calling, socket.create_connection(("127.0.0.1", self._port)) as called:
            self._pass_on({calling: called, called: calling})

    @staticmethod
    def _pass_on(other: dict[socket.socket, socket.socket]) -> None:
        with selectors.DefaultSelector() as selector:
            for side in other:
                selector.register(side, selectors.EVENT_READ)
            silent_spells = 0
            while silent_spells < IDLE_SPELLS:
                ready = selector.select(SPELL_SECONDS)
                silent_spells = 0 if ready else silent_spells + 1
                for key, _ in ready:
                    told = key.fileobj.recv(4096)  # type: ignore[union-attr]
                    if not told:
                        return
                    other[key.fileobj].sendall(told)  # type: ignore[index]


@pytest.fixture
def sink(context: zmq.Context) -> zmq.Socket:
    sink: zmq.Socket = context.socket(zmq.PULL)
    return sink


@pytest.fixture
def middlebox(sink: zmq.Socket) -> Iterator[Middlebox]:
    box = Middlebox(sink.bind_to_random_port("tcp://127.0.0.1"))
    yield box
    box.close()


@pytest.mark.parametrize(("interval_ms", "is_cut"), [(0, True), (150, False)])
def test_heartbeats_keep_up_what_is_cut_when_it_idles(
    context: zmq.Context, sink: zmq.Socket, middlebox: Middlebox, interval_ms: int, is_cut: bool
) -> None:
    source = context.socket(zmq.PUSH)
    source.heartbeat_ivl = interval_ms
    monitor = source.get_monitor_socket(zmq.EVENT_DISCONNECTED)
    source.connect(f"tcp://127.0.0.1:{middlebox.port}")
    source.send(b"comes")
    assert sink.recv() == b"comes"
    assert bool(monitor.poll(PATIENT_MS if is_cut else WATCHED_MS)) is is_cut
    source.close(linger=0)
    monitor.close()
