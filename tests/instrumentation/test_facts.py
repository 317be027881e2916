"""Which events stand, and are repeated at the head of each segment."""

from collections.abc import Iterator
from typing import Any

import pytest
from hopwatch.journal.facts import (
    ENTRIES_A_LINE,
    MOST_GIVEN_WAY,
    MOST_LEFT,
    MOST_TIMES,
    MOST_UNOPENED,
    StandingFacts,
)

A, B = "00000000000000a1", "00000000000000b2"
PLENTY = 1 << 30


class Log:
    """Takes events as an event log does; a line is the number of its event."""

    def __init__(self) -> None:
        self.facts = StandingFacts()
        self._numbers = self._count()

    def write(self, event: str, socket: str | None = A, **fields: Any) -> int:
        number = next(self._numbers)
        of = {} if socket is None else {"socket": socket}
        self.facts.take({"event": event, **of, **fields}, number, b"%d" % number)
        return number

    def connected(self, number: int, endpoint: str = "tcp://a", accepted: bool = False) -> int:
        return self.write("connected", connection=number, endpoint=endpoint, accepted=accepted)

    def standing(self) -> list[int]:
        lines, left_out = self.facts.lines(PLENTY)
        assert left_out == 0
        return [int(line) for line in lines]

    def open(self) -> dict[str, list[int]]:
        (listed,) = self.facts.standing()
        assert (listed["after"], listed["last"]) == (None, True)
        return dict(listed["sockets"])

    @staticmethod
    def _count() -> Iterator[int]:
        yield from range(1, PLENTY)


@pytest.fixture
def log() -> Log:
    log = Log()
    log.write("opened", name="a")
    return log


def test_an_option_a_finding_and_the_monitors_state_stand_until_they_are_renewed(log: Log) -> None:
    log.write("option", option="linger", value=0)
    mark = log.write("option", option="sndhwm", value=10)
    log.write("monitor", state="attached")
    linger = log.write("option", option="linger", value=5)
    found = [log.write("finding", rule=rule) for rule in ("conflate", "no_linger")]
    stopped = log.write("monitor", state="stopped")
    assert log.standing() == [1, mark, linger, *found, stopped]


def test_an_option_that_is_set_later_leaves_the_one_in_force_at_an_endpoint(log: Log) -> None:
    log.write("option", option="sndhwm", value=1)
    at_bind = log.write("option", option="sndhwm", value=2)
    bound = log.write("bind", endpoint="tcp://a")
    log.write("option", option="sndhwm", value=3)
    later = log.write("option", option="sndhwm", value=4)
    assert log.standing() == [1, at_bind, bound, later]
    again = log.write("bind", endpoint="tcp://b")
    assert log.standing() == [1, bound, later, again]


def test_an_endpoint_stands_until_it_is_left(log: Log) -> None:
    bound, other = log.write("bind", endpoint="tcp://a"), log.write("bind", endpoint="tcp://b")
    connected = log.write("connect", endpoint="tcp://a")
    log.write("unbind", endpoint="tcp://b")
    assert log.standing() == [1, bound, connected]
    left = log.write("disconnect", endpoint="tcp://a")
    assert log.standing() == [1, bound, left]
    log.write("unbind", endpoint="tcp://a")
    assert other not in log.standing()
    assert log.standing() == [1, left]


def test_a_connection_stands_with_its_handshake_until_it_is_down(log: Log) -> None:
    first, second = log.connected(1), log.connected(2)
    shaken = [log.write("handshake", endpoint="tcp://a") for _ in range(2)]
    assert log.standing() == [1, first, second, *shaken]
    log.write("disconnected", connection=1, endpoint="tcp://a")
    assert log.standing() == [1, second, shaken[1]]
    assert log.open() == {A: [2]}
    log.write("disconnected", connection=0, endpoint="tcp://a")
    log.write("disconnected", connection=2, endpoint="tcp://a")
    assert log.standing() == [1]


def test_whoever_disconnects_has_only_the_connections_left_that_others_made(log: Log) -> None:
    log.write("connect", endpoint="tcp://a")
    log.connected(1)
    log.write("handshake", endpoint="tcp://a")
    accepted = log.connected(2, accepted=True)
    elsewhere = log.connected(3, "tcp://b")
    left = log.write("disconnect", endpoint="tcp://a")
    assert log.standing() == [1, accepted, elsewhere, left]


def test_what_a_monitor_reports_late_of_an_endpoint_that_was_left_does_not_stand(log: Log) -> None:
    log.write("connect", endpoint="tcp://a")
    left = log.write("disconnect", endpoint="tcp://a")
    log.connected(1)
    log.write("retried", endpoint="tcp://a")
    log.write("handshake", endpoint="tcp://a")
    assert log.standing() == [1, left]
    again = [log.write("connect", endpoint="tcp://a"), log.connected(2)]
    assert log.standing() == [1, left, *again]


def test_a_failure_at_an_endpoint_stands_until_it_is_connected(log: Log) -> None:
    log.write("retried", endpoint="tcp://a")
    refused = log.write("handshake_failed", endpoint="tcp://a")
    assert log.standing() == [1, refused]
    connected = log.connected(1)
    assert log.standing() == [1, connected]


def test_subscriptions_are_counted_as_libzmq_does(log: Log) -> None:
    first, second = (log.write("subscribe", topic="61") for _ in range(2))
    other = log.write("subscribe", topic="62")
    left = log.write("unsubscribe", topic="61")
    assert log.standing() == [1, first, other, left]
    left = log.write("unsubscribe", topic="61")
    assert log.standing() == [1, other, left]
    unmatched = log.write("unsubscribe", topic="61")
    again = log.write("subscribe", topic="61")
    assert log.standing() == [1, other, unmatched, again]
    assert second not in log.standing()


