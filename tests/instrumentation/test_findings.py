"""Findings: each is shown true by a run over bare sockets, and told at the right moment by a wrapped one, once."""

import ctypes
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import hopwatch
import pytest
import zmq
from journal_reader import Journal

BODY = b"x" * 2000
LOOPBACK = "tcp://127.0.0.1:*"


def rules(socket: zmq.Socket) -> list[str]:
    return [finding.rule for finding in hopwatch.findings(socket)]


def bind(socket: zmq.Socket, endpoint: str = LOOPBACK) -> str:
    socket.bind(endpoint)
    return socket.last_endpoint.decode()


def capacity(push: zmq.Socket, at_most: int = 100_000) -> int:
    """How many messages a sender is rid of while nobody reads."""
    sent = refused_in_a_row = 0
    while refused_in_a_row < 250 and sent < at_most:
        with suppress(zmq.Again):
            push.send(BODY, zmq.DONTWAIT)
            sent += 1
            refused_in_a_row = 0
            continue
        refused_in_a_row += 1
        time.sleep(0.001)  # a busy machine makes longer ones of these
    return sent


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
    assert event["advice"] == ("Set SNDHWM instead." if option == "rcvhwm" else "Set RCVHWM instead.")


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
    pub.sndhwm = 5000
    assert rules(pub) == ["mark_set_after_bind"]
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
    arrived = 0
    while xpub.poll(300):
        arrived += len([xpub.recv()])
    assert arrived == arrive


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
    for number in range(10):
        sub.subscribe(b"%03d" % number)
    assert rules(sub) == []
    sub.subscribe(b"one more")
    sub.subscribe(b"and another")
    assert rules(sub) == ["subscriptions_beyond_mark"]


@pytest.mark.parametrize("how", ["option", "close", "destroy"])
@pytest.mark.parametrize("wrapped", [True, False])
def test_a_push_without_linger_throws_away_what_is_queued(journal: Journal, how: str, wrapped: bool) -> None:
    with zmq.Context() as receiving, receiving.socket(zmq.PULL) as pull:
        pull.rcvhwm = 10
        pull.rcvbuf = 4096
        sending = zmq.Context()
        push = sending.socket(zmq.PUSH)
        push.sndbuf = 4096
        if wrapped:
            hopwatch.wrap(push, name="push")
        push.connect(bind(pull))
        for number in range(500):
            push.send(b"%06d" % number + BODY)
        if how == "option":
            push.linger = 0
            push.close()
        elif how == "close":
            push.close(linger=0)
        if how == "destroy":
            sending.destroy(linger=0)
        else:
            sending.term()
        received = 0
        while pull.poll(200):
            pull.recv()
            received += 1
        assert received < 500
    if wrapped:
        assert [event["rule"] for event in journal.of("push", "finding")] == ["no_linger"]


def test_no_linger_is_told_at_once_where_the_socket_had_it_before(
    context: zmq.Context, journal: Journal
) -> None:
    dealer, pub = context.socket(zmq.DEALER), context.socket(zmq.PUB)
    for socket in (dealer, pub):
        socket.linger = 0
        hopwatch.wrap(socket)
    assert rules(dealer) == ["no_linger"]
    assert rules(pub) == []


@pytest.mark.parametrize("kinds", [(zmq.PUSH, zmq.PULL), (zmq.DEALER, zmq.DEALER), (zmq.PAIR, zmq.PAIR)])
@pytest.mark.parametrize("transport", ["tcp", "ipc"])
def test_over_ipc_a_closing_sender_loses_what_a_low_mark_kept_unread_and_over_tcp_not(
    tmp_path: Path, until, kinds: tuple[int, int], transport: str
) -> None:
    with zmq.Context() as receiving, receiving.socket(kinds[1]) as receiver:
        receiver.rcvhwm = 10
        endpoint = bind(receiver, LOOPBACK if transport == "tcp" else f"ipc://{tmp_path}/pipe")
        with zmq.Context() as sending, sending.socket(kinds[0]) as sender:
            sender.connect(endpoint)
            for _ in range(40):
                sender.send(BODY)
                time.sleep(
                    0.005
                )  # each in a write of its own, so that they stay in the kernel and not in one read of libzmq's
        received = 0
        while receiver.poll(300):
            receiver.recv()
            received += 1
    assert received == 40 if transport == "tcp" else 10 <= received < 40


