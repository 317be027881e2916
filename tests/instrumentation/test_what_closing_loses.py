"""What a sender that closes takes with it of what its receiver has not read, shown by bare sockets: advice on closing rests on it."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zmq
from numbered_messages import QUIET_MS, all_of

Until = Callable[[Callable[[], object]], None]
Kinds = tuple[int, int]
LOW = 10
COUNT = 40
BODY = b"x" * 1000
BUFFER = 200_000
"""Bytes that the kernel is asked to hold at either end: more than ``COUNT`` messages, less than 900 that are twenty times as long."""
NAME = b"desk"
SIDES = [True, False]
LINGER_MS = 20_000
ROUNDS = 40
"""On a busy machine libzmq takes several messages in one read, and then none may be lost."""
EACH_WAY = [(zmq.PUSH, zmq.PULL), (zmq.PUB, zmq.SUB), (zmq.XPUB, zmq.SUB), (zmq.DEALER, zmq.DEALER)]


class Pair:
    """A sender and its receiver, in contexts of their own but over inproc, both connected."""

    def __init__(self, kinds: Kinds, endpoint: str, *, sender_binds: bool, rcvhwm: int, until: Until) -> None:
        self.sending = zmq.Context()
        self.receiving = self.sending if endpoint.startswith("inproc") else zmq.Context()
        self.sender, self.receiver = self.sending.socket(kinds[0]), self.receiving.socket(kinds[1])
        self.receiver.rcvhwm = self.sender.rcvhwm = rcvhwm
        self.sender.sndbuf = self.receiver.rcvbuf = BUFFER
        for socket, kind in ((self.sender, kinds[1]), (self.receiver, kinds[0])):
            if kind == zmq.ROUTER:
                socket.routing_id = NAME
        if kinds[1] == zmq.SUB:
            self.receiver.subscribe(b"")
        ends = (self.sender, self.receiver) if sender_binds else (self.receiver, self.sender)
        ends[0].bind(endpoint)
        ends[1].connect(ends[0].last_endpoint.rstrip(b"\0").decode())
        if kinds[1] == zmq.SUB:
            until(lambda: self.receiver.poll(1) or self._subscribed())

    def _subscribed(self) -> bool:
        return bool(self.sender.getsockopt(zmq.EVENTS) and self.sender.getsockopt(zmq.TOPICS_COUNT))

    def send(self) -> None:
        """Each in a write of its own, so that they stay in the kernel and not in one read of libzmq's."""
        for _ in range(COUNT):
            send(self.sender, BODY)
            time.sleep(0.005)

    def close_sender(self, linger: int = LINGER_MS) -> None:
        """All that it had sent is with the kernel by then: only a term that never ends, seen once of thousands, waits as long."""
        self.sender.close(linger=linger)
        if self.sending is not self.receiving:
            self.sending.term()

    def received(self, expected: int = 0) -> int:
        return len(all_of(self.receiver, expected))


def send(socket: zmq.Socket, body: bytes) -> None:
    socket.send_multipart([NAME, body] if socket.type == zmq.ROUTER else [body])


@pytest.fixture
def pair_of(tmp_path: Path, until: Until) -> Iterator[Callable[..., Pair]]:
    made: list[Pair] = []

    def make(kinds: Kinds, transport: str, *, sender_binds: bool = False, rcvhwm: int = LOW) -> Pair:
        endpoints = {
            "tcp": "tcp://127.0.0.1:*",
            "ipc": f"ipc://{tmp_path}/{len(made)}",
            "inproc": "inproc://pipe",
        }
        pair = Pair(kinds, endpoints[transport], sender_binds=sender_binds, rcvhwm=rcvhwm, until=until)
        made.append(pair)
        return pair

    yield make
    for pair in made:
        pair.sending.destroy(linger=0)
        pair.receiving.destroy(linger=0)


def some_round_loses(play: Callable[[], int], sent: int = COUNT) -> bool:
    """Whether one of many does; none gets more than was sent."""
    return any(play() < sent for _ in range(ROUNDS))


@pytest.mark.parametrize("sender_binds", SIDES)
@pytest.mark.parametrize("kinds", EACH_WAY)
@pytest.mark.parametrize("transport", ["tcp", "inproc"])
@pytest.mark.parametrize("mark", [1, LOW])
def test_over_tcp_and_inproc_what_a_closed_sender_sent_stays_to_be_read_at_any_mark(
    pair_of: Callable[..., Pair], transport: str, kinds: Kinds, sender_binds: bool, mark: int
) -> None:
    pair = pair_of(kinds, transport, sender_binds=sender_binds, rcvhwm=mark)
    pair.send()
    pair.close_sender(linger=0 if transport == "inproc" else LINGER_MS)
    assert pair.received(COUNT) == COUNT


