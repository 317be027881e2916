"""pyzmq's proxies and devices do with installed sockets what they do with bare ones, and a plain proxy is counted."""

import multiprocessing
import threading
from collections.abc import Callable, Iterator

import hopwatch
import pytest
import zmq
import zmq.devices
from hopwatch import native_state
from journal_reader import Journal


@pytest.fixture(autouse=True)
def installed(journal: Journal) -> Iterator[None]:
    hopwatch.install()
    yield
    hopwatch.uninstall()


class Relay:
    """Bound sockets, and a thread that runs a proxy on them until their context ends."""

    def __init__(self) -> None:
        self.context = zmq.Context()
        self._sockets: list[zmq.Socket] = []
        self._threads: list[threading.Thread] = []

    def socket(self, kind: int) -> zmq.Socket:
        socket = self.context.socket(kind)
        socket.linger = 0
        socket.bind_to_random_port("tcp://127.0.0.1")
        self._sockets.append(socket)
        return socket

    def start(self, run: Callable[..., object], *arguments: object) -> None:
        def target() -> None:
            with pytest.raises(zmq.ContextTerminated):
                run(*arguments)

        self._threads.append(threading.Thread(target=target))
        self._threads[-1].start()

    def end(self) -> None:
        terminating = threading.Thread(target=self.context.term)
        terminating.start()
        for thread in self._threads:
            thread.join(10)
        for socket in self._sockets:
            socket.close()
        terminating.join(10)
        assert not terminating.is_alive()


@pytest.fixture
def relay() -> Iterator[Relay]:
    relay = Relay()
    yield relay
    relay.end()


PROXIES = {
    "zmq.proxy": lambda front, back, _: zmq.proxy(front, back),
    "zmq.proxy with capture": lambda *sockets: zmq.proxy(*sockets),  # noqa: PLW0108 -- looked up when it is called
    "zmq.device": lambda front, back, _: zmq.device(zmq.QUEUE, front, back),
    "zmq.proxy_steerable": lambda front, back, capture: zmq.proxy_steerable(front, back, capture, None),
    "zmq.devices.monitored_queue": lambda *sockets: zmq.devices.monitored_queue(*sockets),  # noqa: PLW0108
    "hopwatch.proxy": hopwatch.proxy,
}


@pytest.mark.parametrize("proxy", PROXIES)
def test_a_pub_that_was_sent_on_is_not_probed_within_a_proxy(
    relay: Relay, context: zmq.Context, journal: Journal, until, proxy: str
) -> None:
    front, back, capture = (relay.socket(kind) for kind in (zmq.PULL, zmq.PUB, zmq.PUB))
    for pub in (back, capture):
        pub.send(b"probed from here on")
        assert native_state.nodrop_is_set(pub)
    relay.start(PROXIES[proxy], front, back, capture)
    until(lambda: native_state.nodrop_is_set(back) is False)
    push, sub = context.socket(zmq.PUSH), context.socket(zmq.SUB)
    sub.subscribe(b"")
    sub.connect(back.last_endpoint.decode())
    push.connect(front.last_endpoint.decode())

    def passed() -> bool:
        push.send(b"x")
        return bool(sub.poll(10))

    until(passed)
    assert native_state.nodrop_is_set(capture) is (proxy in {"zmq.proxy", "zmq.device"})


@pytest.mark.parametrize("proxy", ["zmq.proxy", "zmq.device", "hopwatch.proxy"])
def test_what_passes_a_plain_proxy_is_counted(
    relay: Relay, context: zmq.Context, journal: Journal, until, proxy: str
) -> None:
    front, back = relay.socket(zmq.ROUTER), relay.socket(zmq.DEALER)
    relay.start(PROXIES[proxy], front, back, None)
    req, rep = context.socket(zmq.REQ), context.socket(zmq.REP)
    req.connect(front.last_endpoint.decode())
    rep.connect(back.last_endpoint.decode())
    for _ in range(3):
        req.send(b"question")
        assert rep.recv() == b"question"
        rep.send(b"answer")
        assert req.recv() == b"answer"
    until(lambda: journal.events("proxy"))
    (told,) = journal.events("proxy")

    def are_counted() -> bool:
        front, back = (journal.sockets()[told[side]] for side in ("frontend", "backend"))
        return (front["proxied_out_frames"], back["proxied_in_frames"]) == (9, 9)

    until(are_counted)
    # the sockets of the proxy's own control are nobody's
    assert sorted(event["type"] for event in journal.events("opened")) == ["DEALER", "REP", "REQ", "ROUTER"]