def test_a_low_mark_is_found_over_ipc_alone(context: zmq.Context, journal: Journal, tmp_path: Path) -> None:
    pull = hopwatch.wrap(context.socket(zmq.PULL))
    pull.rcvhwm = 10
    bind(pull)
    assert rules(pull) == []
    bind(pull, f"ipc://{tmp_path}/pipe")
    assert rules(pull) == ["low_mark_over_ipc"]


@pytest.mark.parametrize("conflating", ["sender", "receiver"])
def test_of_a_message_of_several_frames_a_conflating_socket_leaves_the_last(
    context: zmq.Context, conflating: str
) -> None:
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    (push if conflating == "sender" else pull).conflate = 1
    push.connect(bind(pull))
    push.send_multipart([b"first", b"last"])
    assert pull.poll(5000)
    assert pull.recv_multipart() == [b"last"]


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_a_conflating_sender_is_told_at_its_first_message_of_several_frames(
    context: zmq.Context, journal: Journal, before: bool, sequence: str | None
) -> None:
    push = context.socket(zmq.PUSH)
    if before:
        push.conflate = 1
    hopwatch.wrap(push, sequence=sequence)
    if not before:
        push.conflate = 1
    pull = context.socket(zmq.PULL)
    push.connect(bind(pull))
    push.send(b"alone")
    assert "conflate_multipart" not in rules(push)
    push.send_multipart([b"first", b"last"])
    assert rules(push).count("conflate_multipart") == 1
    assert journal.events("fault") == []


def test_a_conflating_receiver_of_a_stamping_sender_gets_stamps_alone_and_is_told(
    context: zmq.Context, journal: Journal
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), sequence="stamp")
    pull = context.socket(zmq.PULL)
    pull.conflate = 1
    hopwatch.wrap(pull)
    pull.rcvtimeo = 500
    push.connect(bind(pull))
    push.send(b"payload")
    with pytest.raises(zmq.Again):
        pull.recv()
    assert rules(pull) == ["conflate_stamped"]


def test_a_bare_receiver_of_a_stamping_sender_gets_a_frame_more(
    context: zmq.Context, journal: Journal, link
) -> None:
    push, pull = hopwatch.wrap(context.socket(zmq.PUSH), sequence="stamp"), context.socket(zmq.PULL)
    link(push, pull)
    push.send(b"payload")
    payload, more = pull.recv_multipart()
    assert (payload, len(more)) == (b"payload", 48)


def test_one_full_subscriber_holds_up_a_blocking_publisher_that_has_nodrop(
    narrow, journal: Journal, link, until
) -> None:
    pub, slow = hopwatch.wrap(narrow(zmq.PUB), name="pub"), narrow(zmq.SUB)
    pub.xpub_nodrop = 1
    link(pub, slow)
    assert capacity(pub) > 0
    assert rules(pub) == []
    sending = threading.Thread(target=pub.send, args=(BODY,))
    sending.start()
    until(lambda: rules(pub) == ["nodrop_blocks"])
    while sending.is_alive():
        if slow.poll(10):
            slow.recv()
    sending.join()


def test_a_router_is_told_once_that_it_swallows(context: zmq.Context, journal: Journal) -> None:
    router = hopwatch.wrap(context.socket(zmq.ROUTER), name="router")
    router.send_multipart([b"nobody", b"x"])
    router.send_multipart([b"no one", b"x"])
    router.send(b"nobody")
    assert rules(router) == ["router_swallows", "routing_id_alone"]
    assert [event["rule"] for event in journal.of("router", "finding")] == rules(router)


