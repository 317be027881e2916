"""Numbers that messages already carry are read as they are: nothing on the wire changes, and only what is lost is told."""

import hashlib
import signal
import time
from collections.abc import Callable

import hopwatch
import pytest
import zmq
from hopwatch import sequences
from hopwatch.ids import as_text
from hopwatch.journal.counters import private_slot
from hopwatch.journal.journal import NoJournal
from hopwatch.lanes.sequenced import MOST_LANES, SequencedLanes, stream_id
from hopwatch.sequences import NumberedMessages
from hopwatch.words import COUNTER_NAMES, LANE_COUNT, LANE_FIRST, LANE_NEXT, SOCKET_SLOT_WORDS
from hypothesis import given, settings
from hypothesis import strategies as st
from journal_reader import Journal


def bitcoin(topic: bytes, number: int) -> list[bytes]:
    return [topic, b"body", (number % 2**32).to_bytes(4, "little")]


def vllm(topic: bytes, number: int) -> list[bytes]:
    return [topic, (number % 2**64).to_bytes(8, "big"), b"payload"]


BY_SECOND_FRAME = sequences.numbered(lambda frames: (frames[0], int(frames[1])), modulus=2**32)


class Receiver:
    """A receiver's lanes, fed with numbers."""

    def __init__(self, sequence: NumberedMessages = BY_SECOND_FRAME) -> None:
        self.slot = private_slot(SOCKET_SLOT_WORDS)
        self.lanes = SequencedLanes(7, sequence, self.slot.words, NoJournal(), sending=False)

    def take(self, *numbers: int, topic: bytes = b"a", connection: int | None = 3) -> None:
        for number in numbers:
            self.lanes.take([topic, b"%d" % number], connection)

    def counters(self, *names: str) -> list[int]:
        return [self.slot.words[1:][COUNTER_NAMES.index(name)] for name in names]

    @property
    def found(self) -> tuple[int, ...]:
        """Gaps, lost, duplicated, reordered."""
        return tuple(self.counters("gaps", "lost", "duplicated", "reordered"))

    @property
    def rows(self) -> list[tuple[int, int, int]]:
        return [
            (slot.words[LANE_COUNT], slot.words[LANE_FIRST], slot.words[LANE_NEXT])
            for slot in self.lanes.slots
        ]


@pytest.mark.parametrize(
    ("numbers", "found", "rows"),
    [
        ([0, 1, 2, 3], (0, 0, 0, 0), [(4, 0, 4)]),
        ([7, 8, 11, 12], (1, 2, 0, 0), [(4, 7, 13)]),
        ([0, 1, 1, 2], (0, 0, 1, 0), [(3, 0, 3)]),
        ([0, 1, 2, 1, 3], (0, 0, 1, 0), [(4, 0, 4)]),
        ([0, 2, 1, 3], (1, 0, 0, 1), [(4, 0, 4)]),
        ([0, 5, 3, 1, 6], (1, 2, 0, 2), [(5, 0, 7)]),
        ([1, 0, 2], (0, 0, 0, 1), [(3, 0, 3)]),
        ([5, 6, 4, 7], (0, 0, 0, 1), [(4, 4, 8)]),
        ([0, 0, 1, 1], (0, 0, 2, 0), [(2, 0, 2)]),
    ],
)
def test_losses_duplicates_and_reordering_are_told_apart(numbers, found, rows) -> None:
    receiver = Receiver()
    receiver.take(*numbers)
    assert (receiver.found, receiver.rows) == (found, rows)


@pytest.mark.parametrize(
    ("before", "after", "rows"),
    [
        (range(500), range(300), [(500, 0, 500), (300, 0, 300)]),
        (range(5), range(9), [(5, 0, 5), (9, 0, 9)]),
        (range(90, 95), range(9), [(5, 90, 95), (9, 0, 9)]),
        (range(500), range(3, 20), [(500, 0, 500), (17, 3, 20)]),
        (range(9_000, 9_500), range(700, 800), [(500, 9_000, 9_500), (100, 700, 800)]),
        (range(20), range(4, 30), [(20, 0, 20), (26, 4, 30)]),
    ],
    ids=["at 0", "soon", "after joining", "first ones missed", "many missed", "within the recent ones"],
)
def test_a_restart_of_the_numbering_is_a_new_epoch_and_no_loss(before, after, rows) -> None:
    receiver = Receiver()
    receiver.take(*before)
    receiver.take(*after)
    assert (receiver.found, receiver.rows) == ((0, 0, 0, 0), rows)
    assert len({slot.words[1] for slot in receiver.lanes.slots}) == 2


