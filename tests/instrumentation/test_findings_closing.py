"""Findings of what a closing socket loses: shown true over bare sockets, and told by a wrapped one, once."""

import subprocess
import sys
import time
from pathlib import Path

import hopwatch
import pytest
import zmq
from journal_reader import Journal
from numbered_messages import all_of
from set_up_sockets import BODY, LOOPBACK, NOWHERE, bind, rules


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
        options = [(event["option"], event["value"]) for event in journal.of("push", "option")]
        assert options == [("linger", 0)]


def test_no_linger_is_told_when_the_socket_is_attached(context: zmq.Context, journal: Journal) -> None:
    dealer, pub = context.socket(zmq.DEALER), context.socket(zmq.PUB)
    for socket in (dealer, pub):
        socket.linger = 0
        hopwatch.wrap(socket)
        assert rules(socket) == []
        socket.connect(NOWHERE)
    assert rules(dealer) == ["no_linger"]
    assert rules(pub) == []


def test_without_linger_nothing_is_lost_within_a_process(context: zmq.Context, journal: Journal) -> None:
    push, pull = hopwatch.wrap(context.socket(zmq.PUSH)), context.socket(zmq.PULL)
    push.linger = 0
    pull.bind("inproc://within")
    push.connect("inproc://within")
    for number in range(50):
        push.send(b"%d" % number)
    push.close(linger=0)
    assert [pull.recv() for _ in range(50)] == [b"%d" % number for number in range(50)]
    assert rules(push) == []


@pytest.mark.parametrize(
    "transport",
    ["tcp", pytest.param("ipc", marks=pytest.mark.extended("libzmq may read several messages at once"))],
)
def test_over_ipc_a_closing_pair_loses_what_a_low_mark_kept_unread_and_over_tcp_not(
    tmp_path: Path, transport: str
) -> None:
    """Of senders that send to several, ``test_what_closing_loses.py`` shows it."""
    with zmq.Context() as receiving, receiving.socket(zmq.PAIR) as receiver:
        receiver.rcvhwm = 10
        endpoint = bind(receiver, LOOPBACK if transport == "tcp" else f"ipc://{tmp_path}/pipe")
        with zmq.Context() as sending, sending.socket(zmq.PAIR) as sender:
            # once in some thousand, libzmq never ends a context that waits for its messages
            sender.linger = 20_000
            sender.connect(endpoint)
            for _ in range(40):
                sender.send(BODY)
                # each in a write of its own, so that they stay in the kernel and not in one read of libzmq's
                time.sleep(0.005)
        received = len(all_of(receiver, 40 if transport == "tcp" else 10))
    assert received == 40 if transport == "tcp" else 10 <= received < 40


def test_a_low_mark_is_found_over_ipc_alone(context: zmq.Context, journal: Journal, tmp_path: Path) -> None:
    pull = hopwatch.wrap(context.socket(zmq.PULL))
    pull.rcvhwm = 10
    bind(pull)
    assert rules(pull) == []
    bind(pull, f"ipc://{tmp_path}/pipe")
    assert rules(pull) == ["low_mark_over_ipc"]


CLOSING_WHILE_A_PEER_GOES = """
import sys
import hopwatch, zmq
stamped, frames = sys.argv[1] == "stamped", int(sys.argv[2])
for _ in range(3000):
    context = zmq.Context()
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    push.linger, push.sndbuf, push.sndhwm, pull.rcvbuf, pull.rcvhwm = 0, 4096, 50, 4096, 2
    if stamped:
        hopwatch.wrap(push, sequence="stamp")
    pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")
    for _ in range(40):
        push.send_multipart([b"x" * 3000] * frames)
    pull.poll(1000)
    pull.close()
    push.close()
    context.term()
"""


@pytest.mark.extended("libzmq ends its process by chance, once in some hundred tries")
@pytest.mark.parametrize(("how", "frames"), [("stamped", 1), ("stamped", 2), ("bare", 2), ("bare", 1)])
def test_closing_without_linger_as_a_peer_goes_ends_who_sends_several_frames(
    journal: Journal, how: str, frames: int
) -> None:
    command = [sys.executable, "-c", CLOSING_WHILE_A_PEER_GOES, how, str(frames)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ("src/session_base.cpp" in ended.stderr) is (frames == 2)
