"""Findings that come to light while a socket sends: shown true over bare sockets, and told by a wrapped one, once."""

import asyncio
import threading

import hopwatch
import pytest
import zmq
import zmq.asyncio
from journal_reader import Journal
from numbered_messages import all_of
from set_up_sockets import BODY, bind, capacity, rules


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


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_a_router_without_mandatory_is_told_when_it_begins_to_send(
    context: zmq.Context, journal: Journal, link, sequence: str | None
) -> None:
    router, dealer = hopwatch.wrap(context.socket(zmq.ROUTER), sequence=sequence), context.socket(zmq.DEALER)
    hopwatch.wrap(dealer, sequence=sequence)
    link(router, dealer)
    dealer.send(b"question")
    sender, _ = router.recv_multipart()
    assert rules(router) == []
    router.send_multipart([sender, b"answer"])
    assert dealer.recv() == b"answer"
    assert rules(router) == ["router_not_mandatory"]


@pytest.mark.parametrize("before", [True, False])
def test_a_router_with_mandatory_is_fine(context: zmq.Context, journal: Journal, before: bool) -> None:
    router = context.socket(zmq.ROUTER)
    if before:
        router.router_mandatory = 1
    hopwatch.wrap(router)
    if not before:
        router.router_mandatory = 1
    bind(router)
    for _ in range(2):
        with pytest.raises(zmq.ZMQError, match="unreachable"):
            router.send_multipart([b"nobody", b"x"])
    assert rules(router) == []


def test_a_full_pipe_of_a_router_swallows(narrow, link) -> None:
    router, dealer = narrow(zmq.ROUTER), narrow(zmq.DEALER)
    link(router, dealer)
    dealer.send(b"question")
    peer, _ = router.recv_multipart()
    for _ in range(500):
        router.send_multipart([peer, BODY])
    assert 10 <= len(all_of(dealer)) < 500


def test_a_publisher_with_nodrop_that_does_not_block_is_fine(narrow, journal: Journal, link) -> None:
    pub, slow = hopwatch.wrap(narrow(zmq.PUB)), narrow(zmq.SUB)
    pub.xpub_nodrop = 1
    link(pub, slow)
    assert capacity(pub) > 0
    assert rules(pub) == []


FAR_TOO_MANY = 20_000


def send_all_at_once(pub: zmq.Socket) -> None:
    """Raises Again if one of them is refused."""
    for _ in range(FAR_TOO_MANY):
        pub.send(BODY, zmq.DONTWAIT)


@pytest.mark.parametrize("kind", [zmq.PUB, zmq.XPUB])
def test_a_publisher_that_is_asked_not_to_wait_raises_nothing_and_drops(
    narrow, journal: Journal, link, kind: int
) -> None:
    pub, slow = hopwatch.wrap(narrow(kind), name="pub"), narrow(zmq.SUB)
    link(pub, slow)
    send_all_at_once(pub)
    assert 0 < len(all_of(slow)) < FAR_TOO_MANY
    assert rules(pub) == ["dontwait_never_raises"]


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_so_is_told_at_the_first_such_send_and_once(
    context: zmq.Context, journal: Journal, sequence: str | None
) -> None:
    pub = hopwatch.wrap(context.socket(zmq.PUB), name="pub", sequence=sequence)
    bind(pub)
    pub.send(b"waits")
    assert rules(pub) == []
    for _ in range(2):
        pub.send_multipart([b"topic", b"does not"], zmq.DONTWAIT)
    assert [event["rule"] for event in journal.of("pub", "finding")] == ["dontwait_never_raises"]


@pytest.mark.parametrize("option", [0, 1])
def test_of_a_publisher_that_refuses_it_is_not_told(
    narrow, journal: Journal, link, until, option: int
) -> None:
    pub, slow = hopwatch.wrap(narrow(zmq.PUB), name="pub"), narrow(zmq.SUB)
    pub.xpub_nodrop = option
    link(pub, slow)
    if option:
        with pytest.raises(zmq.Again):
            send_all_at_once(pub)
    else:
        send_all_at_once(pub)
    assert rules(pub) == ["dontwait_never_raises"] * (not option)


def test_nor_where_an_event_loop_does_the_waiting(journal: Journal) -> None:
    async def publish() -> list[str]:
        with zmq.asyncio.Context() as context, context.socket(zmq.PUB) as pub:
            hopwatch.wrap(pub, name="pub")
            bind(pub)
            await pub.send(b"x")
            told = rules(pub)
            await pub.send(b"x", zmq.DONTWAIT)
            return [*told, "then", *rules(pub)]

    assert asyncio.run(publish()) == ["then", "dontwait_never_raises"]