@pytest.mark.parametrize("sending", [False, True])
def test_numbers_that_are_none_make_new_epochs_and_no_loss_that_no_counter_holds(sending: bool) -> None:
    sequence = sequences.numbered(lambda frames: (frames[0], int(frames[1])))
    counters = private_slot(SOCKET_SLOT_WORDS)
    lanes = SequencedLanes(7, sequence, counters.words, NoJournal(), sending=sending)
    for number in range(400):
        digest = hashlib.sha256(b"%d" % number).digest()[:8]
        lanes.take([b"a", b"%d" % int.from_bytes(digest, "big")], None)
    assert counters.words[1:][COUNTER_NAMES.index("lost")] < 2**63
    assert all(slot.words[LANE_NEXT] < 2**63 for slot in lanes.slots)


def test_what_is_lost_after_a_restart_is_told() -> None:
    receiver = Receiver()
    receiver.take(*range(100), 0, 1, 5, 6)
    assert (receiver.found, receiver.rows) == ((1, 3, 0, 0), [(100, 0, 100), (4, 0, 7)])


def test_an_old_message_that_comes_again_is_no_restart_once_the_numbering_goes_on() -> None:
    receiver = Receiver()
    receiver.take(*range(200), 3, *range(200, 300))
    assert receiver.found == (0, 0, 1, 0)
    assert receiver.rows[0] == (300, 0, 300)


def test_all_topics_of_a_sender_that_restarted_are_of_one_stream() -> None:
    receiver = Receiver()
    for start in (50, 0, 0):
        for number in range(start, start + 60):
            receiver.take(number, topic=b"a")
            receiver.take(number, topic=b"b")
    streams = [slot.words[1] for slot in receiver.lanes.slots]
    assert streams == [stream_id(7, "callable", epoch) for epoch in (0, 0, 1, 1, 2, 2)]
    assert receiver.found == (0, 0, 0, 0)


@pytest.mark.parametrize("modulus", [256, 2**16, 2**32, 2**64])
def test_numbers_that_wrap_go_on(modulus: int) -> None:
    sequence = sequences.numbered(lambda frames: (frames[0], int(frames[1])), modulus=modulus)
    receiver = Receiver(sequence)
    numbers = [number % modulus for number in range(modulus - 20, modulus + 20)]
    receiver.take(*numbers)
    assert receiver.found == (0, 0, 0, 0)
    ((count, first, following),) = receiver.rows
    assert (count, following - first) == (40, 40)
    receiver = Receiver(sequence)
    receiver.take(*numbers[:15], *numbers[25:])
    assert receiver.found == (1, 10, 0, 0)
    receiver = Receiver(sequence)
    receiver.take(*numbers[:20], numbers[21], numbers[20], *numbers[22:], numbers[39])
    assert receiver.found == (1, 0, 1, 1)


def test_two_senders_of_one_topic_are_told_apart_by_their_connections() -> None:
    receiver = Receiver()
    for number in range(50):
        receiver.take(number, connection=3)
        receiver.take(1_000 + number, connection=4)
    assert receiver.found == (0, 0, 0, 0)
    assert receiver.rows == [(50, 0, 50), (50, 1_000, 1_050)]


def test_a_lane_goes_on_by_another_connection() -> None:
    receiver = Receiver()
    receiver.take(0, 1, 2, connection=3)
    receiver.take(3, 4, 6, connection=9)
    assert (receiver.found, receiver.rows) == ((1, 1, 0, 0), [(6, 0, 7)])