def test_no_number_of_subscriptions_takes_ever_more_memory(log: Log) -> None:
    for _ in range(3 * MOST_TIMES):
        log.write("subscribe", topic="61")
    assert len(log.standing()) == 1 + MOST_TIMES
    for number in range(MOST_LEFT + 10):
        log.write("subscribe", topic=f"{number:06x}")
        newest = log.write("unsubscribe", topic=f"{number:06x}")
    assert len(log.standing()) == 1 + MOST_TIMES + MOST_LEFT
    assert log.standing()[-1] == newest


def test_a_lane_stands_with_its_newest_slot_and_says_where_it_stood_if_it_gave_way(log: Log) -> None:
    log.write("lane", stream=B, lane=0, slot=[0, 1])
    kept = log.write("lane", stream=B, lane=1, slot=[0, 2])
    moved = log.write("lane", stream=B, lane=0, slot=[0, 3])
    assert log.standing() == [1, kept, moved]
    stood = log.write("lanes", final=False, lanes=[[B, 0, 9, 0, 0, 9, 1], [B, 1, 9, 0, 0, 9, 1]])
    assert log.standing() == [1, kept, moved, stood]
    back = log.write("lane", stream=B, lane=0, slot=[0, 4])
    assert log.standing() == [1, kept, stood, back]
    again = log.write("lane", stream=B, lane=1, slot=[0, 5])
    assert log.standing() == [1, back, again]


def test_the_progress_of_a_sender_is_not_repeated_since_its_slots_say_more(log: Log) -> None:
    opened = log.write("lane", stream=A, lane=0, slot=[0, 1])
    log.write("lanes", final=False, lanes=[[A, 0, 9, 0, 0, 9, 1]])
    log.write("lanes", final=True, lanes=[[B, 0, 9, 0, 0, 9, 1]])
    assert log.standing() == [1, opened]


def test_lanes_that_gave_way_are_as_many_as_their_receiver_remembers(log: Log) -> None:
    for number in range(MOST_GIVEN_WAY + 5):
        log.write("lane", stream=f"{number + 4096:016x}", lane=0, slot=None)
        log.write("lanes", final=False, lanes=[[f"{number + 4096:016x}", 0, 9, 0, 0, 9, 1]])
    assert len(log.standing()) == 1 + 2 * MOST_GIVEN_WAY


def test_nothing_of_a_closed_socket_stands_whatever_its_monitor_says_afterwards(log: Log) -> None:
    log.write("option", option="linger", value=0)
    log.write("lane", stream=A, lane=0, slot=None)
    other = log.write("opened", B, name="b")
    log.write("closed")
    log.connected(1)
    log.write("monitor", state="stopped")
    assert log.standing() == [other]
    assert log.open() == {B: []}


def test_what_is_found_before_a_socket_is_opened_goes_with_it() -> None:
    log = Log()
    found, opened = log.write("finding", rule="unroutable_not_probed"), log.write("opened")
    assert log.standing() == [found, opened]
    log.write("closed")
    assert log.standing() == []


def test_findings_about_another_processs_sockets_are_bounded() -> None:
    log = Log()
    for number in range(MOST_UNOPENED + 10):
        log.write("finding", f"{number:016x}", rule="used_after_fork")
    assert len(log.standing()) == MOST_UNOPENED
    assert log.open() == {}


def test_a_proxy_stands_until_it_ends_and_what_comes_in_floods_does_not(log: Log) -> None:
    first, second = (log.write("proxy", None, proxy=proxy) for proxy in (A, B))
    for event in ("gap", "late", "skipped", "onset", "unroutable"):
        log.write(event, stream=B, lane=0, first=1, last=2)
    stopped = log.write("probing_stopped")
    assert log.standing() == [1, first, second, stopped]
    log.write("proxy_ended", None, proxy=A)
    assert log.standing() == [1, second, stopped]


def test_lanes_are_left_out_first_and_then_the_newest(log: Log) -> None:
    lanes = [log.write("lane", stream=A, lane=lane, slot=None) for lane in range(3)]
    option = log.write("option", option="linger", value=0)
    assert log.facts.lines(5) == (
        [b"1", b"%d" % lanes[0], b"%d" % lanes[1], b"%d" % lanes[2], b"%d" % option],
        0,
    )
    assert log.facts.lines(3) == ([b"1", b"%d" % lanes[0], b"%d" % option], 2)
    assert log.facts.lines(1) == ([b"1"], 4)


def test_a_long_list_of_what_is_open_takes_several_lines_that_go_on_where_the_last_one_ended() -> None:
    log = Log()
    sockets = [f"{number:016x}" for number in range(ENTRIES_A_LINE // 2)]
    for socket in sockets:
        log.write("opened", socket)
        log.write("connected", socket, connection=7, endpoint="tcp://a", accepted=True)
    log.write("opened", "f" * 16)
    first, second = log.facts.standing()
    assert (first["after"], first["last"], first["sockets"]) == (
        None,
        False,
        {socket: [7] for socket in sockets},
    )
    assert (second["after"], second["last"], second["sockets"]) == ((sockets[-1], 7), True, {"f" * 16: []})


def test_one_line_may_end_within_a_sockets_connections(log: Log) -> None:
    for number in range(1, ENTRIES_A_LINE + 5):
        log.connected(number, accepted=True)
    first, second = log.facts.standing()
    assert first["sockets"] == {A: list(range(1, ENTRIES_A_LINE))}
    assert second["after"] == (A, ENTRIES_A_LINE - 1)
    assert second["sockets"] == {A: list(range(ENTRIES_A_LINE, ENTRIES_A_LINE + 5))}
