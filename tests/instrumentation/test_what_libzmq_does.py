"""What the causes and findings rest on, shown by bare sockets: options that lose messages by design."""

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest
import zmq
from set_up_sockets import bind_below_calling_ports, bind_once_free
from zmq.utils.monitor import recv_monitor_message

Until = Callable[[Callable[[], object]], None]
BOUND = 1000
QUIET_MS = 500
SMALL_BUFFER = 9000


def test_of_the_subscriptions_of_a_conflating_socket_the_last_alone_arrives(
    context: zmq.Context, until: Until
) -> None:
    pub, sub = context.socket(zmq.PUB), context.socket(zmq.SUB)
    sub.setsockopt(zmq.CONFLATE, 1)
    for topic in (b"a", b"b", b"c"):
        sub.subscribe(topic)
    sub.connect(f"tcp://127.0.0.1:{pub.bind_to_random_port('tcp://127.0.0.1')}")
    until(lambda: pub.getsockopt(zmq.EVENTS) and pub.getsockopt(zmq.TOPICS_COUNT))
    for message in (b"a1", b"b1", b"c1"):
        pub.send(message)
    until(lambda: sub.poll(1))
    assert sub.recv() == b"c1"
    assert pub.getsockopt(zmq.TOPICS_COUNT) == 1


def set_afterwards(
    context: zmq.Context, option: int, value: int, *, receiver_connects: bool
) -> tuple[zmq.Socket, zmq.Socket]:
    """PUSH and PULL, of which the PULL got the option when it was bound or had connected."""
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    bound, connecting = (push, pull) if receiver_connects else (pull, push)
    endpoint = f"tcp://127.0.0.1:{bound.bind_to_random_port('tcp://127.0.0.1')}"
    if not receiver_connects:
        pull.setsockopt(option, value)
    connecting.connect(endpoint)
    if receiver_connects:
        pull.setsockopt(option, value)
    return push, pull


@pytest.mark.parametrize("receiver_connects", [True, False])
def test_a_bound_of_size_that_is_set_after_the_bind_or_connect_does_nothing(
    context: zmq.Context, receiver_connects: bool
) -> None:
    push, pull = set_afterwards(context, zmq.MAXMSGSIZE, BOUND, receiver_connects=receiver_connects)
    push.send(b"x" * (BOUND + 1))
    assert len(pull.recv()) == BOUND + 1


@pytest.mark.parametrize("receiver_connects", [True, False])
def test_conflation_that_is_set_after_the_bind_or_connect_does_nothing(
    context: zmq.Context, receiver_connects: bool
) -> None:
    push, pull = set_afterwards(context, zmq.CONFLATE, 1, receiver_connects=receiver_connects)
    for number in range(100):
        push.send(b"%d" % number)
    assert [int(pull.recv()) for _ in range(100)] == list(range(100))


def pair(context: zmq.Context, *, receiver_connects: bool) -> tuple[zmq.Socket, zmq.Socket]:
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    pull.maxmsgsize = BOUND
    bound, connecting = (push, pull) if receiver_connects else (pull, push)
    connecting.connect(f"tcp://127.0.0.1:{bound.bind_to_random_port('tcp://127.0.0.1')}")
    push.send(b"first")
    assert pull.recv() == b"first"
    return push, pull


def is_refused(push: zmq.Socket) -> bool:
    try:
        push.send(b"after", zmq.DONTWAIT)
    except zmq.Again:
        return True
    return False


@pytest.mark.skipif(shutil.which("ss") is None, reason="ss not installed")
@pytest.mark.parametrize("option", ["sndbuf", "rcvbuf"])
@pytest.mark.parametrize("binds", [True, False])
def test_a_buffer_that_is_set_after_the_bind_or_connect_does_nothing(
    context: zmq.Context, option: str, binds: bool
) -> None:
    # Linux takes twice what it is told
    assert buffer_of(context, option, binds=binds, late=False) == 2 * SMALL_BUFFER
    assert buffer_of(context, option, binds=binds, late=True) > 2 * SMALL_BUFFER


