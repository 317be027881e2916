"""Sparse stamps: each Nth message of a lane carries one, and what is lost is counted as exactly as with all of them."""

from collections import defaultdict
from random import Random

import hopwatch
import pytest
import zmq
from hopwatch import stamp
from hopwatch.journal.counters import Words, private_slot
from hopwatch.journal.journal import NoJournal
from hopwatch.lanes.receiving import ReceivingLanes
from hopwatch.lanes.sending import SendingLanes
from hopwatch.lanes.subscriptions import Subscriptions
from hopwatch.lanes.topics import first_of_several
from hopwatch.lanes.unstamped import TopicCounts, Unstamped
from hopwatch.sockets.numbering import Numbering, lane_by_topic
from hopwatch.words import (
    COUNTER_NAMES,
    LANE_COUNT,
    LANE_FIRST,
    LANE_NEXT,
    LANE_UNSTAMPED,
    SENT,
    SOCKET_SLOT_WORDS,
)
from hypothesis import given, settings
from hypothesis.strategies import randoms
from journal_reader import Journal

BODY = b"x" * 200
NOBODYS = "0" * 16


def lanes_of(journal: Journal, name: str) -> dict[bytes, tuple[int, int, int, int]]:
    """By topic: count, unstamped since the last stamp, first and next of the lanes of a receiver (one stream)."""
    lanes = [event for event in journal.of(name, "lane") if event["stream"] != NOBODYS]
    topics = {event["lane"]: bytes.fromhex(event["topic"]) for event in lanes}
    return {topics[lane]: tuple(row) for stream, lane, *row, _ in finals(journal, name) if stream != NOBODYS}


def finals(journal: Journal, name: str) -> list[list]:
    """The last word of a socket on its lanes."""
    return [row for event in journal.of(name, "lanes") if event["final"] for row in event["lanes"]]


@pytest.mark.parametrize("every", [2, 7, 16, 1000])
def test_each_nth_message_of_a_lane_carries_a_stamp(context, journal: Journal, link, every: int) -> None:
    pub = hopwatch.wrap(context.socket(zmq.PUB), sequence="stamp", stamp_every=every)
    bare = context.socket(zmq.SUB)
    bare.subscribe(b"")
    link(pub, bare)
    for number in range(50):
        pub.send_multipart([b"a", b"%d" % number])
        pub.send(b"%d" % number)
    stamped = {2: [], 1: []}
    for index in range(100):
        frames = bare.recv_multipart()
        last = frames[-1]
        if stamp.ends_stamped(last):
            found = stamp.decode(last)
            assert found.lane_number == index // 2
            assert found.number == index
            stamped[len(frames)].append(found.lane_number)
    assert stamped == {2: list(range(0, 50, every)), 1: list(range(0, 50, every))}


@pytest.mark.parametrize("value", [0, -1, 1.0, "16", None, True])
def test_what_is_no_number_of_messages_is_refused(context, journal: Journal, value: object) -> None:
    with pytest.raises(hopwatch.UsageError):
        hopwatch.wrap(context.socket(zmq.PUB), sequence="stamp", stamp_every=value)


@pytest.mark.parametrize("rule", [":", lambda frames: frames[0][:1]], ids=["delimiter", "callable"])
def test_where_only_the_sender_can_tell_the_topic_every_message_is_stamped(
    context, journal: Journal, rule: object
) -> None:
    pub = hopwatch.wrap(context.socket(zmq.PUB), sequence="stamp", stamp_every=16, topic=rule)
    assert [finding.rule for finding in hopwatch.findings(pub)] == ["every_message_stamped"]


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("every", [2, 16, 100])
def test_losses_are_exact_between_stamps_and_at_the_end(
    narrow, journal: Journal, link, read_slowly, every: int, told: bool
) -> None:
    pub = hopwatch.wrap(narrow(zmq.PUB), name="pub", sequence="stamp", stamp_every=every)
    sub = hopwatch.wrap(narrow(zmq.SUB), name="sub", sequence="stamp" if told else None)
    link(pub, sub)
    reader = read_slowly(sub)
    for number in range(6_000):
        pub.send(b"%010d" % number + BODY)
    numbers = reader.finish()
    sub.close()
    pub.close()
    (count, since, first, following) = lanes_of(journal, "sub")[b""]
    lost = sum(gap["lost"] for gap in journal.of("sub", "gap"))
    assert (first, count + since) == (0, len(numbers))
    assert count + lost == following
    assert since == len([number for number in numbers if number >= following])
    for gap in journal.of("sub", "gap"):
        got = [number for number in numbers if gap["first"] <= number <= gap["last"]]
        assert gap["lost"] == gap["last"] - gap["first"] + 1 - len(got) > 0
    counters = journal.socket("sub")
    assert (counters["gaps"], counters["lost"]) == (len(journal.of("sub", "gap")), lost)
    assert hopwatch.findings(sub) == []
    (sent,) = [row for event in journal.of("pub", "lanes") if event["final"] for row in event["lanes"]]
    assert (sent[2], sent[3]) == (6_000, 0)


