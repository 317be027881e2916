"""Whoever can connect can send frames that look like stamps: they make no fault, and are no loss."""

import asyncio
import itertools
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import hopwatch
import pytest
import zmq
import zmq.asyncio
from forged import STREAM, looks_like_one, stamp_like
from hopwatch import stamp
from hopwatch.journal.counters import private_slot
from hopwatch.lanes.plausible import MOST_A_SECOND, Reach
from hopwatch.stamp import BY_FIRST_FRAME, LENGTH_SHIFT, SHARED_OUT, interval_flags
from hopwatch.words import LANE_FIRST, LANE_NEXT, LANE_SLOT_WORDS, LOST
from journal_reader import Journal

READERS: dict[str, Callable[[zmq.Socket], list[bytes]]] = {
    "whole": lambda socket: socket.recv_multipart(),
    "uncopied": lambda socket: [frame.bytes for frame in socket.recv_multipart(copy=False)],
    "by frames": lambda socket: list(frames_of(socket)),
}
Pair = tuple[zmq.Socket, zmq.Socket]


def frames_of(socket: zmq.Socket) -> Iterator[bytes]:
    yield socket.recv()
    while socket.rcvmore:
        yield socket.recv()


@pytest.fixture(params=[None, "count", "stamp"])
def told(request: pytest.FixtureRequest) -> str | None:
    """What the receiver was told of stamps."""
    return request.param


@pytest.fixture
def pair(context: zmq.Context, journal: Journal, link, told: str | None) -> Pair:
    """A bare PUSH and a wrapped PULL."""
    push, pull = context.socket(zmq.PUSH), hopwatch.wrap(context.socket(zmq.PULL), name="pull", sequence=told)
    link(pull, push)
    return push, pull


@pytest.fixture(params=READERS)
def read(request: pytest.FixtureRequest) -> Callable[[zmq.Socket], list[bytes]]:
    return READERS[request.param]


def found(socket: zmq.Socket, rule: str = "impossible_stamps") -> list[str]:
    return [finding.text for finding in hopwatch.findings(socket) if finding.rule == rule]


def numbered(journal: Journal) -> list[tuple[int, int, int]]:
    """Count, first and next of each lane that stamps told of."""
    return [
        (lane["count"], lane["first"], lane["next"])
        for lane in journal.lanes()
        if lane["stream"] not in (0, lane["socket"])
    ]


@pytest.mark.parametrize("flags", [0, SHARED_OUT, interval_flags(4), interval_flags(4) | SHARED_OUT])
@pytest.mark.parametrize("far", [10**15, 2**64 - 1])
def test_a_jump_that_there_was_no_time_for_is_set_aside(
    pair: Pair, read: Callable[[zmq.Socket], list[bytes]], journal: Journal, flags: int, far: int
) -> None:
    push, pull = pair
    for number in (0, far, 1, far):
        push.send_multipart([b"body", b"%d" % number + stamp_like(number, flags=flags)])
    push.send(b"no stamp")
    assert [read(pull)[1] for _ in range(4)] == [b"0", b"%d" % far, b"1", b"%d" % far]
    assert read(pull) == [b"no stamp"]
    counters = journal.socket("pull")
    assert [counters[name] for name in ("received", "gaps", "lost", "duplicated")] == [5, 0, 0, 0]
    assert numbered(journal) == [(2, 0, 2)]
    (text,) = found(pull)
    assert "2 so far" in text
    assert journal.header()["faults"] == 0


def test_numbers_that_go_back_further_than_there_was_time_for_widen_no_lane(
    pair: Pair, journal: Journal
) -> None:
    push, pull = pair
    for number in (2**61, 0, 2**61 + 1):
        push.send_multipart([b"x" + stamp_like(number, flags=SHARED_OUT)])
        pull.recv()
    assert numbered(journal) == [(2, 2**61, 2**61 + 2)]
    assert len(found(pull)) == 1


