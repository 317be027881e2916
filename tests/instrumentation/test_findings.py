"""Findings of marks: each is shown true by a run over bare sockets, and told at the right moment by a wrapped one, once."""

import ctypes
from collections.abc import Callable
from pathlib import Path

import hopwatch
import pytest
import zmq
from journal_reader import Journal
from numbered_messages import all_of
from set_up_sockets import BODY, LOOPBACK, NOWHERE, bind, capacity, rules


@pytest.fixture
def push_pull(context: zmq.Context) -> Callable[..., tuple[zmq.Socket, zmq.Socket]]:
    """A PUSH connected to a bound PULL, marks of ten and small kernel buffers unless said otherwise."""

    def make(push_options: dict[str, int], pull_options: dict[str, int]) -> tuple[zmq.Socket, zmq.Socket]:
        push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
        small = {"sndhwm": 10, "rcvhwm": 10, "sndbuf": 4096, "rcvbuf": 4096}
        for socket, options in ((push, push_options), (pull, pull_options)):
            for name, value in {**small, **options}.items():
                setattr(socket, name, value)
        push.connect(bind(pull))
        return push, pull

    return make


def test_the_mark_of_the_way_that_no_message_takes_bounds_nothing(push_pull) -> None:
    usual = capacity(push_pull({}, {})[0])
    for push_options, pull_options in (({"rcvhwm": 100_000}, {}), ({}, {"sndhwm": 100_000})):
        assert abs(capacity(push_pull(push_options, pull_options)[0]) - usual) <= 10
    assert capacity(push_pull({"sndhwm": 1000}, {})[0]) >= 1000


@pytest.mark.parametrize(
    ("kind", "option"),
    [(zmq.PUSH, "rcvhwm"), (zmq.PUB, "rcvhwm"), (zmq.PULL, "sndhwm"), (zmq.SUB, "sndhwm")],
)
def test_a_mark_of_the_other_way_is_found_when_the_socket_is_attached(
    context: zmq.Context, journal: Journal, kind: int, option: str
) -> None:
    socket = hopwatch.wrap(context.socket(kind), name="it")
    setattr(socket, option, 50)
    assert rules(socket) == []
    bind(socket)
    bind(socket)
    assert rules(socket) == ["mark_of_the_other_way"]
    (event,) = journal.of("it", "finding")
    counting = "SNDHWM" if option == "rcvhwm" else "RCVHWM"
    assert event["advice"].startswith(f"Set {counting} to 50 instead")


@pytest.mark.parametrize("kind", [zmq.PUSH, zmq.PULL, zmq.PUB, zmq.SUB, zmq.DEALER])
def test_both_marks_set_as_pyzmq_does_are_no_finding(
    context: zmq.Context, journal: Journal, kind: int
) -> None:
    socket = hopwatch.wrap(context.socket(kind))
    socket.set_hwm(50)
    bind(socket)
    assert rules(socket) == []


def test_a_mark_of_zero_takes_all_that_there_is_memory_for(push_pull) -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    ctypes.CDLL(None).malloc_trim(0)  # what was freed before would be used again, unseen
    before = resident()
    assert capacity(push_pull({"sndhwm": 0}, {})[0], at_most=20_000) == 20_000
    assert resident() - before > 20_000 * len(BODY) // 2
    assert capacity(push_pull({}, {"rcvhwm": 0})[0], at_most=20_000) == 20_000


@pytest.mark.parametrize(
    ("kind", "options", "told"),
    [
        (zmq.PUSH, {"sndhwm": 0}, True),
        (zmq.PUB, {"sndhwm": 0}, True),
        (zmq.SUB, {"rcvhwm": 0}, True),
        (zmq.ROUTER, {"rcvhwm": 0}, True),
        (zmq.PULL, {"sndhwm": 0}, False),
    ],
)
@pytest.mark.parametrize("before", [True, False])
def test_unlimited_marks_are_found_where_messages_go(
    context: zmq.Context, journal: Journal, kind: int, options: dict[str, int], told: bool, before: bool
) -> None:
    socket = context.socket(kind)
    if not before:
        hopwatch.wrap(socket)
    for name, value in options.items():
        setattr(socket, name, value)
    hopwatch.wrap(socket)
    socket.connect("tcp://127.0.0.1:1")
    assert ("unlimited_mark" in rules(socket)) is told


