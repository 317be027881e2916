"""In what order messages are read that came over a connection and over the one after it, shown by bare sockets: what is told of cuts rests on it."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import zmq

Until = Callable[[Callable[[], object]], None]
SENT = 50
BODY = b"x" * 100
QUIET_MS = 300
ESTABLISHED = "01"  # proc_pid_net(5)
KINDS = [(zmq.PUSH, zmq.PULL), (zmq.DEALER, zmq.DEALER), (zmq.DEALER, zmq.ROUTER)]


class Wire:
    """A TCP relay in threads, to be cut and mended. ``passed``: bytes that have gone to the bound end and back, since it was last mended."""

    def __init__(self, target: int) -> None:
        self.passed = 0
        self._target = target
        self._ends: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._is_whole = True
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self._is_whole = False
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self._ends.clear()

    def mend(self) -> None:
        self.passed = 0
        self._is_whole = True

    def holds_any(self) -> bool:
        """Whether a kernel has bytes that one end has not read yet."""
        ports = {f"{self.port:04X}", f"{self._target:04X}"}
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            _, local, remote, state, queues, *_ = line.split()
            ours = ports & {local.rpartition(":")[2], remote.rpartition(":")[2]}
            if ours and state == ESTABLISHED and int(queues.replace(":", ""), 16):
                return True
        return False

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                caller, _ = self._listener.accept()
                if not self._is_whole:
                    caller.close()
                    continue
                called = socket.create_connection(("127.0.0.1", self._target))
                self._ends += (caller, called)
                for one, other in ((caller, called), (called, caller)):
                    threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError), one, other:
            while data := one.recv(65_536):
                other.sendall(data)
                self.passed += len(data)
            other.shutdown(socket.SHUT_RDWR)


class Pair:
    """A sender and a receiver with a wire between them."""

    def __init__(self, context: zmq.Context, kinds: tuple[int, int], *, receiver_is_bound: bool) -> None:
        self.sender, self.receiver = (context.socket(kind) for kind in kinds)
        for end in (self.sender, self.receiver):
            end.reconnect_ivl = 20
        self.monitor = self.sender.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self._sender_is_bound = not receiver_is_bound
        bound, connecting = self.receiver, self.sender
        if self._sender_is_bound:
            bound, connecting = connecting, bound
        self.wire = Wire(bound.bind_to_random_port("tcp://127.0.0.1"))
        connecting.connect(f"tcp://127.0.0.1:{self.wire.port}")

    def send(self, first: int, until: Until) -> None:
        for number in range(first, first + SENT):
            until(lambda number=number: self._try_to_send(number))
        until(lambda: self.wire.passed >= SENT * len(BODY) and not self.wire.holds_any())

    def cut_and_mend(self, until: Until) -> None:
        self.wire.cut()
        until(lambda: self.monitor.poll(1))
        if self._sender_is_bound:  # what it takes until then goes with the connection, also behind that event
            until(lambda: not self.sender.poll(0, zmq.POLLOUT))
        self.wire.mend()

    def read(self) -> list[int]:
        got = []
        while self.receiver.poll(QUIET_MS):
            got.append(int(self.receiver.recv_multipart()[-1][: -len(BODY)]))
        return got

    def close(self) -> None:
        self.sender.disable_monitor()
        self.sender.close(0)
        self.receiver.close(0)
        self.wire.close()

    def _try_to_send(self, number: int) -> bool:
        with suppress(zmq.Again):
            self.sender.send(b"%d" % number + BODY, zmq.DONTWAIT)
            return True
        return False


@pytest.fixture(params=KINDS, ids=lambda kinds: "-".join(kind.name for kind in kinds))
def order(request: pytest.FixtureRequest, context: zmq.Context, until: Until) -> Callable[[bool], list[int]]:
    """What a receiver reads that looks into its inbox only when its connection was cut and mended."""

    def read(receiver_is_bound: bool) -> list[int]:
        pair = Pair(context, request.param, receiver_is_bound=receiver_is_bound)
        pair.send(0, until)
        pair.cut_and_mend(until)
        pair.send(SENT, until)
        got = pair.read()
        pair.close()
        return got

    return read


def test_a_bound_receiver_reads_in_turn_what_came_before_and_after(
    order: Callable[[bool], list[int]], until: Until
) -> None:
    def overtakes() -> bool:
        got = order(True)
        return got != sorted(got) and got[0] < SENT

    until(overtakes)


def test_one_that_connected_reads_first_what_came_first(order: Callable[[bool], list[int]]) -> None:
    for _ in range(3):
        got = order(False)
        assert got == sorted(got)
        assert got[-1] == 2 * SENT - 1