@settings(max_examples=100, deadline=None)
@given(
    epochs=st.lists(
        st.lists(st.booleans(), min_size=80, max_size=300).map(lambda kept: [True, *kept, True]),
        min_size=1,
        max_size=3,
    )
)
def test_each_loss_is_counted_once_whatever_is_dropped_and_restarted(epochs: list[list[bool]]) -> None:
    receiver = Receiver()
    for kept in epochs:
        receiver.take(*[number for number, keep in enumerate(kept) if keep])
    assert receiver.counters("lost", "duplicated", "reordered") == [
        sum(not keep for kept in epochs for keep in kept),
        0,
        0,
    ]


@pytest.mark.parametrize(("sequence", "make"), [("bitcoin_core", bitcoin), ("vllm_kv_events", vllm)])
@pytest.mark.parametrize("frame_by_frame", [True, False])
def test_known_sequences_are_read_off_bare_senders(
    context,
    journal: Journal,
    link,
    sequence: str,
    make: Callable[[bytes, int], list[bytes]],
    frame_by_frame: bool,
) -> None:
    pub = context.socket(zmq.PUB)
    sub = hopwatch.wrap(context.socket(zmq.SUB), name="sub", sequence=getattr(sequences, sequence))
    sub.subscribe(b"")
    link(pub, sub)
    sent = []
    for number in (*range(10), *range(15, 20)):
        for topic in (b"hashtx", b"rawblock"):
            sent.append(make(topic, number))
            pub.send_multipart(sent[-1])
    sent.append([b"something else"])
    pub.send_multipart(sent[-1])
    for message in sent:
        if frame_by_frame:
            assert [sub.recv() for _ in message] == message
        else:
            assert sub.recv_multipart() == message
    sub.close()
    (opened,) = journal.of("sub", "opened")
    lanes = journal.of("sub", "lane")
    assert opened["sequence"] == sequence
    assert [(bytes.fromhex(lane["topic"]), lane["sequence"], lane["epoch"]) for lane in lanes] == [
        (b"hashtx", sequence, 0),
        (b"rawblock", sequence, 0),
    ]
    stream = as_text(stream_id(int(opened["socket"], 16), sequence, 0))
    assert {lane["stream"] for lane in lanes} == {stream}
    gaps = [(gap["lane"], gap["first"], gap["last"], gap["lost"]) for gap in journal.of("sub", "gap")]
    assert gaps == [(0, 10, 14, 5), (1, 10, 14, 5)]
    (final,) = [event["lanes"] for event in journal.of("sub", "lanes") if event["final"]]
    assert final == [[stream, lane, 15, 0, 0, 20, 0] for lane in (0, 1)]
    counters = journal.socket("sub")
    assert (counters["gaps"], counters["lost"], counters["received"]) == (2, 10, 31)


def test_nothing_on_the_wire_is_changed_and_the_sender_knows_its_last_numbers(
    context, journal: Journal, link
) -> None:
    pub = hopwatch.wrap(context.socket(zmq.PUB), name="pub", sequence=sequences.bitcoin_core)
    bare = context.socket(zmq.SUB)
    bare.subscribe(b"")
    link(pub, bare)
    messages = [bitcoin(b"hashtx", number) for number in range(5, 25)]
    for message in messages:
        pub.send_multipart(message)
    assert [bare.recv_multipart() for _ in messages] == messages
    pub.close()
    (lane,) = journal.of("pub", "lane")
    assert (lane["stream"], lane["socket"], lane["sequence"]) == (
        lane["socket"],
        lane["socket"],
        "bitcoin_core",
    )
    (final,) = [event["lanes"] for event in journal.of("pub", "lanes") if event["final"]]
    assert final == [[lane["socket"], 0, 20, 40, 5, 25, 0]]


