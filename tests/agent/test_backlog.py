"""Where messages of real sockets are sitting, against what was really sent and received."""

import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_process import eventually
from hopwatch_agent.backlog.shown import Backlog
from hopwatch_agent.cleaning import SHOW_GONE_SECONDS, Departures
from hopwatch_agent.live.draft import Draft
from hosts import environment_of
from programs import Program

SCRIPT = Path(__file__).parents[1] / "support" / "pipe_program.py"


class Pipes:
    """The program, and how many messages it has sent and received."""

    def __init__(self, bench: Any, sender: str, receiver: str, mark: int, *host: str) -> None:
        environment = environment_of("web-1", bench.journal)
        command = [sys.executable, str(SCRIPT), sender, receiver, str(mark), *host]
        self._bench = bench
        self.program = Program(command, environment, bench.journal.parent / "pipes.stderr")
        self.sent = 0

    def do(self, *command: object) -> int:
        """Has it do something; gives the number that came of it."""
        (number,) = self.program.ask(*command, event="done")
        if command[0] in {"send", "open", "open_bare", "open_behind"}:
            self.sent += int(number)
        return int(number)

    def ticked_view(self) -> Any:
        """What is to be seen after the next tick, which tells how it is now, and the one after it, which shows that."""
        self._bench.tick()
        self._bench.tick()
        return self._bench.view

    def lanes(self, role: str) -> list[Any]:
        """The lanes at one of their ends."""
        return [lane for lane in self.ticked_view().lanes() if lane.role == role]

    def backlog(self, role: str) -> Any:
        """That of the only lane."""
        (lane,) = self.lanes(role)
        return lane.backlog


@pytest.fixture
def pipes(bench: Any) -> Iterator[Callable[..., Pipes]]:
    started: list[Pipes] = []

    def start(*arguments: Any) -> Pipes:
        started.append(Pipes(bench, *arguments))
        return started[-1]

    yield start
    for one in started:
        one.program.reap()


def counts(backlog: Backlog | None) -> tuple[int, int] | None:
    return None if backlog is None else (backlog.at_most, backlog.at_least)


def test_what_a_subscriber_has_not_read_yet_is_counted_exactly(pipes: Callable[..., Pipes]) -> None:
    pair = pipes("PUB", "SUB", 1000)
    pair.do("open")
    pair.do("drain", 0)
    assert counts(pair.backlog("receive")) == (0, 0)
    pair.do("send", 50)
    assert counts(pair.backlog("receive")) == (50, 50)
    pair.do("receive", 0, 20)
    assert counts(pair.backlog("receive")) == counts(pair.backlog("send")) == (30, 30)
    pair.do("receive", 0, 30)
    assert counts(pair.backlog("receive")) == counts(pair.backlog("send")) == (0, 0)


def test_once_messages_are_dropped_backlog_and_lost_are_what_was_not_received(
    pipes: Callable[..., Pipes],
) -> None:
    pair = pipes("PUB", "SUB", 10)
    pair.do("open")
    received = 1 + pair.do("drain", 0)
    assert received == pair.sent
    pair.do("send", 3000)
    backlog = pair.backlog("receive")
    assert backlog is not None
    assert backlog.at_most == 3000
    there = pair.do("drain", 0)
    assert 0 < backlog.at_least <= there < 3000
    for _ in range(3):
        received += there
        pair.do("send", 1)
        received += pair.do("drain", 0)
        (lane,) = pair.lanes("receive")
        assert lane.backlog.at_most + lane.lost == pair.sent - received
        assert lane.backlog.at_most == 0
        pair.do("send", 2000)
        (lane,) = pair.lanes("receive")
        assert lane.backlog.at_most + lane.lost == pair.sent - received
        there = pair.do("drain", 0)
        assert 0 < lane.backlog.at_least <= there < 2000


def test_the_oldest_has_waited_as_long_as_is_said(pipes: Callable[..., Pipes]) -> None:
    pair = pipes("PUB", "SUB", 1000)
    pair.do("open")
    pair.do("drain", 0)
    for _ in range(2):
        before = time.monotonic()
        pair.backlog("receive")
        began = time.monotonic()
        pair.do("send", 5)
        ended = ticked = time.monotonic()
        backlog = pair.backlog("receive")
        after = time.monotonic()
        while backlog.oldest_at_least < 0.3:
            ticked = time.monotonic()
            backlog = pair.backlog("receive")
        assert ticked - ended <= backlog.oldest_at_most
        assert backlog.oldest_at_least <= time.monotonic() - began
        assert backlog.oldest_at_most - backlog.oldest_at_least < after - before + 1
        pair.do("receive", 0, 5)


