"""Messages, frames, bytes, refusals and waits are counted as they happened."""

import socket
import threading
import time

import hopwatch
import pytest
import zmq
from journal_reader import Journal

PAIRS = [
    (zmq.PUSH, zmq.PULL),
    (zmq.PAIR, zmq.PAIR),
    (zmq.PUB, zmq.SUB),
    (zmq.XPUB, zmq.XSUB),
    (zmq.REQ, zmq.REP),
    (zmq.DEALER, zmq.DEALER),
]


def wrapped_pair(context: zmq.Context, sender_type: int, receiver_type: int, **kwargs: object):
    sender = hopwatch.wrap(context.socket(sender_type), name="sender", **kwargs)
    receiver = hopwatch.wrap(context.socket(receiver_type), name="receiver", **kwargs)
    if receiver_type == zmq.SUB:
        receiver.subscribe(b"")
    if receiver_type == zmq.XSUB:
        receiver.send(b"\x01")
    return sender, receiver


@pytest.mark.parametrize("sequence", [None, "stamp"])
@pytest.mark.parametrize(("sender_type", "receiver_type"), PAIRS)
def test_both_ends_count_messages_frames_and_bytes(
    context: zmq.Context, journal: Journal, link, sender_type: int, receiver_type: int, sequence: str | None
) -> None:
    sender, receiver = wrapped_pair(context, sender_type, receiver_type, sequence=sequence)
    receiver_sends = journal.socket("receiver")["sent"]
    link(sender, receiver)
    for frames in ([b"one"], [b"a", b"bc", b""], [b"x" * 48]):
        sender.send_multipart(frames)
        assert receiver.recv_multipart() == frames
        if sender_type == zmq.REQ:
            receiver.send(b"reply")
            assert sender.recv() == b"reply"
    sent, received = journal.socket("sender"), journal.socket("receiver")
    assert (sent["sent"], sent["sent_more_frames"], sent["sent_bytes"]) == (3, 2, 54)
    assert (received["received"], received["received_more_frames"], received["received_bytes"]) == (3, 2, 54)
    assert receiver_sends == (1 if receiver_type == zmq.XSUB else 0)


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_frames_received_one_by_one_are_one_message(
    context: zmq.Context, journal: Journal, link, sequence: str | None
) -> None:
    sender, receiver = wrapped_pair(context, zmq.PUSH, zmq.PULL, sequence=sequence)
    link(sender, receiver)
    for _ in range(300):
        sender.send(b"topic", zmq.SNDMORE)
        sender.send(b"body")
    for _ in range(300):
        assert receiver.recv() == b"topic"
        assert receiver.recv() == b"body"
    received = journal.socket("receiver")
    assert (received["received"], received["received_more_frames"], received["received_bytes"]) == (
        300,
        300,
        2700,
    )


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_a_refused_send_and_an_empty_receive_raise_as_before_and_are_counted(
    context: zmq.Context, journal: Journal, sequence: str | None
) -> None:
    sender, receiver = wrapped_pair(context, zmq.PUSH, zmq.PULL, sequence=sequence)
    with pytest.raises(zmq.Again):
        sender.send(b"x", zmq.DONTWAIT)
    with pytest.raises(zmq.Again):
        receiver.recv(zmq.DONTWAIT)
    sender.sndtimeo = receiver.rcvtimeo = 1
    with pytest.raises(zmq.Again):
        sender.send(b"x")
    with pytest.raises(zmq.Again):
        receiver.recv()
    assert (journal.socket("sender")["eagain_sends"], journal.socket("sender")["sent"]) == (2, 0)
    assert journal.socket("receiver")["eagain_receives"] == 2


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_a_send_that_had_to_wait_is_counted_with_its_time(
    context: zmq.Context, journal: Journal, until, sequence: str | None
) -> None:
    sender, receiver = wrapped_pair(context, zmq.PUSH, zmq.PULL, sequence=sequence)
    port = sender.bind_to_random_port("tcp://127.0.0.1")
    waiting = threading.Thread(target=sender.send, args=(b"late",))
    waiting.start()
    until(lambda: journal.socket("sender")["waited_sends"] == 1)
    began = time.monotonic_ns()
    until(lambda: time.monotonic_ns() - began > 20_000_000)
    receiver.connect(f"tcp://127.0.0.1:{port}")
    waiting.join()
    assert receiver.recv() == b"late"
    counters = journal.socket("sender")
    assert (counters["sent"], counters["eagain_sends"]) == (1, 0)
    assert counters["waited_ns"] > 20_000_000


