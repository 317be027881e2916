"""Findings that come to light while a socket sends: shown true over bare sockets, and told by a wrapped one, once."""

import threading

import hopwatch
import pytest
import zmq
from journal_reader import Journal
from set_up_sockets import BODY, bind, capacity, rules


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
    assert (payload, len(more)) == (b"payload", 44)


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
    assert rules(router) == ["router_not_mandatory", "router_swallows", "routing_id_alone"]
    assert [event["rule"] for event in journal.of("router", "finding")] == rules(router)