@pytest.mark.parametrize("topic", [None, 7])
def test_each_topic_has_its_own_count(narrow, journal: Journal, link, read_slowly, topic: int | None) -> None:
    pub = hopwatch.wrap(narrow(zmq.PUB), name="pub", sequence="stamp", stamp_every=8, topic=topic)
    sub = hopwatch.wrap(narrow(zmq.SUB), name="sub", sequence="stamp")
    link(pub, sub)
    reader = read_slowly(sub)
    for number in range(6_000):
        if number % 1_500 == 0:
            reader.catch_up()
        first_frame = b"topic-%d" % (number % 3) + (b" and more" if topic else b"")
        pub.send_multipart([first_frame, b"%010d" % number + BODY])
    numbers = reader.finish()
    sub.close()
    gaps = defaultdict(int)
    topics = {
        event["lane"]: bytes.fromhex(event["topic"])
        for event in journal.of("sub", "lane")
        if event["stream"] != NOBODYS
    }
    for gap in journal.of("sub", "gap"):
        gaps[topics[gap["lane"]]] += gap["lost"]
    for remainder in range(3):
        count, since, first, following = lanes_of(journal, "sub")[b"topic-%d" % remainder]
        got = [number // 3 for number in numbers if number % 3 == remainder]
        assert (first, count + since) == (0, len(got))
        assert count + gaps[b"topic-%d" % remainder] == following
        assert since == len([number for number in got if number >= following])
    assert sum(gaps.values()) > 0


def test_who_joins_in_the_middle_has_lost_nothing_since(context, journal: Journal, link, until) -> None:
    pub = hopwatch.wrap(context.socket(zmq.PUB), name="pub", sequence="stamp", stamp_every=10)
    first = hopwatch.wrap(context.socket(zmq.SUB), name="first", sequence="stamp")
    first.subscribe(b"")
    link(pub, first)
    for _ in range(15):
        pub.send_multipart([b"a", b"x"])
    late = hopwatch.wrap(context.socket(zmq.SUB), name="late", sequence="stamp")
    late.subscribe(b"a")
    late.connect(pub.last_endpoint.decode())
    until(lambda: [pub.get(zmq.EVENTS), pub.get(zmq.TOPICS_COUNT) == 2][1])
    for _ in range(20):
        pub.send_multipart([b"a", b"x"])
    for _ in range(20):
        late.recv_multipart()
    late.close()
    assert lanes_of(journal, "late") == {b"a": (16, 4, 15, 31)}
    assert journal.of("late", "gap") == []


def test_streams_of_one_topic_are_told_apart_by_their_connections(context, journal: Journal, link) -> None:
    pubs = [
        hopwatch.wrap(context.socket(zmq.PUB), name=f"pub-{i}", sequence="stamp", stamp_every=5)
        for i in range(3)
    ]
    sub = hopwatch.wrap(context.socket(zmq.SUB), name="sub", sequence="stamp")
    sub.subscribe(b"")
    for pub in pubs:
        link(pub, sub)
    sent = [0, 0, 0]
    for number in range(500):
        which = number * number % 7 % 3
        pubs[which].send_multipart([b"a", b"%d" % which])
        sent[which] += 1
        sub.recv_multipart()
    sub.close()
    finals = {row[0]: row for event in journal.of("sub", "lanes") for row in event["lanes"]}
    for pub, count in zip(pubs, sent, strict=True):
        (opened,) = journal.of(f"pub-{pubs.index(pub)}", "opened")
        row = finals[opened["socket"]]
        assert (row[2] + row[3], row[4]) == (count, 0)
    assert journal.of("sub", "gap") == []
    assert hopwatch.findings(sub) == []


def test_single_frames_before_a_first_stamp_are_claimed_by_it(context, journal: Journal, link) -> None:
    """Until then another stream has the only lane that they could be of, but for their connection."""
    early, late = (
        hopwatch.wrap(context.socket(zmq.PUB), name=name, sequence="stamp", stamp_every=5)
        for name in ("early", "late")
    )
    sub = hopwatch.wrap(context.socket(zmq.SUB), name="sub", sequence="stamp")
    sub.subscribe(b"")
    early.send(b"nobody is there")
    for pub in (early, late):
        link(pub, sub)
    early.send_multipart([b"topic", b"body"])
    assert sub.recv_multipart() == [b"topic", b"body"]
    for pub in (late, early, late, early, early, early, early):
        pub.send(b"single")
        assert sub.recv() == b"single"
    sub.close()
    (opened,) = journal.of("early", "opened")
    (row,) = (row for row in finals(journal, "sub") if row[:2] == [opened["socket"], stamp.WHOLE_STREAM_LANE])
    assert (row[2] + row[3], row[4]) == (5, 1)


def test_a_shared_out_stream_is_counted_by_all_its_receivers(context, journal: Journal, until) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push", sequence="stamp", stamp_every=4)
    port = push.bind_to_random_port("tcp://127.0.0.1")
    pulls = [hopwatch.wrap(context.socket(zmq.PULL), name=f"pull-{i}", sequence="stamp") for i in range(2)]
    for pull in pulls:
        pull.connect(f"tcp://127.0.0.1:{port}")
    sent = 0
    while not all(pull.poll(1) for pull in pulls):
        push.send(b"%d" % sent)
        sent += 1
    for _ in range(200):
        push.send(b"x")
        sent += 1
    got = []

    def have_all() -> bool:
        for pull in pulls:
            while pull.poll(50):
                got.append(pull.recv())
        return len(got) == sent

    until(have_all)
    for pull in pulls:
        pull.close()
    counts = [sum(row[2] + row[3] for row in finals(journal, f"pull-{i}")) for i in range(2)]
    assert sum(counts) == sent
    assert len(counts) == 2
    assert journal.events("gap") == []


def test_what_passed_while_unsubscribed_is_not_lost(context, journal: Journal, link, until) -> None:
    pub = hopwatch.wrap(context.socket(zmq.PUB), name="pub", sequence="stamp", stamp_every=3)
    sub = hopwatch.wrap(context.socket(zmq.SUB), name="sub", sequence="stamp")
    sub.subscribe(b"a")
    sub.subscribe(b"b")
    link(pub, sub)
    known = lambda count: until(lambda: [pub.get(zmq.EVENTS), pub.get(zmq.TOPICS_COUNT) == count][1])  # noqa: E731
    known(2)
    for _ in range(5):
        pub.send_multipart([b"a", b"x"])
        sub.recv_multipart()
    sub.unsubscribe(b"a")
    known(1)
    for _ in range(5):
        pub.send_multipart([b"a", b"not for us"])
    sub.subscribe(b"a")
    known(2)
    for _ in range(5):
        pub.send_multipart([b"a", b"x"])
        sub.recv_multipart()
    sub.close()
    (skipped,) = journal.of("sub", "skipped")
    assert (skipped["first"], skipped["last"]) == (4, 11)
    assert journal.of("sub", "gap") == []
    assert lanes_of(journal, "sub") == {b"a": (5, 2, 0, 13)}


class Sender:
    """Messages of a stream with sparse stamps, as frames."""

    def __init__(self, stream: int, every: int, most_lanes: int = 10_000) -> None:
        self.words = private_slot(SOCKET_SLOT_WORDS).words
        self.lanes = lanes = SendingLanes(stream, NoJournal(), most_lanes)
        choose = lane_by_topic(lanes, first_of_several)
        self.numbering = Numbering(stream, 0, self.words, choose, True, every, stamp.BY_FIRST_FRAME)

    def message(self, *frames: bytes) -> tuple[list[bytes], bytes | None]:
        self.numbering.begun.extend(frames[:-1])
        numbered = self.numbering.end(frames[-1])
        self.numbering.sent(numbered.lane, numbered.lane_number)
        self.words[SENT] += 1
        return list(frames), numbered.stamp


class Receiver:
    def __init__(self) -> None:
        self.slot = private_slot(SOCKET_SLOT_WORDS)
        subscriptions = Subscriptions()
        subscriptions.add(b"")
        unstamped = Unstamped(stamp.BY_FIRST_FRAME, TopicCounts(7, NoJournal()))
        self.lanes = ReceivingLanes(7, self.slot.words, NoJournal(), subscriptions, unstamped)

    def take(self, message: tuple[list[bytes], bytes | None]) -> None:
        frames, trailer = message
        if not trailer:
            self.lanes.unstamped.count(frames[0], len(frames) > 1)
            return
        lane = self.lanes.followed.get(trailer[-stamp.LABEL_SIZE :])
        if lane is None or not self.lanes.take_next(lane, trailer, frames[0]):
            self.lanes.take(trailer, frames[0], len(frames) > 1)

    def counter(self, name: str) -> int:
        return self.slot.words[1:][COUNTER_NAMES.index(name)]

    @property
    def checked(self) -> list[Words]:
        """Lanes, without the counts of what belongs to none."""
        return [slot.words for slot in self.lanes.slots]

    def received(self) -> int:
        numbered = sum(words[LANE_COUNT] + words[LANE_UNSTAMPED] for words in self.checked)
        return numbered + sum(slot.words[LANE_COUNT] for slot in self.lanes.unstamped.topics.slots)


@settings(max_examples=30, deadline=None)
@given(dice=randoms(use_true_random=True))
def test_whatever_is_lost_the_numbers_balance(dice: Random) -> None:
    sender, receiver = Sender(99, dice.choice([2, 3, 16, 40]), most_lanes=3), Receiver()
    taken: dict[bytes, int] = defaultdict(int)
    dropping = False
    for _ in range(2_000):
        if dice.random() < 0.05:
            dropping = not dropping
        topic = b"topic-%d" % dice.randrange(5)
        frames = [topic] if dice.random() < 0.3 else [topic, b"x"]
        message = sender.message(*frames)
        if not dropping:
            receiver.take(message)
            taken[b"" if len(frames) == 1 or topic > b"topic-9" else topic] += 1
    heads = sum(words[LANE_FIRST] for words in receiver.checked)
    numbered = sum(words[LANE_NEXT] for words in receiver.checked)
    counted = sum(words[LANE_COUNT] for words in receiver.checked)
    assert counted + receiver.counter("lost") + heads == numbered
    assert receiver.received() == sum(taken.values())


@settings(max_examples=30, deadline=None)
@given(dice=randoms(use_true_random=True))
def test_mixed_streams_never_have_a_false_gap(dice: Random) -> None:
    """Two senders of one topic behind one connection (here: none is known) and nothing lost."""
    senders, receiver = [Sender(98, 5), Sender(99, 16)], Receiver()
    for _ in range(500):
        message = dice.choice(senders).message(b"a", b"x")
        receiver.take(message)
    assert (receiver.counter("gaps"), receiver.counter("lost")) == (0, 0)
    assert [words[LANE_FIRST] for words in receiver.checked] == [0, 0]


def test_mixed_streams_are_a_finding() -> None:
    receiver, found = Receiver(), []
    receiver.lanes.find = found.append
    for stream in (1, 2):
        receiver.take(Sender(stream, 5).message(b"a", b"x"))
    assert [finding.rule for finding in found] == ["sparse_stamps_mixed"]


def test_strays_hide_losses_and_a_finding_says_so() -> None:
    receiver, found = Receiver(), []
    receiver.lanes.find = found.append
    sender = Sender(1, 4)
    for _ in range(6):
        receiver.take(sender.message(b"a", b"x"))
        receiver.take(([b"a", b"from elsewhere"], None))
    assert [finding.rule for finding in found] == ["sparse_stamps_surplus"]
    assert receiver.counter("lost") == 0


def test_a_stamp_that_comes_late_is_lost_no_more() -> None:
    receiver, sender = Receiver(), Sender(1, 2)
    messages = [sender.message(b"a", b"x") for _ in range(8)]
    for index in (0, 1, 3, 4, 2, 5, 6):
        receiver.take(messages[index])
    assert (receiver.counter("lost"), receiver.counter("reordered")) == (0, 1)
    assert receiver.received() == 7


def test_a_stamp_that_comes_twice_is_a_duplicate() -> None:
    receiver, sender = Receiver(), Sender(1, 2)
    messages = [sender.message(b"a", b"x") for _ in range(4)]
    for index in (0, 1, 2, 2, 3):
        receiver.take(messages[index])
    assert (receiver.counter("lost"), receiver.counter("duplicated")) == (0, 1)
    assert receiver.received() == 4


def test_messages_of_which_no_stamp_ever_came_are_counted_by_topic(context, journal: Journal, link) -> None:
    pub = context.socket(zmq.PUB)
    sub = hopwatch.wrap(context.socket(zmq.SUB), name="sub", sequence="stamp")
    sub.subscribe(b"")
    link(pub, sub)
    for topic in (b"a", b"b", b"a"):
        pub.send_multipart([topic, b"x"])
    pub.send(b"alone")
    for _ in range(4):
        sub.recv_multipart()
    sub.close()
    topics = {event["lane"]: bytes.fromhex(event["topic"]) for event in journal.of("sub", "lane")}
    counts = {topics[row[1]]: row[2] for row in finals(journal, "sub")}
    assert counts == {b"a": 2, b"b": 1, b"": 1}
    assert {row[0] for row in finals(journal, "sub")} == {NOBODYS}