@pytest.mark.parametrize(
    "read",
    [
        lambda frames: frames[9],
        lambda frames: frames[0],
        lambda frames: (frames[0], "1"),
        lambda frames: (frames[0], -1),
        lambda frames: (1.5, len(frames)),
    ],
)
@pytest.mark.parametrize("frames", [[b"x"], [b"x", b"y", b"z"]])
def test_a_callable_that_fails_is_asked_once_and_that_is_a_finding(
    context, journal: Journal, link, read, frames
) -> None:
    asked = []

    def counted(message):
        asked.append(message)
        return read(message)

    pub = hopwatch.wrap(context.socket(zmq.PUB), name="pub", sequence=counted)
    sub = hopwatch.wrap(context.socket(zmq.SUB), name="sub", sequence=counted)
    sub.subscribe(b"")
    link(pub, sub)
    for _ in range(3):
        pub.send_multipart(frames)
        assert sub.recv_multipart() == frames
    assert asked == [frames, frames]
    for socket in (pub, sub):
        assert [finding.rule for finding in hopwatch.findings(socket)] == ["sequence_failed"]
    assert journal.header()["faults"] == 0
    assert journal.socket("sub")["received"] == 3


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("it cannot even say so")


class StrangeError(BaseException):
    """No Exception."""


class Unhashable(bytes):
    __hash__ = None


class Reluctant(int):
    """A number that cannot be reckoned with."""

    def __sub__(self, other: object) -> int:
        raise RuntimeError

    __lt__ = __le__ = __mod__ = __sub__


class Bottomless(tuple):
    def __iter__(self):
        raise StrangeError


class Speechless:
    def __repr__(self) -> str:
        raise StrangeError


def leaves(frames: list[bytes]) -> tuple[bytes, int]:
    raise SystemExit(3)


def empties(frames: list[bytes]) -> tuple[bytes, int]:
    frames.clear()
    return b"lane", 1


def unspeakable(frames: list[bytes]) -> tuple[bytes, int]:
    raise UnspeakableError


@pytest.mark.parametrize(
    ("read", "rules"),
    [
        (empties, []),
        (unspeakable, ["sequence_failed"]),
        (leaves, ["sequence_failed"]),
        (lambda frames: (Unhashable(frames[0]), 1), []),
        (lambda _: (b"lane", Reluctant(1)), []),
        (lambda _: Bottomless((b"lane", 1)), ["sequence_failed"]),
        (lambda _: Speechless(), ["sequence_failed"]),
        (lambda _: (10**5000, 1), ["sequence_failed"]),
        (lambda _: (b"lane", 10**5000), ["sequence_failed"]),
    ],
)
def test_no_callable_makes_the_instrumentation_fail(context, journal: Journal, link, read, rules) -> None:
    pub = hopwatch.wrap(context.socket(zmq.PUB), sequence=read)
    sub = hopwatch.wrap(context.socket(zmq.SUB), sequence=read)
    sub.subscribe(b"")
    link(pub, sub)
    for _ in range(3):
        pub.send_multipart([b"a", b"b"])
        assert sub.recv_multipart() == [b"a", b"b"]
    for socket in (pub, sub):
        assert [finding.rule for finding in hopwatch.findings(socket)] == rules
    assert journal.header()["faults"] == 0


class TimeIsUpError(Exception):
    """Raised by a signal handler of the application."""


def time_is_up(*_: object) -> None:
    raise TimeIsUpError


@pytest.mark.parametrize("own", [time_is_up, signal.default_int_handler])
def test_what_a_signal_handler_raises_while_the_callable_runs_is_for_the_application(
    context, journal: Journal, link, own
) -> None:
    interrupting = [True]

    def read(frames: list[bytes]) -> tuple[bytes, int]:
        if interrupting:
            interrupting.clear()
            signal.raise_signal(signal.SIGUSR1)
        return b"lane", int(frames[0])

    push, pull = context.socket(zmq.PUSH), hopwatch.wrap(context.socket(zmq.PULL), name="pull", sequence=read)
    link(push, pull)
    before = signal.signal(signal.SIGUSR1, own)
    try:
        push.send(b"0")
        with pytest.raises((TimeIsUpError, KeyboardInterrupt)):
            pull.recv()
    finally:
        signal.signal(signal.SIGUSR1, before)
    for number in (1, 2):
        push.send(b"%d" % number)
        assert pull.recv() == b"%d" % number
    assert hopwatch.findings(pull) == []
    assert [lane["count"] for lane in journal.lanes()] == [2]