def test_a_lane_that_is_shared_out_is_counted_over_all_receivers(
    bench: Any, pipes: Callable[..., Pipes]
) -> None:
    shared = pipes("PUSH", "PULL", 1000)
    shared.do("open")
    shared.do("open")
    received = 2
    shared.do("send", 100)
    received += shared.do("drain", 0)
    waiting = shared.sent - received
    assert waiting >= 50
    assert counts(shared.backlog("send")) == (waiting, waiting)
    received += shared.do("drain", 1)
    assert received == shared.sent
    assert counts(shared.backlog("send")) == (0, 0)
    assert [lane.backlog for lane in shared.lanes("receive")] == [None, None]
    shared.do("close", 1)
    # what it had received stays known, and whether more was on the way to it does not
    eventually(lambda: any(socket.closed_at for socket in shared.ticked_view().sockets()))
    departures, draft = Departures(), Draft(bench.tables)
    departures.forget_old(bench.tables, {}, Draft(bench.tables), 0.0)
    departures.forget_old(bench.tables, {}, draft, SHOW_GONE_SECONDS + 1)
    bench.board.publish(draft, bench.store.commit(draft))
    assert len(shared.lanes("receive")) == 1
    shared.do("send", 7)
    assert counts(shared.backlog("send")) == (7, 0)


def test_what_a_lane_that_is_shared_out_has_lost_does_not_wait(pipes: Callable[..., Pipes]) -> None:
    shared = pipes("PUSH", "PULL", 1000)
    shared.do("open")
    shared.do("open")
    received = 2 + shared.do("drain", 0) + shared.do("drain", 1)
    shared.do("send", 40)
    received += shared.do("drain", 0)
    shared.do("close", 1)
    eventually(lambda: any(socket.closed_at for socket in shared.ticked_view().sockets()))
    # of the last one it is not known yet to whom it went
    eventually(lambda: shared.backlog("send").at_most <= 1)
    shared.do("send", 7)
    received += shared.do("drain", 0)
    assert received < shared.sent
    assert counts(shared.backlog("send")) == (0, 0)


def test_where_a_receiver_is_not_this_agents_nothing_is_claimed(pipes: Callable[..., Pipes]) -> None:
    shared = pipes("PUSH", "PULL", 1000)
    shared.do("open")
    shared.do("drain", 0)
    assert counts(shared.backlog("send")) == (0, 0)
    shared.do("open_bare")
    eventually(lambda: shared.backlog("send") is None)


def test_of_a_lane_that_is_known_at_one_end_alone_nothing_is_claimed(
    bench: Any, pipes: Callable[..., Pipes]
) -> None:
    sender = pipes("PUB", "SUB", 1000)
    sender.do("open_bare")
    assert sender.backlog("send") is None
    receiver = bench.writer()
    receiver.opened("00000000000000b2", kind="SUB", name="elsewhere")
    receiver.set_lane(0, "00000000000000b2", "00000000000000c3", 0, 6, 0, 0, 6, time.time_ns())
    assert [lane.backlog for lane in sender.lanes("receive")] == [None]


def test_what_was_unsubscribed_from_is_not_owed(pipes: Callable[..., Pipes]) -> None:
    pair = pipes("PUB", "SUB", 1000)
    pair.do("open")
    pair.do("drain", 0)
    pair.do("unsubscribe", 0)
    pair.do("send", 5)
    eventually(lambda: pair.backlog("receive") is None)
    pair.do("send", 5)
    assert pair.backlog("receive") is None


def test_after_a_reconnect_all_may_be_lost(bench: Any, pipes: Callable[..., Pipes]) -> None:
    pair = pipes("PUB", "SUB", 1000)
    pair.do("open")
    pair.do("drain", 0)
    pair.do("cut", 0)
    eventually(lambda: "disconnected" in {c.state for c in pair.ticked_view().connections()})
    pair.do("send", 5)
    assert counts(pair.backlog("receive")) == (5, 0)


