"""What findings say that need both ends of a link, or another libzmq."""

import time

import zmq
from set_up_sockets import BODY, bind


def sent_to_sleeping(
    context: zmq.Context, marks: list[int], count: int, until, *, sndhwm: int = 50, pause: float = 0.002
) -> list[int]:
    """How many of a burst each subscriber gets that reads only when it is over."""
    pub = context.socket(zmq.PUB)
    pub.sndhwm = sndhwm
    pub.sndbuf = 4096
    endpoint = bind(pub)
    subs = []
    for mark in marks:
        sub = context.socket(zmq.SUB)
        sub.rcvhwm = mark
        sub.rcvbuf = 4096
        sub.subscribe(b"")
        sub.connect(endpoint)
        subs.append(sub)
    until(lambda: [pub.send(b"begin"), all(sub.poll(1) for sub in subs)][1])
    for sub in subs:
        while sub.poll(50):
            sub.recv()
    for number in range(count):
        pub.send(BODY)
        if number % 10 == 9:
            time.sleep(pause)  # libzmq's thread gets its turn, so that SNDHWM is not what bounds the wide one
    got = []
    for sub in subs:
        got.append(0)
        while sub.poll(200):
            sub.recv()
            got[-1] += 1
    return got


def test_of_subscribers_with_very_different_marks_the_narrow_one_alone_loses(
    context: zmq.Context, until
) -> None:
    narrow_one, wide_one = sent_to_sleeping(context, [10, 10_000], 2000, until, sndhwm=500, pause=0.01)
    assert wide_one == 2000
    assert narrow_one < 1000


def test_a_burst_that_the_marks_hold_survives_a_pause_and_a_longer_one_does_not(
    context: zmq.Context, until
) -> None:
    # a pipe that was in use has room for half its mark at least: its reader tells only now and then how far it is
    assert sent_to_sleeping(context, [100], 75, until, pause=0.05) == [75]
    assert sent_to_sleeping(context, [100], 1500, until)[0] < 1500


def test_a_libzmq_that_nothing_was_tried_on_is_found() -> None:
    from hopwatch.rules.judge import judge
    from hopwatch.rules.setup import Kind, Moment, SetUp

    def told(*version: int) -> list[str]:
        return [finding.rule for finding in judge(SetUp("PUB", version, {}), Moment(Kind.WRAPPED))]

    assert told(4, 2, 5) == told(4, 1, 8) == ["old_libzmq"]
    assert told(4, 3, 0) == told(*zmq.zmq_version_info()) == told(5, 0, 0) == []