@pytest.mark.parametrize("singles", [100, 101])
def test_a_receiver_turns_exact_when_messages_turn_multipart(
    context: zmq.Context, journal: Journal, link, singles: int
) -> None:
    """Past the first 64 messages whether more frames follow is asked of two frames in 64: what can be off is bounded by that."""
    sender, receiver = wrapped_pair(context, zmq.PUSH, zmq.PULL)
    link(sender, receiver)
    for _ in range(singles):
        sender.send(b"single")
        receiver.recv()
    for _ in range(1000):
        sender.send_multipart([b"a", b"b"])
        assert (receiver.recv(), receiver.recv()) == (b"a", b"b")
    received = journal.socket("receiver")
    assert received["received"] + received["received_more_frames"] == singles + 2000
    assert singles + 1000 <= received["received"] <= singles + 1000 + 64


def asking(receiver: zmq.Socket) -> list[bytes]:
    frames = [receiver.recv()]
    while receiver.rcvmore:
        frames.append(receiver.recv())
    return frames


def rest_at_once(receiver: zmq.Socket) -> list[bytes]:
    first = receiver.recv()
    return [first, *receiver.recv_multipart()] if receiver.getsockopt(zmq.RCVMORE) else [first]


def as_frames(receiver: zmq.Socket) -> list[bytes]:
    frames = [receiver.recv(copy=False)]
    while frames[-1].more:
        frames.append(receiver.recv(copy=False))
    return [frame.bytes for frame in frames]


@pytest.mark.parametrize("receive", [asking, rest_at_once, as_frames])
@pytest.mark.parametrize("size", [5, 48])
def test_who_asks_whether_more_follows_is_counted_exactly(
    context: zmq.Context, journal: Journal, link, receive, size: int
) -> None:
    sender, receiver = wrapped_pair(context, zmq.PUSH, zmq.PULL)
    link(sender, receiver)
    messages = [[b"x" * size]] * 300 + [[b"x" * size] * 3, [b"x" * size]] * 20
    for frames in messages:
        sender.send_multipart(frames)
        assert receive(receiver) == frames
    received = journal.socket("receiver")
    assert (received["received"], received["received_more_frames"]) == (340, 40)
    assert received["received_bytes"] == size * 380


def test_what_an_xsub_subscribes_to_by_sending_is_journaled(context, journal: Journal) -> None:
    xsub = hopwatch.wrap(context.socket(zmq.XSUB), name="xsub")
    xsub.connect("inproc://nobody")
    xsub.send(b"\1weather")
    xsub.send(b"\0weather")
    xsub.send(b"not a subscription")
    told = [(event["event"], event["topic"]) for event in journal.of("xsub", "subscribe", "unsubscribe")]
    assert told == [("subscribe", b"weather".hex()), ("unsubscribe", b"weather".hex())]
    assert journal.socket("xsub")["sent"] == 3


@pytest.mark.parametrize("flags", [0, zmq.SNDMORE])
def test_a_stream_socket_ends_its_messages_at_each_second_frame(
    context: zmq.Context, journal: Journal, flags: int
) -> None:
    stream = hopwatch.wrap(context.socket(zmq.STREAM), name="stream", sequence="stamp")
    with socket.create_connection(("127.0.0.1", stream.bind_to_random_port("tcp://127.0.0.1"))) as peer:
        routing_id, _ = stream.recv_multipart()
        for _ in range(5):
            stream.send(routing_id, zmq.SNDMORE)
            stream.send(b"raw", flags)
        assert peer.recv(15, socket.MSG_WAITALL) == b"raw" * 5
    counters = journal.socket("stream")
    assert (counters["sent"], counters["sent_more_frames"], counters["sent_bytes"]) == (5, 5, 40)
    stream.close(linger=0)
