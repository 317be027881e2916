"""Messages that a receiver had not got by its end are known without a later one that shows a gap, where its sender had ended before it."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import hopwatch
import pytest
import zmq
from agent_process import eventually
from hopwatch_agent.live import conditions
from journal_writer import JournalWriter

PUB, SUB, OTHER = "00000000000000a1", "00000000000000b2", "00000000000000c3"
SECOND = 10**9
BEGAN = 1_800_000_000 * SECOND
Alive = Callable[[JournalWriter], AbstractContextManager[None]]


class Feed:
    """A sender of ten messages, and receivers of which each got some of them."""

    def __init__(self, bench: Any, kind: str, reader: str) -> None:
        self.bench, self.reader = bench, reader
        self.writer = bench.writer()
        self.writer.opened(PUB, kind=kind, name="sender")
        self.counts = {PUB: 10}

    def got(self, socket: str, slot: int, count: int) -> None:
        self.writer.opened(socket, slot=slot, kind=self.reader, name=f"reader {slot}")
        self.counts[socket] = count

    def close(self, socket: str, seconds: float, *, unread: bool | None = False) -> None:
        count = self.counts[socket]
        lane = [PUB, 0, count, 0, 0, count, BEGAN]
        self.writer.event("lanes", socket=socket, final=True, lanes=[lane])
        ended_at = BEGAN + int(seconds * SECOND)
        self.writer.event("closed", t=ended_at, socket=socket, counters={}, unread=unread)

    def left_behind(self) -> list[int | None]:
        self.bench.tick()
        view = self.bench.view.sockets()
        return [one.left_behind for one in view if one.name.startswith("reader")]


@pytest.fixture
def feed(bench: Any, alive: Alive) -> Any:
    made: list[AbstractContextManager[None]] = []

    def make(kind: str = "PUB", reader: str = "SUB") -> Feed:
        feed = Feed(bench, kind, reader)
        made.append(alive(feed.writer))
        made[-1].__enter__()
        return feed

    yield make
    for held in made:
        held.__exit__(None, None, None)


def test_what_a_sender_that_ended_first_had_sent_is_missing_at_the_receivers_end(feed: Any) -> None:
    one = feed()
    one.got(SUB, 1, 6)
    one.close(PUB, 1)
    assert one.left_behind() == [None]
    one.close(SUB, 2)
    assert one.left_behind() == [4]


def test_of_a_receiver_that_ended_first_nothing_is_claimed(feed: Any) -> None:
    one = feed()
    one.got(SUB, 1, 6)
    one.close(SUB, 1)
    one.close(PUB, 2)
    assert one.left_behind() == [None]


class Open:
    """A receiver that is open and has got 6 of 10 messages, and its sender, which ended a while ago."""

    def __init__(self, feed: Any, kind: str = "PUB", reader: str = "SUB") -> None:
        self.feed = feed(kind, reader)
        self.writer: JournalWriter = self.feed.writer
        self.feed.got(SUB, 1, 6)
        self.writer.event("lane", socket=SUB, stream=PUB, lane=0, topic="6162", slot=[0, 1])
        self.writer.event("lane", socket=PUB, stream=PUB, lane=0, topic="6162", slot=[0, 0])
        self.got(6)
        self.writer.set_lane(0, PUB, PUB, 0, 10, 10, 0, 10, BEGAN)

    def got(self, count: int) -> None:
        self.writer.set_lane(1, SUB, PUB, 0, count, 0, 0, count, BEGAN)

    def end(self) -> None:
        """It did ten seconds ago."""
        self.feed.close(PUB, time.time() - BEGAN / SECOND - 10)

    def connect(self, number: int, remote: str) -> None:
        about = {"endpoint": "tcp://127.0.0.1:5555", "sent": 0, "received": 0}
        places = ("127.0.0.1:5555", remote)
        self.writer.event("connected", socket=PUB, connection=number, accepted=True, local=places[0], remote=places[1], **about)  # fmt: skip
        if number == 1:
            self.writer.event("connected", socket=SUB, connection=1, accepted=False, local=places[1], remote=places[0], **about)  # fmt: skip

    def told(self) -> tuple[int, str, str]:
        self.feed.bench.tick()
        (one,) = (one for one in self.feed.bench.view.sockets() if one.name == "reader 1")
        return one.unreceived, one.state, one.state_text


LACKS = "4 messages of senders that have ended are lost, or wait to be read: it has not got them"


def test_of_an_open_receiver_it_is_told_once_its_sender_has_ended_that_some_may_be_lost(
    feed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Open(feed)
    assert one.told() == (0, "quiet", "")
    with monkeypatch.context() as patient:
        patient.setattr(conditions, "TO_BE_READ_NS", 3600 * SECOND)
        one.end()
        assert one.told() == (0, "quiet", "")
    eventually(lambda: one.told() == (4, "pressed", LACKS))
    one.got(10)
    eventually(lambda: one.told() == (0, "quiet", ""))


@pytest.mark.parametrize(
    ("socket", "event", "fields"),
    [
        (SUB, "disconnect", {"endpoint": "tcp://127.0.0.1:5555"}),
        (PUB, "disconnect", {"endpoint": "tcp://127.0.0.1:5555"}),
        (SUB, "unsubscribe", {"topic": "61"}),
        (SUB, "finding", {"rule": "handed_over", "text": "It is read past us.", "advice": "Do not."}),
    ],
)
def test_it_is_not_where_it_may_have_been_owed_none_or_got_them_unseen(
    feed: Any, socket: str, event: str, fields: dict[str, str]
) -> None:
    one = Open(feed)
    one.end()
    assert one.told() == (4, "pressed", LACKS)
    one.writer.event(event, socket=socket, **fields)
    eventually(lambda: one.told()[0] == 0)


@pytest.mark.parametrize(("connections", "lacks"), [(0, 0), (1, 4), (2, 0)])
def test_of_what_was_shared_out_it_is_where_the_two_had_each_other_alone(
    feed: Any, connections: int, lacks: int
) -> None:
    one = Open(feed, "PUSH", "PULL")
    for number in range(1, connections + 1):
        one.connect(number, f"127.0.0.1:{40000 + number}")
    one.end()
    assert one.told()[0] == lacks


def test_nor_of_one_that_may_be_used_on_unwrapped(feed: Any) -> None:
    one = feed()
    one.got(SUB, 1, 6)
    one.close(PUB, 1)
    one.close(SUB, 2, unread=None)
    assert one.left_behind() == [None]


def test_nor_of_one_that_had_unsubscribed(feed: Any) -> None:
    one = feed()
    one.got(SUB, 1, 6)
    one.writer.event("unsubscribe", socket=SUB, topic="")
    one.close(PUB, 1)
    one.close(SUB, 2)
    assert one.left_behind() == [None]


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("fault", {"text": "it failed"}),
        ("finding", {"rule": "handed_over", "text": "It is read past us.", "advice": "Do not."}),
    ],
)
def test_nor_of_one_whose_numbers_may_stand_still_though_messages_come(
    feed: Any, event: str, fields: dict[str, str]
) -> None:
    one = feed()
    one.got(SUB, 1, 6)
    one.writer.event(event, socket=SUB, **fields)
    one.close(PUB, 1)
    one.close(SUB, 2)
    assert one.left_behind() == [None]


def test_what_was_shared_out_among_several_is_not_told_of_one(feed: Any) -> None:
    one = feed("PUSH", "PULL")
    one.got(SUB, 1, 6)
    one.got(OTHER, 2, 4)
    for socket, seconds in ((PUB, 1), (SUB, 2), (OTHER, 3)):
        one.close(socket, seconds)
    assert one.left_behind() == [None, None]


def test_a_real_subscriber_that_leaves_its_last_messages_unread_is_told_of(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPWATCH_DIR", str(bench.journal))
    with zmq.Context() as context:
        pub = hopwatch.wrap(context.socket(zmq.XPUB), name="quotes", sequence="stamp")
        sub = hopwatch.wrap(context.socket(zmq.SUB), name="reader", sequence="stamp")
        sub.subscribe(b"")
        sub.connect(f"tcp://127.0.0.1:{pub.bind_to_random_port('tcp://127.0.0.1')}")
        pub.recv()
        for number in range(10):
            pub.send(b"%d" % number)
        for number in range(6):
            assert sub.recv() == b"%d" % number
        pub.close(linger=1000)
        sub.close()

    def told() -> Any:
        bench.tick()
        return [(one.state_text, one.left_behind) for one in bench.view.sockets() if one.name == "reader"]

    text = "it ended without 4 messages that senders which had ended before it had sent"
    eventually(lambda: told() == [(text, 4)])
