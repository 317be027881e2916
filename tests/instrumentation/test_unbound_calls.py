"""Subclasses that call pyzmq's functions past their own class: ``zmq.Socket.send(self, ...)``."""

import hopwatch
import pytest
import zmq
from journal_reader import Journal
from zmq.backend import Socket as BackendSocket


class Unbound(zmq.Socket):
    """Every method that hopwatch has a way of its own for, as subclasses were once written."""

    def send(self, data, flags=0, copy=True, track=False, **kwargs):
        return zmq.Socket.send(self, data, flags, copy, track, **kwargs)

    def recv(self, flags=0, copy=True, track=False):
        return zmq.Socket.recv(self, flags, copy, track)

    def get(self, option):
        return zmq.Socket.get(self, option)

    def getsockopt(self, option):
        return zmq.Socket.getsockopt(self, option)

    def set(self, option, value):
        zmq.Socket.set(self, option, value)

    def setsockopt(self, option, value):
        zmq.Socket.setsockopt(self, option, value)

    def bind(self, addr):
        return zmq.Socket.bind(self, addr)

    def connect(self, addr):
        return zmq.Socket.connect(self, addr)

    def unbind(self, addr):
        zmq.Socket.unbind(self, addr)

    def disconnect(self, addr):
        zmq.Socket.disconnect(self, addr)

    def poll(self, *args):
        return zmq.Socket.poll(self, *args)

    def close(self, linger=None):
        zmq.Socket.close(self, linger)


class OfUnbound(Unbound):
    """A subclass of such a class, with methods above those."""

    def send(self, data, *args, **kwargs):
        return super().send(data, *args, **kwargs)

    def recv(self, *args, **kwargs):
        return super().recv(*args, **kwargs)

    def close(self, *args):
        super().close(*args)


@pytest.mark.parametrize("sequence", [None, "stamp", "count", hopwatch.sequences.bitcoin_core])
@pytest.mark.parametrize("kind", [Unbound, OfUnbound])
def test_calls_past_the_class_go_the_sockets_own_way(
    journal: Journal, until, kind: type[zmq.Socket], sequence: object
) -> None:
    with zmq.Context() as context:
        pub = hopwatch.wrap(kind(context, zmq.PUB), name="pub", sequence=sequence)
        sub = hopwatch.wrap(kind(context, zmq.SUB), name="sub", sequence=sequence)
        pub.bind("tcp://127.0.0.1:*")
        endpoint = pub.getsockopt(zmq.LAST_ENDPOINT).rstrip(b"\0").decode()
        sub.setsockopt(zmq.SUBSCRIBE, b"")
        sub.connect(endpoint)
        until(lambda: pub.getsockopt(zmq.EVENTS) and pub.getsockopt(zmq.TOPICS_COUNT))
        pub.send(b"topic", zmq.SNDMORE)
        pub.send(b"body")
        assert sub.poll(5000)
        frames = [(sub.recv(), sub.getsockopt(zmq.RCVMORE), sub.get(zmq.RCVMORE), sub.poll(0))]
        frames += [(sub.recv(), sub.getsockopt(zmq.RCVMORE), sub.get(zmq.RCVMORE), sub.poll(0))]
        assert frames == [(b"topic", 1, 1, zmq.POLLIN), (b"body", 0, 0, 0)]
        sub.disconnect(endpoint)
        pub.unbind(endpoint)
        pub.close()
        sub.close(0)
    set_up = {"subscribe", "bind", "connect", "unbind", "disconnect", "closed"}
    assert [event["event"] for event in journal.of("pub", *set_up)] == ["bind", "unbind", "closed"]
    assert [event["event"] for event in journal.of("sub", *set_up)] == [
        "subscribe",
        "connect",
        "disconnect",
        "closed",
    ]
    assert (journal.socket("pub")["sent"], journal.socket("sub")["received"]) == (1, 1)
    assert journal.events("fault") == []


class PastUs(zmq.Socket):
    """Sends some messages as any socket does, and others past its class."""

    def send_multipart(self, parts):
        for part in parts[:-1]:
            BackendSocket.send(self, part, zmq.SNDMORE)
        return BackendSocket.send(self, parts[-1])


class ThroughUs(zmq.Socket):
    """Has ways of its own to send, which lead where those of any socket do."""

    def send(self, data, *args, **kwargs):
        return super().send(data, *args, **kwargs)

    def send_twice(self, data):
        self.send(data)
        self.send(data)


@pytest.mark.parametrize(("kind", "probed"), [(PastUs, False), (ThroughUs, True), (zmq.Socket, True)])
def test_a_class_that_may_send_past_us_is_not_probed_and_drops_as_a_bare_one(
    context: zmq.Context, journal: Journal, until, kind: type[zmq.Socket], probed: bool
) -> None:
    pub, sub = kind(context, zmq.PUB), context.socket(zmq.SUB)
    context.kept.insert(0, pub)
    hopwatch.wrap(pub, name="pub")
    pub.sndhwm = sub.rcvhwm = 5
    pub.sndtimeo = 5000
    sub.subscribe(b"")
    pub.bind("inproc://pub")
    sub.connect("inproc://pub")
    until(lambda: pub.getsockopt(zmq.EVENTS) and pub.getsockopt(zmq.TOPICS_COUNT))
    pub.send(b"through us")
    for _ in range(50):
        pub.send_multipart([b"topic", b"body"])
    assert [event["probed"] for event in journal.of("pub", "opened")] == [probed]
    assert (journal.socket("pub")["onsets"] > 0) is probed