def test_one_socket_on_both_sides_of_a_proxy_answers_itself_uncounted(
    relay: Relay, journal: Journal, until
) -> None:
    both = relay.socket(zmq.ROUTER)
    relay.start(zmq.device, zmq.QUEUE, both, both)
    until(lambda: [found["rule"] for found in journal.events("finding")] == ["handed_over"])
    assert journal.events("proxy") == []
    with zmq.Context() as context, context.socket(zmq.REQ) as asking:
        asking.connect(both.last_endpoint.decode())
        asking.send(b"who is there?")
        assert asking.recv() == b"who is there?"
    assert journal.sockets()[journal.events("finding")[0]["socket"]]["received"] == 0


@pytest.mark.parametrize("proxy", PROXIES)
def test_it_is_told_of_sockets_whose_messages_a_proxy_passes_uncounted(
    relay: Relay, journal: Journal, until, proxy: str
) -> None:
    front, back, capture = (relay.socket(kind) for kind in (zmq.PULL, zmq.PUSH, zmq.PUB))
    relay.start(PROXIES[proxy], front, back, capture)
    uncounted = {
        "zmq.proxy_steerable": ["PUB", "PULL", "PUSH"],
        "zmq.devices.monitored_queue": ["PUB", "PULL", "PUSH"],
    }.get(proxy, [])
    until(lambda: journal.events("proxy") or journal.events("finding"))
    types = {event["socket"]: event["type"] for event in journal.events("opened")}
    until(
        lambda: (
            sorted(
                types[found["socket"]]
                for found in journal.events("finding")
                if found["rule"] == "handed_over"
            )
            == uncounted
        )
    )


def test_a_proxy_with_one_bare_socket_is_told_of_the_other(journal: Journal, relay: Relay, until) -> None:
    hopwatch.uninstall()
    back = relay.socket(zmq.PUSH)
    hopwatch.install()
    front = relay.socket(zmq.PULL)
    relay.start(zmq.proxy, front, back)
    until(lambda: [found["rule"] for found in journal.events("finding")] == ["handed_over"])


class ForkedDevice(zmq.devices.ProcessDevice):
    """Starts its process as ``install`` reaches it: the usual way until Python 3.14."""

    _launch_class = multiprocessing.get_context("fork").Process


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
@pytest.mark.parametrize("device", [zmq.devices.ThreadDevice, ForkedDevice])
def test_a_device_passes_messages_and_its_sockets_are_wrapped(
    context: zmq.Context, journal: Journal, until, device: type[zmq.devices.Device]
) -> None:
    contexts: list[zmq.Context] = []

    def make_context() -> zmq.Context:
        contexts.append(zmq.Context())
        return contexts[-1]

    running = device(zmq.STREAMER, zmq.PULL, zmq.PUSH)
    ports = (
        running.bind_in_to_random_port("tcp://127.0.0.1"),
        running.bind_out_to_random_port("tcp://127.0.0.1"),
    )
    running.context_factory = make_context
    running.start()
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    push.connect(f"tcp://127.0.0.1:{ports[0]}")
    pull.connect(f"tcp://127.0.0.1:{ports[1]}")
    for number in range(5):
        push.send_multipart([b"a", b"%d" % number])
        assert pull.recv_multipart() == [b"a", b"%d" % number]
    until(lambda: len(journal.events("proxy")) == 1)
    (proxy,) = journal.events("proxy")
    until(lambda: journal.sockets()[proxy["frontend"]]["proxied_in_frames"] == 10)
    if isinstance(running, zmq.devices.ProcessDevice):
        running.launcher.kill()
    for made in contexts:
        made.term()
    running.join(10)


@pytest.mark.parametrize("device", [zmq.devices.ThreadMonitoredQueue, zmq.devices.ThreadProxy])
def test_a_device_with_a_monitor_socket_tells_it_all(
    context: zmq.Context, journal: Journal, until, device: type
) -> None:
    device_context = zmq.Context()
    running = device(zmq.ROUTER, zmq.DEALER, zmq.PUB)
    running.context_factory = lambda: device_context
    ports = [
        bind("tcp://127.0.0.1")
        for bind in (
            running.bind_in_to_random_port,
            running.bind_out_to_random_port,
            running.bind_mon_to_random_port,
        )
    ]
    running.start()
    req, rep, sub = (context.socket(kind) for kind in (zmq.REQ, zmq.REP, zmq.SUB))
    sub.subscribe(b"")
    for socket, port in zip((req, rep, sub), ports, strict=True):
        socket.connect(f"tcp://127.0.0.1:{port}")

    def told() -> bool:
        req.send(b"question")
        rep.send(rep.recv())
        assert req.recv() == b"question"
        return bool(sub.poll(10))

    until(told)
    assert sub.recv_multipart()[-1] == b"question"
    device_context.term()
    running.join(10)


def test_wrong_arguments_are_refused_as_by_the_bare_function(context: zmq.Context) -> None:
    with pytest.raises(TypeError):
        zmq.proxy()
    with pytest.raises(TypeError):
        zmq.proxy("front", "back")