def test_where_full_pipes_are_not_seen_all_may_be_lost(pipes: Callable[..., Pipes]) -> None:
    pair = pipes("PUB", "SUB", 1000)
    pair.do("open")
    pair.do("drain", 0)
    pair.do("ask_past_us")
    pair.do("send", 5)
    assert counts(pair.backlog("receive")) == (5, 0)


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="no IPv6 here")
@pytest.mark.parametrize(("sender", "receiver"), [("PUB", "SUB"), ("PUSH", "PULL")])
def test_ends_that_write_an_address_of_ipv4_in_two_ways_are_each_others(
    bench: Any, pipes: Callable[..., Pipes], sender: str, receiver: str
) -> None:
    pair = pipes(sender, receiver, 1000, "[::]")
    pair.do("open")
    pair.do("drain", 0)
    pair.do("send", 5)
    assert counts(pair.backlog("send")) == (5, 5)
    one, other = bench.view.connections()
    assert (one.local, one.remote) == (other.remote, other.local)
    bench.land()
    landed = [row for row in bench.rows("connection") if row["action"] == "connected"]
    assert {row["local"] for row in landed} == {row["remote"] for row in landed}


def test_what_a_proxy_passes_on_may_be_lost_there(pipes: Callable[..., Pipes]) -> None:
    pair = pipes("PUB", "SUB", 1000)
    pair.do("open_behind")
    pair.do("drain", 0)
    for _ in range(30):
        pair.do("send", 100)
    backlog = pair.backlog("receive")
    assert counts(backlog) == (3000, 0)
    # it is not known of any that it waits
    assert backlog.oldest_at_least == 0.0
    assert pair.do("drain", 0) < 3000


def test_a_socket_has_the_sum_of_its_lanes(bench: Any, pipes: Callable[..., Pipes]) -> None:
    pair = pipes("PUB", "SUB", 1000)
    pair.do("open")
    pair.do("drain", 0)
    pair.do("send", 5)
    by_type = {socket.type: socket for socket in pair.ticked_view().sockets()}
    assert counts(by_type["PUB"].backlog_sent) == counts(by_type["SUB"].backlog_received) == (5, 5)
    assert by_type["PUB"].backlog_received is by_type["SUB"].backlog_sent is None


def waiting(view: Any) -> dict[tuple[str, str], Any]:
    """What waits on each connection, at both ends of it."""
    types = {one.id: one.type for one in view.sockets()}
    return {(types[one.socket], types[one.peer]): one.waiting for one in view.connections() if one.peer}


def test_a_connection_tells_what_waits_on_it_and_where_it_may_be(pipes: Callable[..., Pipes]) -> None:
    pair = pipes("PUB", "SUB", 1000)
    pair.do("open")
    pair.do("drain", 0)
    pair.do("send", 50)
    pair.do("receive", 0, 20)
    told = waiting(pair.ticked_view())
    assert told["PUB", "SUB"] == told["SUB", "PUB"]
    found = told["PUB", "SUB"]
    assert (found.at_least, found.at_most) == (30, 30)
    sender, kernel, receiver = found.places
    assert (sender.place, sender.mark, sender.socket_name) == ("sender", 1000, "source")
    assert (kernel.place, kernel.mark, kernel.socket_name) == ("kernel", None, None)
    assert (receiver.place, receiver.mark) == ("receiver", 1000)
    assert sender.at_most + kernel.at_most + receiver.at_most >= 30


def test_what_waits_at_the_senders_mark_is_in_no_other_place_than_there_is_room(
    pipes: Callable[..., Pipes],
) -> None:
    pair = pipes("PUSH", "PULL", 10)
    pair.do("open")
    pair.do("drain", 0)
    pair.do("send", 15)
    sender, kernel, receiver = waiting(pair.ticked_view())["PUSH", "PULL"].places
    in_hand = 8192 // 200 + 1
    assert sender.at_most <= 10 + in_hand
    assert receiver.at_most <= 10 + in_hand
    assert sender.at_most + kernel.at_most + receiver.at_most >= 15


def test_behind_a_proxy_whose_connections_are_not_watched_none_tells_what_waits(
    pipes: Callable[..., Pipes],
) -> None:
    pair = pipes("PUB", "SUB", 1000)
    pair.do("open_behind")
    pair.do("drain", 0)
    pair.do("send", 20)
    assert waiting(pair.ticked_view()) == {}


def test_of_a_sender_that_was_closed_all_may_still_come(pipes: Callable[..., Pipes]) -> None:
    pair = pipes("PUSH", "PULL", 1000)
    pair.do("open")
    pair.do("drain", 0)
    pair.do("send", 50)
    pair.do("close_sender")
    pair.do("receive", 0, 20)
    assert counts(pair.backlog("receive")) == (30, 0)
    pair.do("drain", 0)
    assert counts(pair.backlog("receive")) == (0, 0)
