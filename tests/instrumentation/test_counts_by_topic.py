"""``sequence="count"``: messages are counted by topic at both ends, and nothing is changed on the wire."""

import asyncio

import hopwatch
import pytest
import zmq
import zmq.asyncio
from journal_reader import Journal

NOBODYS = "0" * 16


def counts(journal: Journal, name: str) -> dict[bytes, int]:
    """A closed socket's last word on how many messages of each topic it sent or got."""
    topics = {event["lane"]: bytes.fromhex(event["topic"]) for event in journal.of(name, "lane")}
    finals = [row for event in journal.of(name, "lanes") if event["final"] for row in event["lanes"]]
    return {topics[lane]: count for _, lane, count, *_ in finals}


def pair(context: zmq.Context, kinds: tuple[int, int], **options: object) -> tuple[zmq.Socket, zmq.Socket]:
    sender, receiver = (
        hopwatch.wrap(context.socket(kind), name=name, sequence="count", **options)
        for kind, name in zip(kinds, ("sender", "receiver"), strict=True)
    )
    if kinds[1] == zmq.SUB:
        receiver.subscribe(b"")
    return sender, receiver


def test_bare_and_counting_receivers_get_the_same_frames(context, journal: Journal, link, until) -> None:
    pub, sub = pair(context, (zmq.PUB, zmq.SUB))
    bare = context.socket(zmq.SUB)
    sub.unsubscribe(b"")
    sub.subscribe(b"a")
    link(pub, sub)
    bare.subscribe(b"a")
    bare.subscribe(b"zzz")
    bare.connect(pub.last_endpoint.decode())
    until(lambda: [pub.get(zmq.EVENTS), pub.get(zmq.TOPICS_COUNT) == 2][1])
    for number in range(50):
        for topic in (b"a", b"b", b"ab"):
            pub.send_multipart([topic, b"%d" % number])
    pub.send(b"a and nothing else")
    for receiver in (sub, bare):
        messages = [receiver.recv_multipart() for _ in range(101)]
        assert messages[:2] == [[b"a", b"0"], [b"ab", b"0"]]
        assert {len(message) for message in messages[:-1]} == {2}
    sub.close()
    pub.close()
    assert counts(journal, "sender") == {b"a": 50, b"b": 50, b"ab": 50, b"": 1}
    assert counts(journal, "receiver") == {b"a": 50, b"ab": 50, b"": 1}
    opened = journal.of("sender", "opened")[0]
    assert (opened["sequence"], opened["stamp_every"]) == ("count", 1)
    assert journal.of("receiver", "gap") == []


@pytest.mark.parametrize(
    "kinds", [(zmq.PUSH, zmq.PULL), (zmq.PUB, zmq.SUB), (zmq.PAIR, zmq.PAIR), (zmq.DEALER, zmq.ROUTER)]
)
def test_single_frames_share_one_count(context, journal: Journal, link, kinds: tuple[int, int]) -> None:
    sender, receiver = pair(context, kinds)
    link(sender, receiver)
    for _ in range(30):
        sender.send(b"x")
    got = [receiver.recv_multipart() for _ in range(30)]
    assert {len(message) for message in got} == {2 if kinds[1] == zmq.ROUTER else 1}
    sender.close()
    receiver.close()
    assert counts(journal, "sender") == {b"": 30}
    assert counts(journal, "receiver") == {b"": 30}


def test_requests_and_replies_are_counted_both_ways(context, journal: Journal, link) -> None:
    rep, req = pair(context, (zmq.REP, zmq.REQ))
    link(rep, req)
    for _ in range(5):
        req.send(b"question")
        assert rep.recv() == b"question"
        rep.send_multipart([b"two", b"frames"])
        assert req.recv_multipart() == [b"two", b"frames"]
    for socket in (req, rep):
        socket.close()
    for name in ("sender", "receiver"):
        finals = [row for event in journal.of(name, "lanes") if event["final"] for row in event["lanes"]]
        assert sorted((stream == NOBODYS, count) for stream, _, count, *_ in finals) == [
            (False, 5),
            (True, 5),
        ]