NO_SENDERS = {
    "number": {"number": 2**62 + 1},
    "largest number": {"number": 2**64 - 1},
    "number in the lane": {"number": 5, "lane_number": 2**62},
    "number in the lane before all": {"number": 0, "lane_number": 2**64 - 1},
    "lane": {"lane": 10_000},
    "largest lane": {"lane": 2**64 - 1},
    "stream": {"stream": 0},
    "topic": {"topic_length": 5},
    "largest topic": {"topic_length": 2**16 - 1},
    "no time": {"sent_at": math.nan},
    "end of time": {"sent_at": math.inf},
    "before all times": {"sent_at": -1.0},
    "times to come": {"sent_at": 1e300},
}


@pytest.mark.parametrize("fields", NO_SENDERS.values(), ids=NO_SENDERS)
def test_a_stamp_that_no_sender_writes_opens_nothing(
    pair: Pair, journal: Journal, fields: dict[str, Any]
) -> None:
    push, pull = pair
    for body in (b"one", b"two"):
        push.send_multipart([b"four", body + stamp_like(**fields)])
        assert pull.recv_multipart() == [b"four", body]
    assert numbered(journal) == []
    assert [lane for lane in journal.of("pull", "lane") if int(lane["stream"], 16)] == []
    assert journal.socket("pull")["received"] == 2
    assert "2 so far" in found(pull)[0]


def test_a_topic_longer_than_any_is_no_topic(pair: Pair, journal: Journal) -> None:
    push, pull = pair
    push.send_multipart([b"x" * 65_535 + stamp_like(topic_length=65_535)])
    pull.recv()
    assert numbered(journal) == []
    assert journal.header() == {"events_lost": 0, "faults": 0}


def test_how_many_were_set_aside_is_told_when_the_socket_closes(pair: Pair, journal: Journal) -> None:
    push, pull = pair
    for _ in range(11):
        push.send_multipart([b"x" + stamp_like(2**63)])
        pull.recv()
    pull.close()
    told = [event["text"] for event in journal.of("pull", "finding") if event["rule"] == "impossible_stamps"]
    assert [int(text.split(" so far")[0].split()[-1]) for text in told] == [1, 2, 4, 8, 11]
    assert journal.events("closed")[-1]["n"] > journal.events("finding")[-1]["n"]


def test_a_late_joiner_of_a_long_stream_is_told_of_what_it_lacks_from_there(
    pair: Pair, journal: Journal
) -> None:
    push, pull = pair
    first = 40 * 10**12
    for number in (first, first + 1, first + 1_000_002, first + 1_000_003):
        push.send_multipart([b"x" + stamp_like(number)])
        pull.recv()
    (gap,) = journal.of("pull", "gap")
    assert (gap["first"], gap["last"], gap["lost"]) == (first + 2, first + 1_000_001, 10**6)
    assert numbered(journal) == [(4, first, first + 1_000_004)]
    assert found(pull) == []


def test_what_waited_before_a_receiver_was_wrapped_may_lack_millions(pair: Pair, journal: Journal) -> None:
    push, pull = pair
    for number in (0, MOST_A_SECOND - 1):
        push.send_multipart([b"x" + stamp_like(number)])
        pull.recv()
    assert journal.socket("pull")["lost"] == MOST_A_SECOND - 2
    assert found(pull) == []


def test_who_has_received_for_long_may_lack_as_much_as_could_be_sent_meanwhile() -> None:
    words = private_slot(LANE_SLOT_WORDS).words
    words[LANE_FIRST], words[LANE_NEXT] = 10**12, 10**12 + 5
    an_hour = 3_600 * MOST_A_SECOND
    reach = Reach(time.monotonic() - 3_600)

    def holds(number: int) -> bool:
        return reach.holds(words, stamp.decode(stamp_like(number)))

    assert holds(10**12 + an_hour)
    assert holds(10**12 - an_hour)
    assert not holds(10**12 + 2 * an_hour)
    assert not holds(10**12 - 2 * an_hour)


