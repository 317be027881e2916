"""tornado's sockets and streams, pyzmq's devices and decorators, over wrapped sockets."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import hopwatch
import pytest
import zmq
import zmq.asyncio
import zmq.eventloop.future
from journal_reader import Journal
from zmq.decorators import context as with_context
from zmq.decorators import socket as with_socket
from zmq.devices import ProcessDevice, ThreadDevice, monitored_queue
from zmq.eventloop.zmqstream import ZMQStream

Link = Callable[[zmq.Socket, zmq.Socket], None]
Until = Callable[[Callable[[], object]], None]
MESSAGES = [[b"%d" % number, b"x"] for number in range(20)]


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_a_stream_over_wrapped_sockets(
    context: zmq.Context, journal: Journal, link: Link, sequence: str | None
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push", sequence=sequence)
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull", sequence=sequence)
    link(push, pull)

    async def main() -> list[list[bytes]]:
        got: list[list[bytes]] = []
        done = asyncio.Event()

        def take(message: list[bytes]) -> None:
            got.append(message)
            if len(got) == len(MESSAGES):
                done.set()

        sending, receiving = ZMQStream(push), ZMQStream(pull)
        receiving.on_recv(take)
        for message in MESSAGES:
            sending.send_multipart(message)
        await asyncio.wait_for(done.wait(), 20)
        sending.close()
        receiving.close()
        return got

    assert asyncio.run(main()) == MESSAGES
    sent, received = (journal.of(name, "closed")[0]["counters"] for name in ("push", "pull"))
    assert (sent["sent"], received["received"], received["lost"]) == (20, 20, 0)


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_a_stream_over_a_wrapped_asyncio_socket(journal: Journal, sequence: str | None) -> None:
    async def main() -> list[bytes]:
        context = zmq.asyncio.Context()
        push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
        for socket, name in ((push, "push"), (pull, "pull")):
            hopwatch.wrap(socket, name=name, sequence=sequence)
        push.bind("inproc://stream")
        pull.connect("inproc://stream")
        got: asyncio.Future[list[bytes]] = asyncio.get_running_loop().create_future()
        with pytest.warns(RuntimeWarning):
            receiving = ZMQStream(pull)
        receiving.on_recv(got.set_result)
        await push.send_multipart([b"a", b"b"])
        message = await asyncio.wait_for(got, 20)
        receiving.close()
        push.close()
        pull.close()
        context.term()
        return message

    assert asyncio.run(main()) == [b"a", b"b"]
    assert journal.of("pull", "closed")[0]["counters"]["received"] == 1


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_tornado_sockets(journal: Journal, sequence: str | None) -> None:
    async def main() -> tuple[list[Any], int, int]:
        context = zmq.eventloop.future.Context()
        push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
        push.sndhwm = pull.rcvhwm = 1
        for socket, name in ((push, "push"), (pull, "pull")):
            hopwatch.wrap(socket, name=name, sequence=sequence)
        push.bind("inproc://tornado")
        pull.connect("inproc://tornado")
        sends = [push.send(b"%d" % number) for number in range(4)]
        waited_sends = sum(not send.done() for send in sends)
        waited_receives = 0
        got: list[Any] = []
        for _ in range(4):
            receive = pull.recv()
            waited_receives += not receive.done()
            got.append(await asyncio.wait_for(receive, 20))
        for send in sends:
            await send
        waiting = pull.recv_multipart()
        waited_receives += not waiting.done()
        last = push.send_multipart([b"a", b"b"])
        waited_sends += not last.done()
        await last
        got.append(await asyncio.wait_for(waiting, 20))
        pull.rcvtimeo = 1
        with pytest.raises(zmq.Again):
            await pull.recv()
        push.close()
        pull.close()
        context.term()
        return got, waited_sends, waited_receives + 1

    got, waited_sends, waited_receives = asyncio.run(main())
    assert got == [b"0", b"1", b"2", b"3", [b"a", b"b"]]
    assert waited_sends >= 2
    sent, received = (journal.of(name, "closed")[0]["counters"] for name in ("push", "pull"))
    assert (sent["sent"], sent["eagain_sends"], sent["pending_sends"]) == (5, 0, 0)
    assert (received["received"], received["eagain_receives"]) == (5, 1)
    assert (sent["waited_sends"], received["waited_receives"]) == (waited_sends, waited_receives)
    assert received["lost"] == 0


class WrappedDevice(ThreadDevice):
    """A device whose two sockets are wrapped."""

    def _setup_sockets(self) -> tuple[zmq.Socket, zmq.Socket]:
        ins, outs = super()._setup_sockets()
        hopwatch.wrap(ins, name="in")
        hopwatch.wrap(outs, name="out")
        return ins, outs


def pass_through(context: zmq.Context, source_port: int, sink_port: int) -> list[list[bytes]]:
    """What comes out of a device, of what wrapped and stamped sockets send through it."""
    source = hopwatch.wrap(context.socket(zmq.PUSH), name="source", sequence="stamp")
    sink = hopwatch.wrap(context.socket(zmq.PULL), name="sink", sequence="stamp")
    sink.rcvtimeo = 20_000
    source.connect(f"tcp://127.0.0.1:{source_port}")
    sink.connect(f"tcp://127.0.0.1:{sink_port}")
    for message in MESSAGES:
        source.send_multipart(message)
    return [sink.recv_multipart() for _ in MESSAGES]


def test_a_thread_device_of_wrapped_sockets(context: zmq.Context, journal: Journal) -> None:
    device = WrappedDevice(zmq.STREAMER, zmq.PULL, zmq.PUSH)
    own = zmq.Context()
    device.context_factory = lambda: own
    source_port = device.bind_in_to_random_port("tcp://127.0.0.1")
    sink_port = device.bind_out_to_random_port("tcp://127.0.0.1")
    device.start()
    assert pass_through(context, source_port, sink_port) == MESSAGES
    own.destroy(linger=0)
    device.join(20)
    assert journal.socket("sink")["lost"] == 0
    assert journal.socket("sink")["received"] == 20


def test_a_process_device_between_wrapped_sockets(context: zmq.Context, journal: Journal) -> None:
    device = ProcessDevice(zmq.STREAMER, zmq.PULL, zmq.PUSH)
    source_port = device.bind_in_to_random_port("tcp://127.0.0.1")
    sink_port = device.bind_out_to_random_port("tcp://127.0.0.1")
    device.start()
    try:
        assert pass_through(context, source_port, sink_port) == MESSAGES
    finally:
        device.launcher.terminate()
        device.join(20)
    assert journal.socket("sink")["lost"] == 0


@pytest.mark.parametrize("how", ["proxy", "proxy_steerable", "monitored_queue"])
@pytest.mark.parametrize("wrapped", [False, True], ids=["bare", "wrapped"])
def test_pyzmqs_proxies_pass_what_stamped_sockets_send(
    context: zmq.Context, journal: Journal, until: Until, how: str, wrapped: bool
) -> None:
    own = zmq.Context()
    frontend, backend, capture = own.socket(zmq.XSUB), own.socket(zmq.XPUB), own.socket(zmq.PUB)
    if wrapped:
        for socket, name in ((frontend, "in"), (backend, "out"), (capture, "capture")):
            hopwatch.wrap(socket, name=name)
    publisher = hopwatch.wrap(context.socket(zmq.PUB), name="pub", sequence="stamp")
    subscriber = hopwatch.wrap(context.socket(zmq.SUB), name="sub", sequence="stamp")
    subscriber.subscribe(b"")
    subscriber.rcvtimeo = 20_000
    frontend.connect(f"tcp://127.0.0.1:{publisher.bind_to_random_port('tcp://127.0.0.1')}")
    subscriber.connect(f"tcp://127.0.0.1:{backend.bind_to_random_port('tcp://127.0.0.1')}")

    def run() -> None:
        try:
            if how == "proxy":
                zmq.proxy(frontend, backend, capture)
            elif how == "proxy_steerable":
                zmq.proxy_steerable(frontend, backend, capture, None)
            else:
                monitored_queue(frontend, backend, capture)
        except zmq.ZMQError:
            frontend.close(linger=0)
            backend.close(linger=0)
            capture.close(linger=0)

    running = threading.Thread(target=run)
    running.start()
    until(lambda: publisher.getsockopt(zmq.EVENTS) and publisher.getsockopt(zmq.TOPICS_COUNT))
    for message in MESSAGES:
        publisher.send_multipart(message)
    assert [subscriber.recv_multipart() for _ in MESSAGES] == MESSAGES
    own.term()
    running.join(20)
    assert not running.is_alive()
    assert journal.socket("sub")["lost"] == 0
    assert journal.events("fault") == []


@with_context()
@with_socket(zmq.PUSH)
@with_socket(zmq.PULL)
def decorated(context: zmq.Context, push: zmq.Socket, pull: zmq.Socket) -> bytes:
    hopwatch.wrap(push, name="push", sequence="stamp")
    hopwatch.wrap(pull, name="pull", sequence="stamp")
    push.bind("inproc://decorated")
    pull.connect("inproc://decorated")
    push.send(b"x")
    return pull.recv()


def test_sockets_of_decorators(journal: Journal) -> None:
    assert decorated() == b"x"
    assert journal.of("pull", "closed")[0]["counters"]["received"] == 1