def test_a_long_name_of_a_lane_is_told_shortened(context, journal: Journal, link) -> None:
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    hopwatch.wrap(push, name="push", sequence=sequences.bitcoin_core)
    hopwatch.wrap(pull, name="pull", sequence=sequences.bitcoin_core)
    link(push, pull)
    topics = [b"x" * 100_000, b"x" * 100_000 + b"y", b"x" * 255]
    for topic in topics:
        push.send_multipart(bitcoin(topic, 7))
        assert pull.recv_multipart() == bitcoin(topic, 7)
    told = [bytes.fromhex(lane["topic"]) for lane in journal.of("pull", "lane")]
    assert told == [bytes.fromhex(lane["topic"]) for lane in journal.of("push", "lane")]
    assert (len(set(told)), [len(topic) for topic in told], told[2]) == (3, [255] * 3, topics[2])
    assert journal.header()["events_lost"] == 0


def test_a_message_past_the_bound_of_lanes_costs_about_what_others_do() -> None:
    receiver = Receiver()
    topics = [b"%d" % number for number in range(MOST_LANES + 100)]
    for topic in topics:
        receiver.take(0, topic=topic)
    assert len(receiver.rows) == MOST_LANES

    def quickest(some: list[bytes]) -> int:
        rounds = []
        for number in range(5):
            began = time.thread_time_ns()  # a busy machine adds none to it
            for topic in some:
                receiver.take(number, topic=topic)
            rounds.append(time.thread_time_ns() - began)
        return min(rounds)

    assert quickest(topics[-100:]) < 20 * quickest(topics[:100])


def test_the_environment_names_a_sequence(context, journal: Journal, monkeypatch) -> None:
    monkeypatch.setenv("HOPWATCH_SEQUENCE", "vllm_kv_events")
    hopwatch.wrap(context.socket(zmq.SUB), name="sub")
    (opened,) = journal.of("sub", "opened")
    assert opened["sequence"] == "vllm_kv_events"


@pytest.mark.parametrize("sequence", ["bitcoin", 3, b"stamp", ""])
def test_what_names_no_sequence_is_refused(context, journal: Journal, sequence: object) -> None:
    with pytest.raises(hopwatch.UsageError):
        hopwatch.wrap(context.socket(zmq.SUB), sequence=sequence)


@pytest.mark.parametrize("modulus", [0, 1, 2**64 + 1, 2.0, True])
def test_a_modulus_that_numbers_cannot_have_is_refused(modulus: object) -> None:
    with pytest.raises(hopwatch.UsageError):
        sequences.numbered(len, modulus=modulus)


def test_stamps_of_a_stamping_sender_are_taken_off_all_the_same(context, journal: Journal, link) -> None:
    pub = hopwatch.wrap(context.socket(zmq.PUB), sequence="stamp")
    sub = hopwatch.wrap(context.socket(zmq.SUB), name="sub", sequence=sequences.bitcoin_core)
    sub.subscribe(b"")
    link(pub, sub)
    for number in range(3):
        pub.send_multipart(bitcoin(b"hashtx", number))
        assert sub.recv_multipart() == bitcoin(b"hashtx", number)
    assert len(journal.of("sub", "lane")) == 2
    assert journal.of("sub", "gap") == []


def test_a_dealer_and_a_router_read_both_ways(context, journal: Journal, link) -> None:
    router = hopwatch.wrap(
        context.socket(zmq.ROUTER), name="router", sequence=lambda frames: ("all", int(frames[-1]))
    )
    dealer = hopwatch.wrap(
        context.socket(zmq.DEALER), name="dealer", sequence=lambda frames: ("all", int(frames[-1]))
    )
    link(router, dealer)
    for number in range(4):
        dealer.send(b"%d" % number)
        identity, _ = router.recv_multipart()
        router.send_multipart([identity, b"%d" % (number + 10)])
        assert dealer.recv() == b"%d" % (number + 10)
    for name in ("router", "dealer"):
        own, other = journal.of(name, "lane") if name == "dealer" else reversed(journal.of(name, "lane"))
        assert own["stream"] == own["socket"] != other["stream"]
    assert journal.header()["faults"] == 0