def test_frames_of_two_threads_mix(context: zmq.Context) -> None:
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    push.connect(bind(pull))
    push.send(b"mine", zmq.SNDMORE)
    other = threading.Thread(target=push.send_multipart, args=([b"theirs", b"theirs too"],))
    other.start()
    other.join()
    push.send(b"mine too")
    assert pull.recv_multipart() == [b"mine", b"theirs", b"theirs too"]
    assert pull.recv_multipart() == [b"mine too"]


def in_turns(first: Callable[[], None], second: Callable[[], None], alive: bool) -> None:
    """One call here, one in another thread, one here again; the other thread is alive still, or has ended."""
    done, leave = threading.Event(), threading.Event()

    def call() -> None:
        second()
        done.set()
        if alive:
            leave.wait(10)

    thread = threading.Thread(target=call)
    first()
    thread.start()
    done.wait(10)
    if not alive:
        thread.join()
    first()
    leave.set()
    thread.join()


@pytest.mark.parametrize("alive", [True, False])
def test_threads_that_take_turns_are_found_and_a_socket_handed_over_is_not(
    context: zmq.Context, journal: Journal, alive: bool
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH))
    in_turns(lambda: bind(push), lambda: bind(push), alive)
    assert rules(push) == (["two_threads"] if alive else [])


def test_a_socket_made_here_and_used_there_is_fine(context: zmq.Context, journal: Journal) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH))
    worker = threading.Thread(target=lambda: [bind(push), push.setsockopt(zmq.LINGER, 7), push.close()])
    worker.start()
    worker.join()
    assert rules(push) == []


def sent_to_sleeping(context: zmq.Context, marks: list[int], count: int, until) -> list[int]:
    """How many of a burst each subscriber gets that reads only when it is over."""
    pub = context.socket(zmq.PUB)
    pub.sndhwm = 50
    pub.sndbuf = 4096
    endpoint = bind(pub)
    subs = []
    for mark in marks:
        sub = context.socket(zmq.SUB)
        sub.rcvhwm = mark
        sub.rcvbuf = 4096
        sub.subscribe(b"")
        sub.connect(endpoint)
        subs.append(sub)
    until(lambda: [pub.send(b"begin"), all(sub.poll(1) for sub in subs)][1])
    for sub in subs:
        while sub.poll(50):
            sub.recv()
    for number in range(count):
        pub.send(BODY)
        if number % 10 == 9:
            time.sleep(0.002)  # libzmq's thread gets its turn, so that SNDHWM is not what bounds the wide one
    got = []
    for sub in subs:
        got.append(0)
        while sub.poll(200):
            sub.recv()
            got[-1] += 1
    return got


def test_of_subscribers_with_very_different_marks_the_narrow_one_alone_loses(
    context: zmq.Context, until
) -> None:
    narrow_one, wide_one = sent_to_sleeping(context, [10, 10_000], 1000, until)
    assert wide_one == 1000
    assert narrow_one < 500


def test_a_burst_that_the_marks_hold_survives_a_pause_and_a_longer_one_does_not(
    context: zmq.Context, until
) -> None:
    # a pipe that was in use has room for half its mark at least: its reader tells only now and then how far it is
    assert sent_to_sleeping(context, [100], 75, until) == [75]
    assert sent_to_sleeping(context, [100], 1500, until)[0] < 1500


def test_a_libzmq_that_nothing_was_tried_on_is_found() -> None:
    from hopwatch.rules.judge import judge
    from hopwatch.rules.setup import Kind, Moment, SetUp

    def told(*version: int) -> list[str]:
        return [finding.rule for finding in judge(SetUp("PUB", version, {}), Moment(Kind.WRAPPED))]

    assert told(4, 2, 5) == told(4, 1, 8) == ["old_libzmq"]
    assert told(4, 3, 0) == told(*zmq.zmq_version_info()) == told(5, 0, 0) == []
