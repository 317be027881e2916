"""What a sender keeps while its connection is away, shown by bare sockets: advice on reconnections rests on it."""

from collections.abc import Callable
from contextlib import suppress

import pytest
import zmq
from numbered_messages import all_of
from set_up_sockets import bind, bind_below_calling_ports, bind_once_free

Until = Callable[[Callable[[], object]], None]
Kinds = tuple[int, int]
KEPT = 50
BODY = b"x" * 2000
QUIET_MS = 500
DROPPING = (zmq.PUB, zmq.XPUB)
KINDS = [(zmq.PUSH, zmq.PULL), (zmq.DEALER, zmq.DEALER), (zmq.PUB, zmq.SUB), (zmq.XPUB, zmq.SUB)]


class Sender:
    """A socket whose receiver goes, and comes again at the same place."""

    def __init__(self, context: zmq.Context, kinds: Kinds, until: Until, *, connects: bool) -> None:
        self._context, self._kind, self._until, self._connects = context, kinds[1], until, connects
        self.socket = context.socket(kinds[0])
        self.socket.sndhwm = KEPT
        self.socket.sndbuf = 4096
        self.socket.reconnect_ivl = 20
        self.monitor = self.socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self._endpoint = "tcp://127.0.0.1:*"
        if not connects:
            self._endpoint = bind(self.socket, self._endpoint)

    def receiver(self) -> zmq.Socket:
        receiver = self._context.socket(self._kind)
        receiver.rcvhwm, receiver.rcvbuf, receiver.linger = 1, 4096, 0
        if self._kind == zmq.SUB:
            receiver.subscribe(b"")
        if self._connects:
            if self._endpoint.endswith("*"):
                self._endpoint = f"tcp://127.0.0.1:{bind_below_calling_ports(receiver)}"
                self.socket.connect(self._endpoint)
            else:
                bind_once_free(receiver, self._endpoint, self._until)
        else:
            receiver.connect(self._endpoint)
        return receiver

    def try_to_send(self, body: bytes) -> bool:
        with suppress(zmq.Again):
            self.socket.send(body, zmq.DONTWAIT)
            return True
        return False

    def lose(self, receiver: zmq.Socket) -> None:
        receiver.close()
        self._until(lambda: self.monitor.poll(1))


def begun(
    context: zmq.Context, kinds: Kinds, until: Until, *, connects: bool, immediate: bool = False
) -> tuple[Sender, zmq.Socket]:
    sender = Sender(context, kinds, until, connects=connects)
    sender.socket.immediate = immediate
    receiver = sender.receiver()
    until(lambda: sender.try_to_send(b"first") and receiver.poll(5))
    return sender, receiver


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("immediate", [True, False])
@pytest.mark.parametrize("connects", [True, False])
def test_what_is_sent_while_the_connection_is_away_is_kept_up_to_the_mark_by_who_connected_alone(
    context: zmq.Context, until: Until, kinds: Kinds, immediate: bool, connects: bool
) -> None:
    sender, receiver = begun(context, kinds, until, connects=connects, immediate=immediate)
    sender.lose(receiver)
    keeps = connects and not immediate
    if not keeps:
        until(lambda: kinds[0] in DROPPING or not sender.try_to_send(b"too soon"))
    taken = sum(sender.try_to_send(b"meanwhile") for _ in range(2 * KEPT))
    expected = KEPT // 2 if kinds[0] in DROPPING else taken
    got = all_of(sender.receiver(), expected if keeps else 0, quiet_ms=QUIET_MS)
    kept = got.count(b"meanwhile")
    if kinds[0] in DROPPING:
        assert taken == 2 * KEPT
    else:
        assert taken == kept
    assert KEPT / 2 <= kept <= KEPT if keeps else kept == 0
    sender.socket.disable_monitor()


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("connects", [True, False])
def test_what_was_queued_when_the_connection_went_down_is_kept_by_who_connected_alone(
    context: zmq.Context, until: Until, kinds: Kinds, connects: bool
) -> None:
    sender, receiver = begun(context, kinds, until, connects=connects)
    queued = [b"%06d" % number + BODY for number in range(5000)]
    accepted = [message for message in queued if sender.try_to_send(message)]
    sender.lose(receiver)
    got = all_of(sender.receiver(), KEPT // 2 if connects else 0, quiet_ms=QUIET_MS)
    assert set(got) <= set(accepted)
    assert len(got) >= KEPT / 2 if connects else got == []
    sender.socket.disable_monitor()