@pytest.mark.parametrize("endpoint", [LOOPBACK, "ipc://{}/pipe"])
@pytest.mark.parametrize("option", ["sndhwm", "rcvhwm"])
@pytest.mark.parametrize("set_on_bound_end", [True, False])
@pytest.mark.parametrize("when", ["before the connection", "when it is in use"])
def test_a_mark_set_later_counts_but_for_connections_that_a_bound_endpoint_accepts_later(
    context: zmq.Context, tmp_path: Path, when: str, option: str, set_on_bound_end: bool, endpoint: str
) -> None:
    """Books say that a mark counts only for later binds and connects; libzmq 4.3.5 does otherwise, on both ends."""
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    push.sndhwm = pull.rcvhwm = 10
    push.sndbuf = pull.rcvbuf = 4096
    changed, other = (push, pull) if option == "sndhwm" else (pull, push)
    bound, connecting = (changed, other) if set_on_bound_end else (other, changed)
    address = bind(bound, endpoint.format(tmp_path))
    if when == "before the connection" and set_on_bound_end:
        setattr(changed, option, 3000)
    connecting.connect(address)
    if when == "before the connection" and not set_on_bound_end:
        setattr(changed, option, 3000)
    push.send(b"connected")
    assert pull.recv() == b"connected"
    if when == "when it is in use":
        setattr(changed, option, 3000)
    sent = capacity(push)
    ignored = set_on_bound_end and when == "before the connection"
    assert sent < 1500 if ignored else sent > 2900


def test_a_mark_set_after_bind_is_found(context: zmq.Context, journal: Journal) -> None:
    pub = hopwatch.wrap(context.socket(zmq.PUB))
    pub.sndhwm = 100
    bind(pub)
    pub.rcvhwm = 5000
    assert rules(pub) == []
    pub.sndhwm = 100
    assert rules(pub) == []
    pub.sndhwm = 5000
    assert rules(pub) == ["mark_set_after_bind"]
    assert f"was set to 5000 after the socket was bound to {pub.last_endpoint.decode()}, when it was 100" in (
        hopwatch.findings(pub)[0].text
    )
    sub = hopwatch.wrap(context.socket(zmq.SUB))
    sub.connect(pub.last_endpoint.decode())
    sub.rcvhwm = 5000
    assert rules(sub) == []


@pytest.mark.parametrize("kind", [zmq.SUB, zmq.XSUB])
@pytest.mark.parametrize(("mark", "arrive"), [(10, 10), (1000, 50)])
def test_subscriptions_beyond_the_mark_never_arrive(
    context: zmq.Context, until, mark: int, arrive: int, kind: int
) -> None:
    xpub, sub = context.socket(zmq.XPUB), context.socket(kind)
    sub.sndhwm = mark
    for number in range(50):
        if kind == zmq.SUB:
            sub.subscribe(b"%03d" % number)
        else:
            sub.send(b"\1%03d" % number)
    sub.connect(bind(xpub))
    assert len(all_of(xpub, arrive)) == arrive


def test_a_sub_with_room_for_many_subscriptions_is_fine(context: zmq.Context, journal: Journal) -> None:
    sub = hopwatch.wrap(context.socket(zmq.SUB))
    sub.sndhwm = 5000
    bind(sub)
    for number in range(1500):
        sub.subscribe(b"%04d" % number)
    assert rules(sub) == []


def test_subscriptions_beyond_the_mark_are_found_at_the_first_that_is_one_too_many(
    context: zmq.Context, journal: Journal
) -> None:
    sub = hopwatch.wrap(context.socket(zmq.SUB))
    sub.sndhwm = sub.rcvhwm = 10
    sub.connect(NOWHERE)
    for number in range(10):
        sub.subscribe(b"%03d" % number)
    assert rules(sub) == []
    sub.subscribe(b"one more")
    sub.subscribe(b"and another")
    assert rules(sub) == ["subscriptions_beyond_mark"]


def test_a_new_mark_holds_for_an_endpoint_that_is_bound_anew(
    context: zmq.Context, journal: Journal, push_pull
) -> None:
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    hopwatch.wrap(push)
    push.sndhwm = pull.rcvhwm = 10
    push.sndbuf = pull.rcvbuf = 4096
    endpoint = bind(push)
    push.unbind(endpoint)
    push.sndhwm = 3000
    pull.connect(bind(push))
    assert capacity(push) > 2900
    assert rules(push) == []
