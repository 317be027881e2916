"""Findings of options that are set early, late, by the context or anew: told when the set-up is in force."""

from pathlib import Path

import hopwatch
import pytest
import zmq
from journal_reader import Journal
from set_up_sockets import NOWHERE, rules


@pytest.mark.parametrize(
    ("kind", "option", "value", "rule"),
    [
        (zmq.PUSH, "sndhwm", 0, "unlimited_mark"),
        (zmq.PULL, "rcvhwm", 0, "unlimited_mark"),
        (zmq.PUSH, "rcvhwm", 50, "mark_of_the_other_way"),
        (zmq.PULL, "sndhwm", 50, "mark_of_the_other_way"),
    ],
)
def test_a_mark_set_after_connect_is_found_by_the_time_the_socket_is_closed(
    context: zmq.Context, journal: Journal, kind: int, option: str, value: int, rule: str
) -> None:
    socket = hopwatch.wrap(context.socket(kind), name="it")
    socket.connect(NOWHERE)
    setattr(socket, option, value)
    socket.close(linger=0)
    assert [event["rule"] for event in journal.of("it", "finding")] == [rule]


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_a_mark_of_the_other_way_that_is_set_after_connect_is_found_at_the_first_send(
    context: zmq.Context, journal: Journal, sequence: str | None
) -> None:
    pub = hopwatch.wrap(context.socket(zmq.PUB), name="pub", sequence=sequence)
    pub.connect(NOWHERE)
    pub.rcvhwm = 100
    assert rules(pub) == []
    pub.send(b"x")
    assert rules(pub) == ["mark_of_the_other_way"]


@pytest.mark.parametrize("kind", [zmq.PUSH, zmq.PULL, zmq.PUB, zmq.SUB])
def test_both_marks_set_after_connect_are_no_finding(
    context: zmq.Context, journal: Journal, kind: int
) -> None:
    socket = hopwatch.wrap(context.socket(kind), name="it")
    socket.connect(NOWHERE)
    socket.set_hwm(50)
    socket.close()
    assert journal.of("it", "finding") == []


@pytest.mark.parametrize("by_install", [True, False])
@pytest.mark.parametrize(
    ("kind", "option", "value", "found"),
    [
        (zmq.PUSH, "rcvhwm", 50, []),
        (zmq.PULL, "sndhwm", 0, []),
        (zmq.PUSH, "sndhwm", 0, ["unlimited_mark"]),
        (zmq.DEALER, "linger", 0, ["no_linger"]),
    ],
)
def test_what_a_context_gives_to_all_its_sockets_is_found_where_it_matters(
    context: zmq.Context,
    journal: Journal,
    by_install: bool,
    kind: int,
    option: str,
    value: int,
    found: list[str],
) -> None:
    setattr(context, option, value)
    if by_install:
        hopwatch.install()
    try:
        socket = context.socket(kind) if by_install else hopwatch.wrap(context.socket(kind))
        socket.connect(NOWHERE)
        assert rules(socket) == found
    finally:
        hopwatch.uninstall()


@pytest.mark.parametrize(
    ("kind", "risky", "mended"),
    [
        (zmq.PUSH, {"sndhwm": 0}, {"sndhwm": 10}),
        (zmq.DEALER, {"linger": 0}, {"linger": 1000}),
        (zmq.PULL, {"sndhwm": 10}, {"rcvhwm": 10}),
    ],
)
def test_what_is_mended_before_the_socket_is_used_was_no_risk(
    context: zmq.Context, journal: Journal, kind: int, risky: dict[str, int], mended: dict[str, int]
) -> None:
    socket = hopwatch.wrap(context.socket(kind))
    for options in (risky, mended):
        for name, value in options.items():
            setattr(socket, name, value)
    socket.connect(NOWHERE)
    assert rules(socket) == []


def test_subscriptions_for_which_room_is_made_before_connecting_are_fine(
    context: zmq.Context, journal: Journal
) -> None:
    sub = hopwatch.wrap(context.socket(zmq.SUB))
    for number in range(1500):
        sub.subscribe(b"%04d" % number)
    assert rules(sub) == []
    sub.sndhwm = 5000
    sub.connect(NOWHERE)
    assert rules(sub) == []


@pytest.mark.parametrize("endpoint", ["tcp://127.0.0.1:1", "ipc://{}/pipe"])
def test_a_socket_that_is_wrapped_when_it_is_connected_already_is_looked_at_too(
    context: zmq.Context, journal: Journal, tmp_path: Path, endpoint: str
) -> None:
    pull = context.socket(zmq.PULL)
    pull.connect(endpoint.format(tmp_path))
    pull.rcvhwm = 0
    assert rules(hopwatch.wrap(pull)) == ["unlimited_mark"]
    pull.rcvhwm = 5
    low = ["low_mark_over_ipc"] if endpoint.startswith("ipc") else []
    assert rules(pull) == ["unlimited_mark", *low]