def buffer_of(context: zmq.Context, option: str, *, binds: bool, late: bool) -> int:
    """Bytes that the kernel gives the connection of a PUSH that set SNDBUF, or of a PULL that set RCVBUF, before or after it bound or connected."""
    sender, receiver = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    own, peer = (sender, receiver) if option == "sndbuf" else (receiver, sender)
    if not late:
        setattr(own, option, SMALL_BUFFER)
    bound, other = (own, peer) if binds else (peer, own)
    port = bound.bind_to_random_port("tcp://127.0.0.1")
    if binds and late:
        setattr(own, option, SMALL_BUFFER)
    other.connect(f"tcp://127.0.0.1:{port}")
    if not binds and late:
        setattr(own, option, SMALL_BUFFER)
    sender.send(b"")
    receiver.recv()
    side = "sport" if binds else "dport"
    told = subprocess.run(
        ["ss", "-tmn", side, "=", f":{port}"], capture_output=True, text=True, check=True
    ).stdout
    for socket in (sender, receiver):
        socket.close(0)
    found = re.search(r",tb(\d+)," if option == "sndbuf" else r",rb(\d+),", told)
    assert found is not None, told
    return int(found[1])


@pytest.mark.parametrize("receiver_connects", [True, False])
def test_a_receiver_hangs_up_on_what_is_too_large_and_one_that_connected_does_not_connect_again(
    context: zmq.Context, until: Until, receiver_connects: bool
) -> None:
    push, pull = pair(context, receiver_connects=receiver_connects)
    monitor = push.get_monitor_socket(zmq.EVENT_DISCONNECTED)
    push.send(b"x" * (BOUND + 1))
    until(lambda: monitor.poll(1))
    push.disable_monitor()
    if receiver_connects:
        until(lambda: is_refused(push))
        assert not pull.poll(QUIET_MS)
        assert is_refused(push)
    else:
        push.send(b"after")
        until(lambda: pull.poll(1))
        assert pull.recv() == b"after"


def test_a_pub_that_connects_is_back_after_its_reader_hung_up_on_what_was_too_large(
    context: zmq.Context, until: Until
) -> None:
    pub, sub = context.socket(zmq.PUB), context.socket(zmq.SUB)
    sub.maxmsgsize = BOUND
    sub.subscribe(b"")
    pub.connect(f"tcp://127.0.0.1:{sub.bind_to_random_port('tcp://127.0.0.1')}")
    monitor = pub.get_monitor_socket(zmq.EVENT_DISCONNECTED)

    def comes() -> bool:
        pub.send(b"small")
        return bool(sub.poll(1))

    until(comes)
    pub.send(b"x" * (BOUND + 1))
    until(lambda: monitor.poll(1))
    pub.disable_monitor()
    while sub.poll(QUIET_MS):
        sub.recv()
    until(comes)
    assert sub.recv() == b"small"


def test_a_pub_that_connects_sends_on_to_who_is_bound_in_its_readers_place_whether_or_not_that_subscribes(
    context: zmq.Context, until: Until
) -> None:
    pub, former = context.socket(zmq.PUB), context.socket(zmq.XSUB)
    endpoint = f"tcp://127.0.0.1:{bind_below_calling_ports(former)}"
    pub.connect(endpoint)
    former.send(b"\x01")
    until(lambda: pub.send(b"heard") or former.poll(1))
    monitor = pub.get_monitor_socket(zmq.EVENT_DISCONNECTED)
    former.close()
    until(lambda: monitor.poll(1))
    for number in range(5):
        pub.send(b"%d" % number)
    came_later = context.socket(zmq.XSUB)
    bind_once_free(came_later, endpoint, until)
    until(lambda: came_later.poll(1))
    assert [came_later.recv() for _ in range(5)] == [b"%d" % number for number in range(5)]
    pub.send(b"after")
    until(lambda: came_later.poll(1))
    assert came_later.recv() == b"after"
    pub.disable_monitor()