@pytest.mark.extended("libzmq loses by chance, in some of many rounds")
@pytest.mark.parametrize("sender_binds", SIDES)
@pytest.mark.parametrize("kinds", EACH_WAY)
def test_over_ipc_it_stays_as_far_as_the_mark_has_room(
    pair_of: Callable[..., Pair], kinds: Kinds, sender_binds: bool
) -> None:
    def play() -> int:
        pair = pair_of(kinds, "ipc", sender_binds=sender_binds)
        pair.send()
        pair.close_sender()
        received = pair.received(LOW)
        assert received >= LOW
        return received

    assert some_round_loses(play)


@pytest.mark.parametrize("kinds", EACH_WAY)
def test_over_ipc_a_mark_of_what_is_unread_loses_nothing(pair_of: Callable[..., Pair], kinds: Kinds) -> None:
    pair = pair_of(kinds, "ipc", rcvhwm=COUNT)
    pair.send()
    pair.close_sender()
    assert pair.received(COUNT) == COUNT


@pytest.mark.extended("libzmq loses by chance, in some of many rounds")
@pytest.mark.parametrize("change", ["subscribe", "unsubscribe"])
def test_over_tcp_a_sub_that_changes_its_subscriptions_loses_what_it_had_not_read_of_a_closed_pub(
    pair_of: Callable[..., Pair], change: str
) -> None:
    def play() -> int:
        pair = pair_of((zmq.PUB, zmq.SUB), "tcp")
        pair.receiver.subscribe(b"other")
        pair.send()
        pair.close_sender()
        for _ in range(COUNT):
            getattr(pair.receiver, change)(b"other")
            pair.receiver.subscribe(b"other")
            time.sleep(0.005)
        return pair.received()

    assert some_round_loses(play)


@pytest.mark.extended("libzmq loses by chance, in some of many rounds")
@pytest.mark.parametrize(
    "kinds",
    [
        (zmq.DEALER, zmq.DEALER),
        (zmq.DEALER, zmq.ROUTER),
        (zmq.ROUTER, zmq.DEALER),
        (zmq.PAIR, zmq.PAIR),
    ],
)
def test_over_tcp_a_sender_that_has_not_read_what_came_for_it_cuts_off_what_is_unread_of_its_own(
    pair_of: Callable[..., Pair], kinds: Kinds
) -> None:
    def play() -> int:
        pair = pair_of(kinds, "tcp")
        ends = (pair.sender, pair.receiver) if kinds[1] == zmq.ROUTER else (pair.receiver, pair.sender)
        send(ends[0], b"hello")
        assert ends[1].recv_multipart()[-1] == b"hello"
        for _ in range(COUNT):
            send(pair.receiver, BODY)
            time.sleep(0.005)
        pair.send()
        pair.close_sender()
        return pair.received()

    assert some_round_loses(play)


def answer(router: zmq.Socket, got: list[bytes], asker_has_closed: threading.Event) -> None:
    while router.poll(QUIET_MS) or not asker_has_closed.is_set():
        if not router.poll(0):
            continue
        name, body = router.recv_multipart()
        got.append(body)
        router.send_multipart([name, b"done"])
        time.sleep(0.001)


def answers_got(pair: Pair, asked: int, *, reads: bool) -> int:
    """How many questions a ROUTER got of a DEALER that closed, with all answers read or none."""
    got: list[bytes] = []
    asker_has_closed = threading.Event()
    answering = threading.Thread(target=answer, args=(pair.receiver, got, asker_has_closed))
    for _ in range(asked):
        pair.sender.send(BODY * 20)
    if reads:
        answering.start()
        assert [pair.sender.recv() for _ in range(asked)] == [b"done"] * asked
        pair.close_sender()
        asker_has_closed.set()
    else:
        pair.sender.close()
        asker_has_closed.set()
        answering.start()
    answering.join()
    pair.sending.term()
    return len(got)


def test_over_tcp_a_dealer_that_reads_the_last_answer_before_it_closes_loses_nothing(
    pair_of: Callable[..., Pair],
) -> None:
    assert answers_got(pair_of((zmq.DEALER, zmq.ROUTER), "tcp"), 300, reads=True) == 300


@pytest.mark.extended("libzmq loses by chance, in some of many rounds")
def test_over_tcp_one_that_closes_before_its_answers_have_come_may_lose_what_it_asked(
    pair_of: Callable[..., Pair],
) -> None:
    assert some_round_loses(
        lambda: answers_got(pair_of((zmq.DEALER, zmq.ROUTER), "tcp"), 300, reads=False), 300
    )


@pytest.mark.parametrize(("transport", "loses"), [("tcp", True), ("ipc", True), ("inproc", False)])
@pytest.mark.parametrize("kinds", [(zmq.PUSH, zmq.PULL), (zmq.PUB, zmq.SUB)])
def test_what_is_not_passed_on_within_linger_is_thrown_away_but_over_inproc(
    pair_of: Callable[..., Pair], kinds: Kinds, transport: str, loses: bool
) -> None:
    pair = pair_of(kinds, transport)
    for _ in range(900):
        send(pair.sender, BODY * 20)
    pair.sender.close(linger=50)
    if transport != "inproc":
        pair.sending.term()
    assert (pair.received(0 if loses else 900) < 900) is loses
