"""A gap is a run of numbers that a receiver was owed and did not get: told exactly, and never where filtering explains it."""

import itertools
import time

import hopwatch
import pytest
import zmq
from hopwatch import stamp
from hopwatch.journal.counters import private_slot
from hopwatch.journal.journal import NoJournal
from hopwatch.lanes.receiving import ReceivingLanes
from hopwatch.lanes.sending import SendingLanes
from hopwatch.lanes.subscriptions import Subscriptions
from hopwatch.lanes.unstamped import TopicCounts, Unstamped
from hopwatch.stamp import WHOLE_STREAM_LANE
from hopwatch.words import COUNTER_NAMES, LANE_COUNT, LANE_FIRST, LANE_NEXT, SOCKET_SLOT_WORDS
from journal_reader import Journal

BODY = b"x" * 200


@pytest.fixture
def stamped(context: zmq.Context, journal: Journal, link, known_to):
    """A stamping PUB with some topic rule, and a SUB of some subscriptions."""

    def make(*subscriptions: bytes, **kwargs: object) -> tuple[zmq.Socket, zmq.Socket]:
        pub = hopwatch.wrap(context.socket(zmq.PUB), name="pub", sequence="stamp", **kwargs)
        sub = hopwatch.wrap(context.socket(zmq.SUB), name="sub", sequence="stamp")
        for topic in subscriptions:
            sub.subscribe(topic)
        link(pub, sub)
        known_to(pub, len(subscriptions))
        return pub, sub

    return make


@pytest.fixture
def known_to(until):
    """Wait until a PUB knows of so many subscriptions."""
    return lambda pub, count: until(lambda: [pub.get(zmq.EVENTS), pub.get(zmq.TOPICS_COUNT) == count][1])


def test_gap_events_and_counters_equal_what_the_payload_numbers_tell(
    narrow, journal: Journal, link, read_slowly
) -> None:
    pub = hopwatch.wrap(narrow(zmq.PUB), name="pub", sequence="stamp")
    sub = hopwatch.wrap(narrow(zmq.SUB), name="sub", sequence="stamp")
    link(pub, sub)
    reader = read_slowly(sub)
    began = time.time_ns()
    for number in range(5_000):
        if number % 1_000 == 0:
            reader.catch_up()
        pub.send(b"%010d" % number + BODY)
    numbers = reader.finish()
    gaps = journal.of("sub", "gap")
    assert [(gap["first"], gap["last"]) for gap in gaps] == reader.inner_gaps
    assert gaps
    for gap in gaps:
        assert (gap["before"], gap["after"]) == (gap["first"] - 1, gap["last"] + 1)
        assert gap["received"] == numbers.index(gap["after"]) + 1
        assert began - 1_000 <= gap["before_sent_at"] <= gap["after_sent_at"] <= time.time_ns() + 1_000
    counters = journal.socket("sub")
    assert counters["received"] == len(numbers)
    assert (counters["gaps"], counters["lost"]) == (
        len(gaps),
        sum(last - first + 1 for first, last in reader.inner_gaps),
    )