def test_the_bound_of_size_is_of_each_frame(context: zmq.Context) -> None:
    push, pull = pair(context, receiver_connects=True)
    message = [b"topic", b"x" * (BOUND - 400), b"x" * (BOUND - 400)]
    push.send_multipart(message)
    assert pull.recv_multipart() == message


def test_a_receiver_reads_on_what_had_reached_it_when_its_sender_is_gone(context: zmq.Context) -> None:
    ended = zmq.Context()
    push, pull = ended.socket(zmq.PUSH), context.socket(zmq.PULL)
    pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")
    for number in range(500):
        push.send(b"%d" % number)
    push.close()
    ended.term()
    assert [int(pull.recv()) for _ in range(500)] == list(range(500))


def fewest_unread_at_a_drop(context: zmq.Context, mark: int, frames: int) -> int:
    """Of a pipe that was filled to its mark and then read from: what still lay in it when the next message was dropped."""
    more = [b"more"] * (frames - 1)
    unread_at_drops = []
    for read in range(mark):
        endpoint = f"inproc://{frames}-{mark}-{read}"
        pub, sub = context.socket(zmq.PUB), context.socket(zmq.SUB)
        pub.sndhwm, sub.rcvhwm = mark - 1, 1
        pub.bind(endpoint)
        sub.connect(endpoint)
        sub.subscribe(b"")
        take_in(pub, sub)
        for _ in range(mark):
            pub.send_multipart([b"old", *more])
        take_in(pub, sub)
        assert [sub.recv_multipart(zmq.DONTWAIT)[0] for _ in range(read)] == [b"old"] * read
        take_in(pub, sub)
        pub.send_multipart([b"new", *more])
        take_in(pub, sub)
        left = [sub.recv_multipart()[0] for _ in range(mark - read + 1) if sub.poll(0)]
        if b"new" not in left:
            unread_at_drops.append(len(left))
        pub.close()
        sub.close()
    return min(unread_at_drops)


def take_in(*sockets: zmq.Socket) -> None:
    for socket in sockets * 2:
        socket.getsockopt(zmq.EVENTS)


@pytest.mark.parametrize("frames", [1, 2, 3])
@pytest.mark.parametrize("mark", [3, 10, 101])
def test_a_pipe_that_drops_holds_more_than_half_of_its_mark_in_messages(
    context: zmq.Context, mark: int, frames: int
) -> None:
    assert mark / 2 < fewest_unread_at_a_drop(context, mark, frames) <= mark


@pytest.mark.parametrize(
    ("calls", "wanted"),
    [
        (["unsubscribe", "subscribe"], True),
        (["subscribe", "unsubscribe", "unsubscribe", "subscribe"], True),
        (["subscribe", "subscribe", "unsubscribe"], True),
        (["subscribe", "unsubscribe"], False),
    ],
)
def test_of_what_is_not_subscribed_to_an_unsubscription_does_nothing(
    context: zmq.Context, until: Until, calls: list[str], wanted: bool
) -> None:
    pub, sub = context.socket(zmq.PUB), context.socket(zmq.SUB)
    for call in calls:
        getattr(sub, call)(b"topic")
    sub.subscribe(b"last")
    sub.connect(f"tcp://127.0.0.1:{pub.bind_to_random_port('tcp://127.0.0.1')}")
    until(lambda: pub.send(b"last") or sub.poll(1))
    for _ in range(5):
        pub.send(b"topic")
    pub.send(b"last of all")
    came = list(iter(sub.recv, b"last of all"))
    assert came.count(b"topic") == (5 if wanted else 0)


def worker_of(context: zmq.Context, router: zmq.Socket, endpoint: str) -> zmq.Socket:
    worker = context.socket(zmq.DEALER)
    worker.routing_id = b"worker"
    worker.connect(endpoint)
    worker.send(b"ready")
    assert router.recv_multipart() == [b"worker", b"ready"]
    return worker


