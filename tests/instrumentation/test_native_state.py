"""What libzmq lets nobody ask for is read right, for every type of socket."""

import threading

import pytest
import zmq
from hopwatch import native_state

TYPES = [
    zmq.PAIR, zmq.PUB, zmq.SUB, zmq.REQ, zmq.REP, zmq.DEALER,
    zmq.ROUTER, zmq.PULL, zmq.PUSH, zmq.XPUB, zmq.XSUB, zmq.STREAM,
]  # fmt: skip


@pytest.mark.parametrize("socket_type", [zmq.PUB, zmq.XPUB])
def test_nodrop_is_seen_as_it_is_set(context: zmq.Context, socket_type: int) -> None:
    socket, other = context.socket(socket_type), context.socket(socket_type)
    for value in (0, 1, 0, 1):
        socket.xpub_nodrop = value
        assert native_state.nodrop_is_set(socket) is bool(value)
        assert native_state.nodrop_is_set(other) is False


@pytest.mark.parametrize("socket_type", [zmq.PUB, zmq.XPUB])
def test_other_options_and_traffic_are_not_taken_for_nodrop(
    context: zmq.Context, link, socket_type: int
) -> None:
    pub, sub = context.socket(socket_type), context.socket(zmq.SUB)
    for option in (zmq.IMMEDIATE, zmq.CONFLATE, zmq.IPV6, zmq.TCP_KEEPALIVE, zmq.INVERT_MATCHING):
        pub.set(option, 1)
    if socket_type == zmq.XPUB:
        pub.xpub_verbose = pub.xpub_verboser = pub.xpub_manual = 1
    sub.subscribe(b"")
    pub.bind_to_random_port("tcp://127.0.0.1")
    sub.connect(pub.last_endpoint.decode())
    pub.send(b"x")
    assert native_state.nodrop_is_set(pub) is False


@pytest.mark.parametrize("socket_type", [zmq.PUB, zmq.XPUB])
def test_that_the_last_value_goes_to_the_last_subscriber_is_seen_and_not_taken_for_manual_subscriptions(
    context: zmq.Context, socket_type: int
) -> None:
    socket = context.socket(socket_type)
    for value in (0, 1, 0, 1):
        socket.set(native_state.XPUB_MANUAL_LAST_VALUE, value)
        assert native_state.last_value_is_set(socket) is bool(value)
    socket.set(native_state.XPUB_MANUAL_LAST_VALUE, 0)
    socket.xpub_manual = 1
    assert native_state.last_value_is_set(socket) is False


@pytest.mark.parametrize("socket_type", TYPES)
def test_a_monitor_is_seen_as_long_as_it_is_attached(context: zmq.Context, socket_type: int) -> None:
    socket = context.socket(socket_type)
    assert native_state.monitor_is_attached(socket) is False
    receiver = socket.get_monitor_socket(zmq.EVENT_LISTENING)
    assert native_state.monitor_is_attached(socket) is True
    socket.disable_monitor()
    assert native_state.monitor_is_attached(socket) is False
    receiver.close()


@pytest.mark.parametrize("socket_type", TYPES)
def test_a_connected_and_used_socket_has_no_monitor(context: zmq.Context, socket_type: int) -> None:
    socket = context.socket(socket_type)
    socket.bind_to_random_port("tcp://127.0.0.1")
    socket.connect("tcp://127.0.0.1:1")
    assert native_state.monitor_is_attached(socket) is False


def test_a_message_that_a_router_has_begun_is_seen_until_it_ends(context: zmq.Context, link) -> None:
    router, dealer = context.socket(zmq.ROUTER), context.socket(zmq.DEALER)
    dealer.routing_id = b"known"
    link(router, dealer)
    dealer.send(b"x")
    router.recv_multipart()
    for peer in (b"known", b"unknown"):
        assert native_state.message_is_begun(router) is False
        for part in (peer, b"1", b"2"):
            router.send(part, zmq.SNDMORE)
            assert native_state.message_is_begun(router) is True
        router.send(b"last")
    router.send(b"alone")
    assert native_state.message_is_begun(router) is False


def test_memory_that_is_not_there_is_not_known(context: zmq.Context, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(*_: object) -> int:
        raise PermissionError

    socket = context.socket(zmq.PUB)
    monkeypatch.setattr("os.open", unreadable)
    assert native_state.nodrop_is_set(socket) is None
    assert native_state.monitor_is_attached(socket) is None


@pytest.mark.parametrize("socket_type", [zmq.SUB, zmq.XSUB])
def test_a_subscription_to_everything_is_seen_and_no_other(context: zmq.Context, socket_type: int) -> None:
    socket = context.socket(socket_type)

    def subscribe(topic: bytes, on: bool = True) -> bool | None:
        if socket_type == zmq.XSUB:
            socket.send(bytes([on]) + topic)
        else:
            socket.setsockopt(zmq.SUBSCRIBE if on else zmq.UNSUBSCRIBE, topic)
        return native_state.subscribes_to_everything(socket)

    assert native_state.subscribes_to_everything(socket) is False
    assert subscribe(b"some") is False
    assert subscribe(b"") is True
    assert subscribe(b"", on=False) is False


def test_what_is_found_does_not_depend_on_what_else_libzmq_does(context: zmq.Context) -> None:
    """Its threads write to the same objects meanwhile; one wrong guess would last as long as the process."""
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            push.send(b"x" * 1000)
            pull.recv()

    working = threading.Thread(target=work)
    working.start()
    answers = set()
    try:
        for _ in range(30):
            watched, router = context.socket(zmq.PUSH), context.socket(zmq.ROUTER)
            native_state._monitor_pointer.cache_clear()  # noqa: SLF001 -- what is tested is done once a process
            native_state._option_byte.cache_clear()  # noqa: SLF001
            answers.add((native_state.monitor_is_attached(watched), native_state.mandatory_is_set(router)))
    finally:
        stop.set()
        working.join()
    assert answers == {(False, False)}


def test_mandatory_is_seen_as_it_is_set(context: zmq.Context) -> None:
    router, other = context.socket(zmq.ROUTER), context.socket(zmq.ROUTER)
    for option in (zmq.ROUTER_HANDOVER, zmq.PROBE_ROUTER, zmq.IMMEDIATE, zmq.IPV6):
        router.set(option, 1)
    for value in (0, 1, 0, 1):
        router.router_mandatory = value
        assert native_state.mandatory_is_set(router) is bool(value)
        assert native_state.mandatory_is_set(other) is False
