"""In what order messages are read that came over a connection and over the one after it, shown by bare sockets: what is told of cuts rests on it."""

from collections.abc import Callable
from contextlib import suppress

import pytest
import zmq
from tcp_relay import Relay

Until = Callable[[Callable[[], object]], None]
SENT = 50
BODY = b"x" * 100
PATIENT_MS = 10_000
QUIET_MS = 300
KINDS = [(zmq.PUSH, zmq.PULL), (zmq.DEALER, zmq.DEALER), (zmq.DEALER, zmq.ROUTER)]


class Pair:
    """A sender and a receiver with a relay between them."""

    def __init__(self, context: zmq.Context, kinds: tuple[int, int], *, receiver_is_bound: bool) -> None:
        self.sender, self.receiver = (context.socket(kind) for kind in kinds)
        for end in (self.sender, self.receiver):
            end.reconnect_ivl = 20
        self.monitor = self.sender.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self._sender_is_bound = not receiver_is_bound
        bound, connecting = self.receiver, self.sender
        if self._sender_is_bound:
            bound, connecting = connecting, bound
        self.relay = Relay(bound.bind_to_random_port("tcp://127.0.0.1"))
        connecting.connect(f"tcp://127.0.0.1:{self.relay.port}")

    def send(self, first: int, until: Until) -> None:
        for number in range(first, first + SENT):
            until(lambda number=number: self._try_to_send(number))
        until(lambda: self.relay.passed >= SENT * len(BODY) and not self.relay.holds_any())

    def cut_and_mend(self, until: Until) -> None:
        self.relay.cut()
        until(lambda: self.monitor.poll(1))
        if self._sender_is_bound:  # what it takes until then goes with the connection, also behind that event
            until(lambda: not self.sender.poll(0, zmq.POLLOUT))
        self.relay.mend()

    def read(self) -> list[int]:
        got: list[int] = []
        while self.receiver.poll(QUIET_MS if 2 * SENT - 1 in got else PATIENT_MS):
            got.append(int(self.receiver.recv_multipart()[-1][: -len(BODY)]))
        return got

    def close(self) -> None:
        self.sender.disable_monitor()
        self.sender.close(0)
        self.receiver.close(0)
        self.relay.close()

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