def test_lost_messages_are_bounded_however_many_lanes_are_made_up(pair: Pair, journal: Journal) -> None:
    push, pull = pair
    pull._hopwatch.slot.words[LOST] = 2**62 - 10
    for number in (0, 10**6):
        push.send_multipart([b"x" + stamp_like(number)])
        pull.recv()
    assert journal.socket("pull")["lost"] == 2**62
    assert journal.header()["faults"] == 0


def test_a_late_number_where_none_is_missing_takes_back_nothing(pair: Pair, journal: Journal) -> None:
    """Of a sparse gap most had come without a stamp; then more come late than it lacks."""
    push, pull = pair
    sparse = interval_flags(8)
    messages = [[b"x" + stamp_like(0, flags=sparse)], *[[b"x"]] * 6, [b"x" + stamp_like(8, flags=sparse)]]
    for frames in [*messages, *([b"x" + stamp_like(number, flags=sparse)] for number in (1, 2, 3))]:
        push.send_multipart(frames)
        pull.recv()
    assert (journal.socket("pull")["lost"], journal.socket("pull")["received"]) == (0, 11)
    assert journal.header()["faults"] == 0


def test_made_up_streams_are_followed_no_further_than_any_others(
    pair: Pair, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, bound in {"MOST_LANES": 30, "MANY_STREAMS": 20, "MOST_REMEMBERED": 30}.items():
        monkeypatch.setattr(f"hopwatch.lanes.following.{name}", bound)
    push, pull = pair
    for stream, lane in itertools.product(range(1, 21), range(10)):
        push.send_multipart([b"x" + stamp_like(lane=lane, stream=stream)])
        pull.recv()
    assert len(numbered(journal)) <= 30
    assert journal.socket("pull")["received"] == 200
    assert journal.header()["faults"] == 0


def test_rules_of_sparse_stamps_that_are_made_up_cost_no_more_than_some(pair: Pair, journal: Journal) -> None:
    push, pull = pair
    for number in range(256):
        flags = interval_flags(4) | number << LENGTH_SHIFT | (number & 1) * BY_FIRST_FRAME
        push.send_multipart([b"x" * 300, b"y" + stamp_like(stream=number + 1, flags=flags)])
        push.send_multipart([b"x" * 300, b"y"])
        pull.recv_multipart()
        pull.recv_multipart()
    # of those that are not followed as many are taken to have come as can lie between two stamps
    assert sum(lane["more_frames"] != 16 for lane in journal.lanes() if lane["stream"]) <= 16
    assert journal.socket("pull")["received"] == 512
    assert journal.header()["faults"] == 0


@pytest.mark.parametrize("read_before", [0, 200])
def test_a_question_that_is_nothing_but_a_stamp_is_empty_and_is_answered(
    context: zmq.Context, journal: Journal, told: str | None, read_before: int
) -> None:
    rep = hopwatch.wrap(context.socket(zmq.REP), name="rep", sequence=told)
    req = context.socket(zmq.REQ)
    rep.rcvtimeo = req.rcvtimeo = 10_000
    rep.bind("inproc://rep")
    req.connect("inproc://rep")
    for question in (*[b"a question"] * read_before, stamp_like(), stamp_like(1)):
        req.send(question)
        assert rep.recv() == (b"" if looks_like_one(question) else question)
        rep.send(b"an answer")
        req.recv_multipart()
    assert journal.socket("rep")["received"] == read_before + 2
    assert journal.header()["faults"] == 0


@pytest.mark.parametrize("how", ["recv", "recv_multipart"])
def test_an_event_loop_is_given_a_message_that_is_nothing_but_a_stamp(
    context: zmq.Context, journal: Journal, told: str | None, how: str
) -> None:
    async def receive() -> list[bytes]:
        with zmq.asyncio.Context() as own, own.socket(zmq.PULL) as pull:
            hopwatch.wrap(pull, name="pull", sequence=told)
            push = context.socket(zmq.PUSH)
            push.connect(f"tcp://127.0.0.1:{pull.bind_to_random_port('tcp://127.0.0.1')}")
            push.send(b"x" + stamp_like())
            await pull.recv_multipart()
            push.send(stamp_like(1))
            came = await asyncio.wait_for(getattr(pull, how)(), 10)
            push.close(linger=0)
            return came if how == "recv_multipart" else [came]

    assert asyncio.run(receive()) == [b""]
    assert (journal.socket("pull")["received"], journal.header()["faults"]) == (2, 0)


def test_a_frame_that_ends_as_a_stamp_and_is_too_short_for_one_is_left_alone(
    pair: Pair, read: Callable[[zmq.Socket], list[bytes]], journal: Journal
) -> None:
    push, pull = pair
    for message in (b"x" + stamp_like(), b"y" + stamp_like(1)):
        push.send(message)
        read(pull)
    for length in range(1, 48):
        short = stamp_like(2)[-length:]
        push.send(short)
        assert read(pull) == [short]
    assert journal.header()["faults"] == 0


def test_what_looks_like_a_stamp_within_a_message_stays_there(
    pair: Pair, read: Callable[[zmq.Socket], list[bytes]], journal: Journal
) -> None:
    push, pull = pair
    message = [b"a", stamp_like(), b"b"]
    for _ in range(3):
        push.send_multipart(message)
        assert read(pull) == message
    push.send_multipart([*message[:-1], message[-1] + stamp_like()])
    assert read(pull)[:3] == message
    assert numbered(journal) == [(1, 0, 1)]
    assert journal.socket("pull")["received"] == 4


def test_a_stamp_that_comes_back_to_its_sender_tells_it_nothing(
    context: zmq.Context, journal: Journal, link
) -> None:
    """Of an echo that is not wrapped."""
    echo, dealer = (
        context.socket(zmq.DEALER),
        hopwatch.wrap(context.socket(zmq.DEALER), name="dealer", sequence="stamp"),
    )
    link(echo, dealer)
    for body in (b"a", b"b"):
        dealer.send(body)
        echo.send_multipart(echo.recv_multipart())
        assert dealer.recv_multipart() == [body]
    assert [(lane["count"], lane["stream"] == lane["socket"]) for lane in journal.lanes()] == [(2, True)]
    assert hopwatch.findings(dealer) == []


def test_a_stream_that_a_signal_has_put_ahead_of_its_count_is_followed(pair: Pair, journal: Journal) -> None:
    """A handler that raises between the two counts of a send leaves the lane's one higher."""
    push, pull = pair
    for number in range(3):
        push.send_multipart([b"x" + stamp_like(number, number + 1)])
        pull.recv()
    assert numbered(journal) == [(3, 1, 4)]
    assert found(pull) == []


def test_time_that_is_none_in_a_stamp_that_is_next_is_no_time(pair: Pair, journal: Journal) -> None:
    push, pull = pair
    for number, sent_at in ((0, None), (1, math.nan), (3, None)):
        push.send_multipart([b"x" + stamp_like(number, sent_at=sent_at)])
        pull.recv()
    (gap,) = journal.of("pull", "gap")
    assert (gap["first"], gap["before_sent_at"]) == (2, 0)
    assert journal.header()["faults"] == 0


def test_the_stream_numbers_around_a_gap_are_bounded(pair: Pair, journal: Journal) -> None:
    push, pull = pair
    for number, lane_number in ((0, 0), (2**64 - 1, 1), (5, 3)):
        push.send_multipart([b"x" + stamp_like(number, lane_number)])
        pull.recv()
    (gap,) = journal.of("pull", "gap")
    assert (gap["before"], gap["after"]) == (5, 5)


def test_stamps_of_senders_are_none_of_these(context: zmq.Context, journal: Journal, link) -> None:
    push, pull = (hopwatch.wrap(context.socket(kind), name=name, sequence="stamp")
                  for kind, name in ((zmq.PUSH, "push"), (zmq.PULL, "pull")))  # fmt: skip
    link(push, pull)
    for number in range(50):
        push.send_multipart([b"%d" % number] * (1 + number % 3))
        pull.recv_multipart()
    assert hopwatch.findings(pull) == []
    assert numbered(journal) == [(50, 0, 50)]
    assert stamp.ends_stamped(stamp_like(stream=STREAM))
