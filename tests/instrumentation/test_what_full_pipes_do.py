"""What libzmq does with messages that find no room, shown by bare sockets: the documents rest on it (docs/when-zeromq-is-full.md)."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
import zmq
from numbered_messages import QUIET_MS, Until, all_of, numbered, sent_in_step
from set_up_sockets import BODY, bind, capacity

Narrow = Callable[[int], zmq.Socket]
Link = Callable[[zmq.Socket, zmq.Socket], None]
MANY = 20_000
WAITING = [(zmq.PUSH, zmq.PULL), (zmq.DEALER, zmq.DEALER)]


@pytest.mark.parametrize("kind", [zmq.PUB, zmq.XPUB])
@pytest.mark.parametrize("flags", [0, zmq.DONTWAIT])
def test_a_publisher_takes_every_message_at_a_full_pipe_raises_nothing_and_delivers_a_part(
    narrow: Narrow, link: Link, kind: int, flags: int
) -> None:
    pub, sub = narrow(kind), narrow(zmq.SUB)
    link(pub, sub)
    for message in numbered(MANY):
        pub.send(message, flags)
    assert 0 < len(all_of(sub, 1)) < MANY / 2


def test_a_publisher_is_always_ready_to_send_also_at_a_full_pipe(narrow: Narrow, link: Link) -> None:
    pub, sub = narrow(zmq.PUB), narrow(zmq.SUB)
    link(pub, sub)
    for message in numbered(MANY):
        assert pub.poll(0, zmq.POLLOUT)
        pub.send(message)
    assert len(all_of(sub)) < MANY / 2


def test_a_full_subscriber_does_not_keep_another_from_its_messages(
    narrow: Narrow, context: zmq.Context, link: Link, until: Until
) -> None:
    pub, full, other = narrow(zmq.PUB), narrow(zmq.SUB), context.socket(zmq.SUB)
    pub.sndhwm = 1000
    link(pub, full)
    other.subscribe(b"")
    other.connect(pub.last_endpoint.rstrip(b"\0").decode())
    until(lambda: [pub.send(b"begin"), other.poll(1)][1])
    got = sent_in_step(pub, other, until)
    assert [body for body in got if body != b"begin"] == list(numbered(5000))
    assert len(all_of(full)) < 2500


def test_a_subscriber_that_does_not_read_drops_nothing_over_tcp(narrow: Narrow, link: Link) -> None:
    pub, sub = narrow(zmq.PUB), narrow(zmq.SUB)
    pub.sndhwm = 0  # so that the publisher does not drop either
    link(pub, sub)
    for message in numbered(MANY):
        pub.send(message)
    assert all_of(sub, MANY) == list(numbered(MANY))


@pytest.mark.parametrize("kinds", WAITING)
def test_who_waits_refuses_with_eagain_what_finds_no_room_and_all_that_it_took_arrives(
    narrow: Narrow, link: Link, kinds: tuple[int, int]
) -> None:
    sender, receiver = narrow(kinds[0]), narrow(kinds[1])
    link(sender, receiver)
    taken = []
    for message in numbered(2000):
        with suppress(zmq.Again):
            sender.send(message, zmq.DONTWAIT)
            taken.append(message)
    assert len(taken) < 2000
    assert all_of(receiver, len(taken)) == taken


@pytest.mark.parametrize("kinds", WAITING)
def test_a_blocking_send_waits_for_room_for_as_long_as_sndtimeo_says(
    narrow: Narrow, link: Link, until: Until, kinds: tuple[int, int]
) -> None:
    sender, receiver = narrow(kinds[0]), narrow(kinds[1])
    link(sender, receiver)
    capacity(sender)
    sender.sndtimeo = QUIET_MS

    def waits_in_vain() -> bool:
        """The kernel may still take some at first."""
        began = time.monotonic()
        try:
            sender.send(BODY)
        except zmq.Again:
            return time.monotonic() - began >= QUIET_MS / 1000
        return False

    until(waits_in_vain)


def test_what_was_waited_for_is_sent_when_there_is_room(narrow: Narrow, link: Link) -> None:
    push, pull = narrow(zmq.PUSH), narrow(zmq.PULL)
    link(push, pull)

    def send_all() -> None:
        for message in numbered(2000):
            push.send(message)

    sending = threading.Thread(target=send_all)
    sending.start()
    assert all_of(pull, 2000) == list(numbered(2000))
    sending.join()


def test_a_publisher_with_nodrop_refuses_in_place_of_dropping(narrow: Narrow, link: Link) -> None:
    pub, sub = narrow(zmq.PUB), narrow(zmq.SUB)
    pub.setsockopt(zmq.XPUB_NODROP, 1)
    link(pub, sub)
    taken = []
    for message in numbered(2000):
        with suppress(zmq.Again):
            pub.send(message, zmq.DONTWAIT)
            taken.append(message)
    assert len(taken) < 2000
    assert all_of(sub, len(taken)) == taken


def test_no_event_names_a_mark_and_none_comes_when_messages_are_dropped(narrow: Narrow, link: Link) -> None:
    assert [event.name for event in zmq.Event if "HWM" in event.name] == []
    pub, sub = narrow(zmq.PUB), narrow(zmq.SUB)
    link(pub, sub)
    monitors = [socket.get_monitor_socket(zmq.EVENT_ALL) for socket in (pub, sub)]
    for message in numbered(MANY):
        pub.send(message)
    assert len(all_of(sub)) < MANY / 2
    assert [monitor.poll(0) for monitor in monitors] == [0, 0]
    for socket in (pub, sub):
        socket.disable_monitor()


def held_over_inproc(context: zmq.Context, name: str, message: list[bytes]) -> int:
    """How many such messages a PUSH with mark 30 and a PULL with mark 12, which does not read, take in all."""
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    push.sndhwm, pull.rcvhwm = 30, 12
    push.bind(f"inproc://{name}")
    pull.connect(f"inproc://{name}")
    taken = 0
    with suppress(zmq.Again):
        while True:
            push.send_multipart(message, zmq.DONTWAIT)
            taken += 1
    return taken


@pytest.mark.parametrize("message", [[b"x"], [b"x"] * 3, [b"x" * 100_000]])
def test_over_inproc_both_marks_add_up_to_one_pipe_of_so_many_messages_of_whatever_frames_and_size(
    context: zmq.Context, message: list[bytes]
) -> None:
    assert held_over_inproc(context, "pipe", message) == 30 + 12


def test_hwm_is_no_option_of_a_socket_but_hwm_of_pyzmq_sets_both(context: zmq.Context) -> None:
    socket = context.socket(zmq.SUB)
    with pytest.raises(zmq.ZMQError, match="Invalid argument"):
        socket.setsockopt(zmq.HWM, 10_000)
    socket.hwm = 77
    assert (socket.sndhwm, socket.rcvhwm) == (77, 77)


def test_marks_are_1000_and_linger_is_without_end_if_nobody_says_otherwise(context: zmq.Context) -> None:
    socket = context.socket(zmq.PUSH)
    assert (socket.sndhwm, socket.rcvhwm, socket.linger) == (1000, 1000, -1)


def test_over_inproc_a_publisher_drops_as_well(context: zmq.Context) -> None:
    pub, sub = context.socket(zmq.PUB), context.socket(zmq.SUB)
    pub.sndhwm, sub.rcvhwm = 30, 12
    pub.bind("inproc://quotes")
    sub.connect("inproc://quotes")
    sub.subscribe(b"")
    pub.getsockopt(zmq.EVENTS)  # takes in the subscription
    for message in numbered(1000):
        pub.send(message)
    assert all_of(sub) == list(numbered(30 + 12))


@pytest.mark.parametrize("binds", [True, False])
def test_a_push_passes_by_who_is_full_while_another_has_room(
    context: zmq.Context, until: Until, binds: bool
) -> None:
    push, full, reading = context.socket(zmq.PUSH), context.socket(zmq.PULL), context.socket(zmq.PULL)
    for socket in (push, full, reading):
        socket.sndhwm = socket.rcvhwm = 10
        socket.sndbuf = socket.rcvbuf = 4096
    endpoint = bind(push) if binds else ""
    for pull in (full, reading):
        if binds:
            pull.connect(endpoint)
        else:
            push.connect(bind(pull))
    got: list[bytes] = []

    def has_room() -> bool:
        while reading.poll(0):
            got.append(reading.recv())
        return bool(push.poll(1, zmq.POLLOUT))

    for _ in range(500):
        until(has_room)
        push.send(BODY, zmq.DONTWAIT)
    left: list[bytes] = []

    def have_come() -> bool:
        got.extend(all_of(reading))
        left.extend(all_of(full))
        return len(got) + len(left) == 500

    until(have_come)
    assert 0 < len(left) < 200 < len(got)
