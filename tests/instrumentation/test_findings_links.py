"""What findings say that need both ends of a link, or another libzmq."""

from collections.abc import Callable

import zmq
from set_up_sockets import BODY, bind
from tcp_relay import Relay

BUFFER_BYTES = 4096
PATIENT_MS = 10_000
QUIET_MS = 200


def sent_to_sleeping(
    context: zmq.Context,
    marks: list[int],
    count: int,
    until: Callable[[Callable[[], object]], None],
    *,
    sndhwm: int,
    batch: int | None = None,
) -> list[int]:
    """How many of a burst each subscriber gets that reads only when it is over.

    The last subscriber is behind a relay. The publisher waits after each batch until it has sent that to the last one, so that
    SNDHWM is not what bounds it.
    """
    pub = context.socket(zmq.PUB)
    pub.sndhwm = sndhwm
    pub.sndbuf = BUFFER_BYTES
    endpoint = bind(pub)
    relay = Relay(int(endpoint.rpartition(":")[2]), buffer_bytes=BUFFER_BYTES)
    subs = []
    for number, mark in enumerate(marks):
        sub = context.socket(zmq.SUB)
        sub.rcvhwm = mark
        sub.rcvbuf = BUFFER_BYTES
        sub.subscribe(b"")
        sub.subscribe(b"%d" % number)
        sub.connect(f"tcp://127.0.0.1:{relay.port}" if number == len(marks) - 1 else endpoint)
        subs.append(sub)
    until(lambda: pub.getsockopt(zmq.EVENTS) and pub.getsockopt(zmq.TOPICS_COUNT) == len(marks) + 1)
    passed_before = relay.passed
    for sent in range(1, count + 1):
        pub.send(BODY)
        if batch is not None and sent % batch == 0:
            until(lambda sent=sent: relay.passed - passed_before >= sent * len(BODY))
    got = [received(sub, count if batch and sub is subs[-1] else 0) for sub in subs]
    relay.close()
    return got


def received(sub: zmq.Socket, expected: int) -> int:
    """How many messages come until none does for a while; so many are waited for longer."""
    got = 0
    while sub.poll(PATIENT_MS if got < expected else QUIET_MS):
        assert sub.recv() == BODY
        got += 1
    return got


def test_of_subscribers_with_very_different_marks_the_narrow_one_alone_loses(
    context: zmq.Context, until
) -> None:
    narrow_one, wide_one = sent_to_sleeping(context, [10, 10_000], 2000, until, sndhwm=500, batch=100)
    assert wide_one == 2000
    assert narrow_one < 1000


def test_a_burst_that_the_marks_hold_survives_a_pause_and_a_longer_one_does_not(
    context: zmq.Context, until
) -> None:
    assert sent_to_sleeping(context, [100], 75, until, sndhwm=50, batch=15) == [75]
    assert sent_to_sleeping(context, [100], 1500, until, sndhwm=50)[0] < 1500


def test_a_libzmq_that_nothing_was_tried_on_is_found() -> None:
    from hopwatch.rules.judge import judge
    from hopwatch.rules.setup import Kind, Moment, SetUp

    def told(*version: int) -> list[str]:
        return [finding.rule for finding in judge(SetUp("PUB", version, {}), Moment(Kind.WRAPPED))]

    assert told(4, 2, 5) == told(4, 1, 8) == ["old_libzmq"]
    assert told(4, 3, 0) == told(*zmq.zmq_version_info()) == told(5, 0, 0) == []
