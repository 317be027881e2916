"""What libzmq and the kernel do that advice tells users to rely on: seen on bare sockets."""

import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import zmq
from numbered_messages import all_of

LARGE = b"x" * 10_000
FAR_TOO_MANY = 20_000
QUIET_MS = 200
TOO_LARGE = 1 << 30
MARK = 20
SENDER = """
import signal, sys, zmq
socket = zmq.Context().socket(zmq.PUSH)
socket.sndhwm, socket.sndbuf, socket.sndtimeo = int(sys.argv[2]), 4096, 1000
socket.connect(sys.argv[1])
sent = 0
try:
    while True:
        socket.send(b"x" * 20)
        sent += 1
except zmq.Again:
    print(sent, flush=True)
signal.pause()
"""
WRITTEN_AT_ONCE = 8192


@pytest.mark.parametrize("verbose", [False, True])
def test_an_xpub_reads_the_second_subscription_to_a_topic_only_if_it_is_verbose(
    context: zmq.Context, verbose: bool
) -> None:
    publisher = context.socket(zmq.XPUB)
    publisher.setsockopt(zmq.XPUB_VERBOSE, verbose)
    port = publisher.bind_to_random_port("tcp://127.0.0.1")
    for reads in ([b"\x01t"], [b"\x01t"] * verbose):
        reader = context.socket(zmq.SUB)
        reader.connect(f"tcp://127.0.0.1:{port}")
        reader.subscribe(b"t")
        assert all_of(publisher, len(reads)) == reads


@pytest.mark.parametrize("publisher_is", [False, True])
@pytest.mark.parametrize("proxy_is", [False, True])
def test_behind_a_proxy_its_backend_has_to_be_verbose_as_well(
    context: zmq.Context, publisher_is: bool, proxy_is: bool
) -> None:
    publisher, front, back = (context.socket(kind) for kind in (zmq.XPUB, zmq.XSUB, zmq.XPUB))
    publisher.setsockopt(zmq.XPUB_VERBOSE, publisher_is)
    back.setsockopt(zmq.XPUB_VERBOSE, proxy_is)
    front.connect(f"tcp://127.0.0.1:{publisher.bind_to_random_port('tcp://127.0.0.1')}")
    port = back.bind_to_random_port("tcp://127.0.0.1")
    for passed_on, reads in ((1, [b"\x01t"]), (int(proxy_is), [b"\x01t"] * (publisher_is and proxy_is))):
        reader = context.socket(zmq.SUB)
        reader.connect(f"tcp://127.0.0.1:{port}")
        reader.subscribe(b"t")
        for subscription in all_of(back, passed_on):
            front.send(subscription)
        assert all_of(publisher, len(reads)) == reads


@pytest.mark.parametrize("verbose", [False, True])
def test_subscriptions_come_out_of_a_proxys_capture_socket(context: zmq.Context, verbose: bool) -> None:
    front, back, capture, control = (
        context.socket(kind) for kind in (zmq.XSUB, zmq.XPUB, zmq.PAIR, zmq.PAIR)
    )
    captured, stop = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
    back.setsockopt(zmq.XPUB_VERBOSE, verbose)
    for end, other, name in ((capture, captured, "capture"), (control, stop, "control")):
        end.bind(f"inproc://{name}")
        other.connect(f"inproc://{name}")
    port = back.bind_to_random_port("tcp://127.0.0.1")
    passing = threading.Thread(target=zmq.proxy_steerable, args=(front, back, capture, control))
    passing.start()
    for reads in ([b"\x01t"], [b"\x01t"] * verbose):
        reader = context.socket(zmq.SUB)
        reader.connect(f"tcp://127.0.0.1:{port}")
        reader.subscribe(b"t")
        assert all_of(captured, len(reads)) == reads
    stop.send(b"TERMINATE")
    passing.join()


def test_a_router_with_router_mandatory_waits_for_a_peer_that_has_no_room_and_else_drops(
    context: zmq.Context, until
) -> None:
    router, dealer = context.socket(zmq.ROUTER), context.socket(zmq.DEALER)
    router.sndhwm = dealer.rcvhwm = 1
    dealer.rcvbuf = 4096
    dealer.routing_id = b"peer"
    dealer.connect(f"tcp://127.0.0.1:{router.bind_to_random_port('tcp://127.0.0.1')}")
    dealer.send(b"here")
    router.recv_multipart()
    for _ in range(FAR_TOO_MANY):
        router.send_multipart([b"peer", LARGE], zmq.DONTWAIT)
    router.router_mandatory = 1

    def is_refused() -> bool:
        """Once it had waited for so long: the kernel may still take some."""
        began = time.monotonic()
        router.sndtimeo = QUIET_MS
        try:
            router.send_multipart([b"peer", LARGE])
        except zmq.Again:
            return time.monotonic() - began >= QUIET_MS / 1000
        return False

    until(is_refused)


@pytest.mark.parametrize(
    ("option", "bound"), [(socket.SO_SNDBUF, "wmem_max"), (socket.SO_RCVBUF, "rmem_max")]
)
def test_the_kernel_gives_a_buffer_of_no_more_than_twice_its_bound(option: int, bound: str) -> None:
    most = int(Path(f"/proc/sys/net/core/{bound}").read_text())
    with socket.socket() as made:
        made.setsockopt(socket.SOL_SOCKET, option, TOO_LARGE)
        assert made.getsockopt(socket.SOL_SOCKET, option) == 2 * most


def test_what_dies_with_a_push_is_up_to_its_mark_and_what_it_was_writing(context: zmq.Context) -> None:
    reader = context.socket(zmq.PULL)
    reader.rcvhwm, reader.rcvbuf = 1, 4096
    port = reader.bind_to_random_port("tcp://127.0.0.1")
    with subprocess.Popen(
        [sys.executable, "-c", SENDER, f"tcp://127.0.0.1:{port}", str(MARK)], stdout=subprocess.PIPE
    ) as sender:
        assert sender.stdout is not None
        sent = int(sender.stdout.readline())
        sender.kill()
        sender.wait()
    at_most = MARK + WRITTEN_AT_ONCE // 22  # a frame's head takes two bytes
    received = len(all_of(reader, sent - at_most))
    assert 0 < sent - received <= at_most
