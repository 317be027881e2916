"""Whatever options a PUB, XPUB or ROUTER has, and whichever of its pipes are full, its peers get what a bare one would send them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import hopwatch
import pytest
import zmq
from alike import SEQUENCES, differential
from hopwatch.native_state import XPUB_MANUAL_LAST_VALUE
from hypothesis import given
from hypothesis import strategies as st
from journal_reader import Journal
from socket_actions import seen_of_error
from zmq.backend import Socket as BackendSocket

TOPICS = [b"", b"a", b"ab", b"b"]
NAMES = [b"one", b"two", b"three"]
MARK = 2
"""Of each pipe end: four messages fill a pipe."""
WAIT_MS = 2

PUBLISHER_OPTIONS = {
    zmq.XPUB_VERBOSE: (0, 1),
    zmq.XPUB_VERBOSER: (0, 1),
    zmq.XPUB_NODROP: (0, 1),
    zmq.XPUB_MANUAL: (0, 1),
    XPUB_MANUAL_LAST_VALUE: (0, 1, 1),
    zmq.XPUB_WELCOME_MSG: (b"", b"ab", b"welcome"),
    zmq.INVERT_MATCHING: (0, 1),
    zmq.SNDHWM: (1, 3),
}
ROUTER_OPTIONS = {
    zmq.ROUTER_MANDATORY: (0, 1),
    zmq.ROUTER_HANDOVER: (0, 1),
    zmq.PROBE_ROUTER: (0, 1),
    zmq.CONNECT_ROUTING_ID: (b"two", b"four"),
    zmq.SNDHWM: (1, 3),
    zmq.RCVHWM: (1, 3),
}
OPTIONS = {zmq.PUB: PUBLISHER_OPTIONS, zmq.XPUB: PUBLISHER_OPTIONS, zmq.ROUTER: ROUTER_OPTIONS}

Operation = tuple[Any, ...]


def operations(kind: int) -> st.SearchStrategy[list[Operation]]:
    """What can be done with one sender and three receivers."""
    option = st.sampled_from(sorted(OPTIONS[kind])).flatmap(
        lambda number: st.tuples(st.just("option"), st.just(number), st.sampled_from(OPTIONS[kind][number]))
    )
    first = st.sampled_from([*NAMES, b"nobody"]) if kind == zmq.ROUTER else st.sampled_from(TOPICS)
    receiver = st.integers(0, len(NAMES) - 1)
    send = st.tuples(st.just("send"), first, st.integers(0, 3), st.sampled_from([0, 0, int(zmq.DONTWAIT)]))
    burst = st.tuples(st.just("send many"), first, st.integers(3, 12))
    of_sender = st.one_of(option, send, send, burst, burst, st.just(("let in",)), st.just(("events",)))
    changing = (
        st.tuples(st.just("answer"), receiver)
        if kind == zmq.ROUTER
        else st.tuples(
            st.sampled_from(["subscribe", "subscribe", "unsubscribe"]), receiver, st.sampled_from(TOPICS)
        )
    )
    coming = st.tuples(st.sampled_from(["leave", "come"]), receiver)
    return st.lists(st.one_of(of_sender, changing, st.tuples(st.just("read"), receiver), coming), max_size=40)


class Few:
    """A sender and its receivers, all within one context."""

    def __init__(self, sender: zmq.Socket, receivers: list[zmq.Socket], number: int) -> None:
        self.sender, self.receivers = sender, receivers
        self._endpoint = f"inproc://few-{number}"
        sender.bind(self._endpoint)
        for receiver in receivers:
            receiver.connect(self._endpoint)

    def do(self, what: str, *arguments: Any) -> Any:
        """What comes of an operation."""
        self._take_in()
        try:
            return getattr(self, what.replace(" ", "_"))(*arguments)
        except zmq.ZMQError as error:
            return seen_of_error(error)
        finally:
            self._take_in()

    def _take_in(self) -> None:
        """Have libzmq take in what the peers have told: unasked, it does so about once a millisecond."""
        for _ in range(2):
            for socket in (self.sender, *self.receivers):
                BackendSocket.get(socket, zmq.EVENTS)

    def option(self, number: int, value: Any) -> None:
        self.sender.setsockopt(number, value)

    def send(self, first: bytes, more: int, flags: int) -> None:
        self.sender.send_multipart([first, *[b"frame"] * more], flags)

    def send_many(self, first: bytes, count: int) -> list[Any]:
        return [self.do("send", first, 1, int(zmq.DONTWAIT)) for _ in range(count)]

    def let_in(self) -> Any:
        asked = self.sender.recv_multipart(zmq.DONTWAIT)
        if self.sender.type == zmq.XPUB and asked[0][:1] == b"\1":
            self.sender.setsockopt(zmq.SUBSCRIBE, asked[0][1:])
        return asked

    def events(self) -> int:
        return int(self.sender.get(zmq.EVENTS))

    def subscribe(self, number: int, topic: bytes) -> None:
        self.receivers[number].subscribe(topic)

    def unsubscribe(self, number: int, topic: bytes) -> None:
        self.receivers[number].unsubscribe(topic)

    def answer(self, number: int) -> None:
        self.receivers[number].send(b"answer", zmq.DONTWAIT)

    def read(self, number: int) -> Any:
        return self.receivers[number].recv_multipart(zmq.DONTWAIT)

    def leave(self, number: int) -> list[Any]:
        """With nothing unread: of what is, libzmq keeps a message of one frame that it has looked at, and none of two."""
        unread = self.all_of(number)
        self.receivers[number].disconnect(self._endpoint)
        return unread

    def all_of(self, number: int) -> list[Any]:
        read = []
        while (came := self.do("read", number)) and came[0] != "raised":
            read.append(came)
        return read

    def come(self, number: int) -> None:
        self.receivers[number].connect(self._endpoint)


@contextmanager
def few(kind: int, number: int, wish: dict[str, Any] | None) -> Iterator[Few]:
    def wrapped(socket: zmq.Socket) -> zmq.Socket:
        socket.linger = 0
        socket.sndhwm = socket.rcvhwm = MARK
        socket.sndtimeo = WAIT_MS
        return socket if wish is None else hopwatch.wrap(socket, **wish)

    with ExitStack() as stack:
        context = stack.enter_context(zmq.Context())
        receivers = [context.socket(zmq.DEALER if kind == zmq.ROUTER else zmq.SUB) for _ in NAMES]
        for receiver, name in zip(receivers, NAMES, strict=True):
            stack.enter_context(receiver)
            if kind == zmq.ROUTER:
                receiver.routing_id = name
            wrapped(receiver)
        yield Few(wrapped(stack.enter_context(context.socket(kind))), receivers, number)


@pytest.mark.parametrize("kind", [zmq.PUB, zmq.XPUB, zmq.ROUTER], ids=["PUB", "XPUB", "ROUTER"])
@differential(60, shrink=True)
@given(data=st.data(), sequence=st.sampled_from(sorted(SEQUENCES)))
def test_peers_get_what_a_bare_socket_would_send_them(
    journal: Journal, kind: int, sequence: str, data: st.DataObject
) -> None:
    with few(kind, 1, None) as bare, few(kind, 2, SEQUENCES[sequence]) as wrapped:
        for operation in data.draw(operations(kind)):
            assert wrapped.do(*operation) == bare.do(*operation), operation
        for number in range(len(NAMES)):
            assert wrapped.all_of(number) == bare.all_of(number)
    assert journal.faults() == []


@pytest.mark.parametrize("wish", SEQUENCES)
@pytest.mark.parametrize("set_up", ["before it is wrapped", "after"])
@pytest.mark.parametrize("queued", [2 * MARK - 1, 2 * MARK, 2 * MARK + 1])
def test_a_last_value_for_a_subscriber_whose_pipe_is_full_reaches_nobody_else(
    journal: Journal, queued: int, set_up: str, wish: str
) -> None:
    """The sender forgets who subscribed last with the first send, also where that is refused."""
    seen = []
    for number, wanted in enumerate((None, SEQUENCES[wish])):
        with few(zmq.XPUB, number, None if set_up == "before it is wrapped" else wanted) as these:
            these.do("option", XPUB_MANUAL_LAST_VALUE, 1)
            if wanted is not None and set_up == "before it is wrapped":
                for socket in (these.sender, *these.receivers):
                    hopwatch.wrap(socket, **wanted)
            these.do("subscribe", 0, b"news"), these.do("let in"), these.do("send", b"first", 1, 0)
            these.do("subscribe", 1, b"bulk"), these.do("let in"), these.do("send", b"first", 1, 0)
            these.do("send many", b"bulk", queued)
            these.do("subscribe", 1, b"news"), these.do("let in"), these.do("send", b"news", 1, 0)
            seen.append([these.all_of(receiver) for receiver in range(len(NAMES))])
    assert seen[0] == seen[1]
    assert seen[0][0] == []