def test_before_and_after_are_the_streams_numbers_where_a_lane_has_its_own(
    narrow, journal: Journal, link, read_slowly
) -> None:
    pub = hopwatch.wrap(narrow(zmq.PUB), name="pub", sequence="stamp")
    sub = hopwatch.wrap(narrow(zmq.SUB), name="sub", sequence="stamp")
    link(pub, sub)
    reader = read_slowly(sub)
    for number in range(6_000):
        if number % 1_500 == 0:
            reader.catch_up()
        pub.send_multipart([b"topic-%d" % (number % 3), b"%010d" % number + BODY])
    numbers = reader.finish()
    lost = 0
    for remainder in range(3):
        lane = [number for number in numbers if number % 3 == remainder]
        truth = [(a, b) for a, b in itertools.pairwise(lane) if b > a + 3]
        index = next(
            e["lane"] for e in journal.of("sub", "lane") if e["topic"] == (b"topic-%d" % remainder).hex()
        )
        gaps = [gap for gap in journal.of("sub", "gap") if gap["lane"] == index]
        assert [(gap["before"], gap["after"]) for gap in gaps] == truth
        assert [(gap["first"], gap["last"]) for gap in gaps] == [(a // 3 + 1, b // 3 - 1) for a, b in truth]
        lost += sum(gap["last"] - gap["first"] + 1 for gap in gaps)
    assert journal.socket("sub")["lost"] == lost > 0


def test_subscribing_to_some_topics_makes_no_gap(stamped, journal: Journal) -> None:
    pub, sub = stamped(b"a", b"bc")
    for number in range(300):
        for topic in (b"a", b"ab", b"b", b"bc", b"c"):
            pub.send_multipart([topic, b"%d" % number])
    pub.send_multipart([b"a", b"last"])
    received = [sub.recv_multipart() for _ in range(901)]
    assert [topic for topic, _ in received[:3]] == [b"a", b"ab", b"bc"]
    assert (journal.socket("sub")["gaps"], hopwatch.findings(sub)) == (0, [])
    assert {bytes.fromhex(event["topic"]) for event in journal.of("sub", "lane")} == {b"a", b"ab", b"bc"}


def exchange(pub: zmq.Socket, sub: zmq.Socket) -> None:
    for number in range(5):
        pub.send_multipart([b"a", b"%d" % number])
        assert sub.recv_multipart() == [b"a", b"%d" % number]


def test_what_passed_while_unsubscribed_is_skipped_and_not_lost(stamped, known_to, journal: Journal) -> None:
    pub, sub = stamped(b"a", b"b")
    known_to(pub, 2)
    exchange(pub, sub)
    sub.unsubscribe(b"a")
    known_to(pub, 1)
    for _ in range(5):
        pub.send_multipart([b"a", b"not for us"])
    sub.subscribe(b"a")
    known_to(pub, 2)
    exchange(pub, sub)
    (skipped,) = journal.of("sub", "skipped")
    assert (skipped["first"], skipped["last"]) == (5, 9)
    assert (journal.socket("sub")["gaps"], journal.of("sub", "gap")) == (0, [])


@pytest.mark.parametrize("read_before", [0, 1])
@pytest.mark.parametrize("every", [1, 2])
def test_messages_that_are_read_after_the_topic_was_left_and_taken_up_again_do_not_hide_that(
    stamped, known_to, journal: Journal, every: int, read_before: int
) -> None:
    pub, sub = stamped(b"a", b"b", stamp_every=every)
    known_to(pub, 2)
    for number in range(5):
        pub.send_multipart([b"a", b"%d" % number])
    for _ in range(read_before):
        sub.recv_multipart()
    sub.unsubscribe(b"a")
    known_to(pub, 1)
    for _ in range(5):
        pub.send_multipart([b"a", b"not for us"])
    sub.subscribe(b"a")
    known_to(pub, 2)
    for number in range(5 - read_before):
        assert sub.recv_multipart() == [b"a", b"%d" % (number + read_before)]
    exchange(pub, sub)
    assert len(journal.of("sub", "skipped")) == 1
    assert (journal.socket("sub")["gaps"], journal.of("sub", "gap")) == (0, [])


def test_a_gap_among_messages_sent_before_a_topic_was_taken_up_again_does_not_hide_that_it_was_left() -> None:
    subscriptions = Subscriptions()
    receiver = Receiver(subscriptions)
    subscriptions.add(b"")
    receiver.take(0)
    subscriptions.remove(b"")
    receiver.lanes.unsubscribed()
    subscriptions.add(b"")
    receiver.lanes.subscribed()
    receiver.take(2)
    receiver.take(9, sent_at=time.time_ns() + 1_000_000_000)
    assert receiver.counters("gaps", "lost") == [0, 0]
    receiver.take(11)
    assert receiver.counters("gaps", "lost") == [1, 1]


def test_leaving_another_topic_before_the_first_message_hides_no_loss() -> None:
    subscriptions = Subscriptions()
    receiver = Receiver(subscriptions)
    for topic in (b"left", b""):
        subscriptions.add(topic)
        receiver.lanes.subscribed()
    subscriptions.remove(b"left")
    receiver.lanes.unsubscribed()
    receiver.take(0, 2)
    assert receiver.counters("gaps", "lost") == [1, 1]


def test_an_xsub_that_leaves_a_topic_and_comes_back_has_no_gap(
    context: zmq.Context, journal: Journal, known_to
) -> None:
    pub = hopwatch.wrap(context.socket(zmq.PUB), name="pub", sequence="stamp")
    xsub = hopwatch.wrap(context.socket(zmq.XSUB), name="xsub", sequence="stamp")
    xsub.connect(f"tcp://127.0.0.1:{pub.bind_to_random_port('tcp://127.0.0.1')}")
    for frame in (b"\1b", b"\1a"):
        xsub.send(frame)
    known_to(pub, 2)
    exchange(pub, xsub)
    xsub.send(b"\0a")
    known_to(pub, 1)
    pub.send_multipart([b"a", b"not for us"])
    xsub.send(b"\1a")
    known_to(pub, 2)
    exchange(pub, xsub)
    assert [event["topic"] for event in journal.of("xsub", "subscribe", "unsubscribe")] == [
        "62",
        "61",
        "61",
        "61",
    ]
    assert (len(journal.of("xsub", "skipped")), journal.of("xsub", "gap")) == (1, [])


def test_a_receiver_that_widens_its_subscriptions_checks_from_there_on(
    stamped, known_to, journal: Journal
) -> None:
    pub, sub = stamped(b"a")
    known_to(pub, 1)
    pub.send(b"a first")
    assert sub.recv() == b"a first"
    sub.subscribe(b"")
    known_to(pub, 2)
    for number in range(5):
        pub.send(b"%d" % number)
        assert sub.recv() == b"%d" % number
    (skipped,) = journal.of("sub", "skipped")
    assert (skipped["first"], skipped["last"]) == (0, 0)
    assert journal.of("sub", "gap") == []


def test_leaving_another_topic_does_not_make_a_loss_of_what_was_skipped(
    stamped, known_to, journal: Journal
) -> None:
    pub, sub = stamped(b"a", b"b")
    known_to(pub, 2)
    pub.send_multipart([b"a", b"first"])
    assert sub.recv_multipart() == [b"a", b"first"]
    sub.unsubscribe(b"a")
    known_to(pub, 1)
    pub.send_multipart([b"a", b"not for us"])
    sub.subscribe(b"a")
    sub.unsubscribe(b"b")
    sub.subscribe(b"c")
    sub.subscribe(b"d")
    known_to(pub, 3)
    pub.send_multipart([b"a", b"second"])
    assert sub.recv_multipart() == [b"a", b"second"]
    assert len(journal.of("sub", "skipped")) == 1
    assert journal.of("sub", "gap") == []


def test_single_frames_behind_a_filter_are_not_checked_and_a_finding_says_so(
    stamped, journal: Journal
) -> None:
    pub, sub = stamped(b"a")
    for number in range(50):
        pub.send(b"a%d" % number)
        pub.send(b"b%d" % number)
    assert [sub.recv() for _ in range(50)] == [b"a%d" % number for number in range(50)]
    assert [finding.rule for finding in hopwatch.findings(sub)] == ["partial_lane"]
    assert journal.of("sub", "gap") == []
    assert journal.socket("sub")["lost"] == 0


def test_single_frames_are_checked_by_who_gets_all_of_them(stamped, journal: Journal) -> None:
    pub, sub = stamped(b"")
    for number in range(10):
        pub.send(b"%d" % number)
        sub.recv()
    assert hopwatch.findings(sub) == []
    (lane,) = journal.of("sub", "lane")
    assert lane["lane"] == WHOLE_STREAM_LANE


@pytest.mark.parametrize(
    "rule", [b":", ":", 1, lambda frames: frames[0][:1]], ids=["bytes", "str", "length", "callable"]
)
def test_a_topic_within_a_single_frame_makes_its_lane(stamped, journal: Journal, rule: object) -> None:
    pub, sub = stamped(b"a", b"c", topic=rule)
    for number in range(20):
        for topic in (b"a", b"b", b"c"):
            pub.send(topic + b":%d" % number)
    received = [sub.recv() for _ in range(40)]
    assert received[:2] == [b"a:0", b"c:0"]
    assert {bytes.fromhex(event["topic"]) for event in journal.of("sub", "lane")} == {b"a", b"c"}
    assert (journal.socket("sub")["gaps"], hopwatch.findings(sub)) == (0, [])


def test_topics_past_the_bound_share_the_whole_stream_lane() -> None:
    lanes = SendingLanes(1, NoJournal(), most_lanes=2)
    indices = [lanes.lane(topic, 1).index for topic in (b"a", b"b", b"c", b"d", b"a")]
    assert indices == [0, 1, WHOLE_STREAM_LANE, WHOLE_STREAM_LANE, 0]
    assert lanes.lane(b"c", 1).topic_length == 0


def test_topics_past_the_bound_make_no_loss_for_who_subscribed_to_some_of_them(
    stamped, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopwatch.assembling.MOST_LANES", 2)
    pub, sub = stamped(b"b", b"d")
    for number in range(20):
        for topic in (b"a", b"b", b"c", b"d"):
            pub.send_multipart([topic, b"%d" % number])
    assert [sub.recv_multipart()[0] for _ in range(40)] == [b"b", b"d"] * 20
    lanes = [lane for lane in journal.lanes() if lane["socket"] != lane["stream"]]
    assert [(lane["lane"], lane["count"], lane["next"]) for lane in lanes if lane["stream"]] == [(1, 20, 20)]
    assert (journal.socket("sub")["gaps"], journal.socket("sub")["lost"]) == (0, 0)
    assert [finding.rule for finding in hopwatch.findings(sub)] == ["partial_lane"]


class Receiver:
    """The lanes of one receiver, fed with stamps by number."""

    def __init__(self, subscriptions: Subscriptions | None = None) -> None:
        self.slot = private_slot(SOCKET_SLOT_WORDS)
        unstamped = Unstamped(stamp.BY_FIRST_FRAME, TopicCounts(7, NoJournal()))
        self.lanes = ReceivingLanes(7, self.slot.words, NoJournal(), subscriptions, unstamped)

    def take(self, *numbers: int, flags: int = 0, sent_at: int = 1_000) -> None:
        for number in numbers:
            frame = stamp.encode(stamp.Stamp(flags, 0, 0, 99, number, number, sent_at + number))
            self.lanes.take(frame, b"")

    def counters(self, *names: str) -> list[int]:
        return [self.slot.words[1:][COUNTER_NAMES.index(name)] for name in names]

    def lane(self) -> tuple[int, int, int]:
        words = self.lanes.slots[0].words
        return words[LANE_COUNT], words[LANE_FIRST], words[LANE_NEXT]


def test_a_number_that_arrives_late_is_lost_no_more() -> None:
    receiver = Receiver()
    receiver.take(0, 1, 5, 3, 6)
    assert receiver.counters("gaps", "lost", "reordered", "duplicated") == [1, 2, 1, 0]
    receiver.take(2, 4)
    assert receiver.counters("gaps", "lost", "reordered", "duplicated") == [1, 0, 3, 0]
    assert receiver.lane() == (7, 0, 7)


def test_a_number_that_comes_twice_is_a_duplicate_and_no_message_of_the_lane() -> None:
    receiver = Receiver()
    receiver.take(0, 1, 1, 2, 0, 5, 3, 3)
    assert receiver.counters("duplicated", "reordered", "lost") == [3, 1, 1]
    assert receiver.lane() == (5, 0, 6)


def test_a_loss_long_after_a_topic_was_left_and_taken_up_again_is_a_gap() -> None:
    subscriptions = Subscriptions()
    receiver = Receiver(subscriptions)
    subscriptions.add(b"")
    receiver.take(0)
    subscriptions.remove(b"")
    receiver.lanes.unsubscribed()
    subscriptions.add(b"")
    receiver.lanes.subscribed()
    frame = stamp.encode(stamp.Stamp(0, 0, 0, 99, 1, 1, time.time_ns() + 3_600_000_000_000))
    receiver.lanes.take(frame, b"")
    receiver.take(5)
    assert receiver.counters("gaps", "lost") == [1, 3]


def test_the_numbers_before_the_first_are_not_a_gap() -> None:
    receiver = Receiver()
    receiver.take(40, 41)
    assert receiver.counters("gaps", "lost") == [0, 0]
    assert receiver.lane() == (2, 40, 42)


def test_a_lane_that_is_shared_out_has_no_gaps_for_one_of_its_receivers() -> None:
    receiver = Receiver()
    receiver.take(4, 7, 9, 8, 2, flags=stamp.SHARED_OUT)
    assert receiver.counters("gaps", "lost", "reordered", "duplicated") == [0, 0, 0, 0]
    assert receiver.lane() == (5, 2, 10)


def test_two_pulls_share_a_push_without_a_gap(context: zmq.Context, journal: Journal, until) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push", sequence="stamp")
    port = push.bind_to_random_port("tcp://127.0.0.1")
    pulls = [hopwatch.wrap(context.socket(zmq.PULL), name=f"pull-{i}", sequence="stamp") for i in range(2)]
    for pull in pulls:
        pull.connect(f"tcp://127.0.0.1:{port}")
    sent = 0
    while not all(pull.poll(1) for pull in pulls):
        push.send(b"%d" % sent)
        sent += 1

    def have_all() -> bool:
        for pull in pulls:
            while pull.poll(50):
                pull.recv()
        return sum(journal.socket(f"pull-{i}")["received"] for i in range(2)) == sent

    until(have_all)
    assert journal.events("gap") == []