def test_a_length_tells_topics_within_a_single_frame(context, journal: Journal, link) -> None:
    pub, sub = pair(context, (zmq.PUB, zmq.SUB), topic=2)
    link(pub, sub)
    for message in (b"a:1", b"b:1", b"a:2"):
        pub.send(message)
        assert sub.recv() == message
    sub.close()
    pub.close()
    assert counts(journal, "sender") == counts(journal, "receiver") == {b"a:": 2, b"b:": 1}


def test_asyncio_sockets_count_too(journal: Journal) -> None:
    async def main(context: zmq.asyncio.Context) -> None:
        push, pull = pair(context, (zmq.PUSH, zmq.PULL))
        pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")
        for _ in range(10):
            await push.send_multipart([b"a", b"b"])
            assert await pull.recv_multipart() == [b"a", b"b"]
        push.close()
        pull.close()

    with zmq.asyncio.Context() as context:
        asyncio.run(main(context))
    assert counts(journal, "sender") == counts(journal, "receiver") == {b"": 10}


def test_past_a_thousand_topics_both_ends_count_the_rest_together_and_say_so(
    context, journal: Journal, link
) -> None:
    pub, sub = pair(context, (zmq.PUB, zmq.SUB))
    link(pub, sub)
    for number in range(1_010):
        pub.send_multipart([b"%d" % number, b"x"])
        sub.recv_multipart()
    for socket in (pub, sub):
        assert [found.rule for found in hopwatch.findings(socket)] == ["topics_gathered"]
        socket.close()
    for name in ("sender", "receiver"):
        by_topic = counts(journal, name)
        assert len(by_topic) == 1_001
        assert by_topic[b""] == 10


def test_topics_that_are_too_long_to_be_kept_are_counted_together_and_that_is_said(
    context, journal: Journal, link
) -> None:
    pub, sub = pair(context, (zmq.PUB, zmq.SUB))
    link(pub, sub)
    for number in range(10):
        pub.send_multipart([b"%d" % number + b"x" * 300_000, b"x"])
        pub.send_multipart([b"short", b"x"])
        sub.recv_multipart()
        sub.recv_multipart()
    for socket in (pub, sub):
        assert [found.rule for found in hopwatch.findings(socket)] == ["topics_gathered"]
        socket.close()
    for name in ("sender", "receiver"):
        assert counts(journal, name) == {b"": 10, b"short": 10}
    assert journal.header()["events_lost"] == 0


def test_a_conflating_sender_drops_by_design_so_it_is_not_held_against_anybody(
    context, journal: Journal, link
) -> None:
    push, pull = pair(context, (zmq.PUSH, zmq.PULL))
    push.set(zmq.CONFLATE, 1)
    link(push, pull)
    for _ in range(3):
        push.send(b"x")
    assert pull.recv() == b"x"
    assert "stamp_refused" not in {found.rule for found in hopwatch.findings(push)}
    push.close()
    assert counts(journal, "sender") == {}


def test_a_bare_socket_in_the_same_process_is_sent_what_was_sent(context, journal: Journal) -> None:
    bare = context.socket(zmq.PULL)
    bare.bind("inproc://within")
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="sender", sequence="count")
    push.connect("inproc://within")
    for _ in range(3):
        push.send(b"x")
        assert bare.recv_multipart() == [b"x"]
    push.close()
    assert counts(journal, "sender") == {b"": 3}


def test_a_stream_socket_is_counted_as_without_topics(context, journal: Journal, link) -> None:
    server, client = pair(context, (zmq.STREAM, zmq.STREAM))
    link(server, client)
    identity, greeting = client.recv_multipart()
    assert greeting == b""
    client.send_multipart([identity, b"data"])
    server.recv_multipart()
    assert server.recv_multipart()[1] == b"data"
    assert journal.events("lane") == []