def test_who_takes_a_routing_id_over_gets_all_from_then_on_and_the_former_owner_all_before_and_stays_connected(
    context: zmq.Context, until: Until
) -> None:
    router = context.socket(zmq.ROUTER)
    router.router_handover = 1
    endpoint = f"tcp://127.0.0.1:{router.bind_to_random_port('tcp://127.0.0.1')}"
    former = worker_of(context, router, endpoint)
    monitors = [
        former.get_monitor_socket(zmq.EVENT_DISCONNECTED),
        router.get_monitor_socket(zmq.EVENT_DISCONNECTED),
    ]
    send_numbers(router, range(100))
    later = worker_of(context, router, endpoint)
    send_numbers(router, range(100, 250))
    until(lambda: former.poll(1))
    assert [int(former.recv()) for _ in range(100)] == list(range(100))
    assert not former.poll(QUIET_MS)
    assert not any(monitor.poll(0) for monitor in monitors)
    for socket in (former, router):
        socket.disable_monitor()
    former.close()
    send_numbers(router, range(250, 300))
    assert [int(later.recv()) for _ in range(200)] == list(range(100, 300))


def send_numbers(router: zmq.Socket, numbers: range) -> None:
    for number in numbers:
        router.send_multipart([b"worker", b"%d" % number])


GIVEN_UP = """
import sys, zmq
context = zmq.Context()
for number in range(200):
    socket = context.socket(getattr(zmq, sys.argv[1]))
    socket.connect(f"inproc://{number}")
    socket.disconnect(f"inproc://{number}")
    socket.getsockopt(zmq.EVENTS)
    socket.bind(f"inproc://{number}")
    socket.close()
"""


@pytest.mark.parametrize(("kind", "ends"), [("ROUTER", True), ("REP", True), ("DEALER", False)])
def test_who_hands_over_routing_ids_and_binds_an_inproc_endpoint_that_it_gave_up_ends_its_process(
    kind: str, ends: bool
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", GIVEN_UP, kind], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode == -signal.SIGABRT) is ends
    assert ("Assertion failed: written (src/pipe.cpp" in ended.stderr) is ends


def events_of(monitor: zmq.Socket) -> list[zmq.Event]:
    """What it has told so far."""
    found = []
    while monitor.poll(0):
        found.append(recv_monitor_message(monitor)["event"])
    return found


@pytest.mark.parametrize("kinds", [(zmq.PUSH, zmq.SUB), (zmq.PUB, zmq.PULL)])
def test_types_that_do_not_fit_hang_up_before_any_handshake_and_do_not_try_again(
    context: zmq.Context, until: Until, kinds: tuple[int, int]
) -> None:
    bound, connecting = (context.socket(kind) for kind in kinds)
    monitor = connecting.get_monitor_socket(zmq.EVENT_ALL)
    told: list[zmq.Event] = []
    connecting.connect(f"tcp://127.0.0.1:{bound.bind_to_random_port('tcp://127.0.0.1')}")
    until(lambda: told.extend(events_of(monitor)) or zmq.EVENT_DISCONNECTED in told)
    assert not monitor.poll(QUIET_MS), "the first try would be after 100 ms"
    assert told == [zmq.EVENT_CONNECT_DELAYED, zmq.EVENT_CONNECTED, zmq.EVENT_DISCONNECTED]
    connecting.disable_monitor()


def test_a_client_without_a_routing_id_is_another_one_each_time_that_it_connects(
    context: zmq.Context, until: Until
) -> None:
    router, client = context.socket(zmq.ROUTER), context.socket(zmq.DEALER)
    endpoint = f"tcp://127.0.0.1:{router.bind_to_random_port('tcp://127.0.0.1')}"
    monitor = router.get_monitor_socket(zmq.EVENT_DISCONNECTED)
    names = []
    for _ in range(3):
        client.connect(endpoint)
        client.send(b"hello")
        names.append(router.recv_multipart()[0])
        client.disconnect(endpoint)
        until(lambda: client.getsockopt(zmq.EVENTS) is not None and bool(events_of(monitor)))
    assert len(set(names)) == 3
    router.disable_monitor()
