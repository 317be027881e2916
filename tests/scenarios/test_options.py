"""Options that lose messages by design: ZMQ_MAXMSGSIZE, which hangs up on the sender, and ZMQ_CONFLATE, which keeps the newest one."""

import re
from typing import Any

import pytest
from judgement import Way
from system import LOOPBACK, System, another_system

pytestmark = pytest.mark.scenario

SMALL_INBOX = ("--rcvhwm", 10, "--rcvbuf", 4096)


def test_a_receiver_hangs_up_on_a_message_that_is_too_large_and_never_calls_again(
    system: System, judge
) -> None:
    uploads = system.sender("uploads", "--bind", LOOPBACK, "--sndhwm", 10_000)
    [endpoint] = uploads.expect("ready")
    bounded = system.receiver("bounded", "--connect", endpoint, "--subscribe", "", "--maxmsgsize", 10_000)
    boundless = system.receiver("boundless", "--connect", endpoint, "--subscribe", "")
    uploads.ask("await-subscriptions", 3, event="subscribed")

    uploads.ask("send", 300, 0.006, event="sent")
    uploads.ask("size", 50_000, event="sized")
    uploads.ask("send", 1, 0, event="sent")
    uploads.ask("size", 200, event="sized")
    uploads.ask("send", 300, 0.004, event="sent")
    for receiver in (bounded, boundless):
        receiver.ask("finish", event="finished")
    for program in (uploads, bounded, boundless):
        program.close()

    truth = system.truth()
    assert not truth.missing("uploads", "boundless")
    judge(
        [Way("uploads", "bounded"), Way("uploads", "boundless")],
        {("uploads → bounded", "oversize"): len(truth.missing("uploads", "bounded"))},
        advice={"oversize": "Raise ZMQ_MAXMSGSIZE of bounded"},
    )


def test_the_same_bound_is_not_to_blame_where_the_connection_was_cut(system: System, judge) -> None:
    notes = system.sender("notes", "--bind", LOOPBACK, "--sndhwm", 10_000)
    [endpoint] = notes.expect("ready")
    relay = system.start("upstream", "relay", "--target-port", endpoint.rpartition(":")[2])
    [port] = relay.expect("ready")
    bounded = system.receiver(
        "bounded", "--connect", f"tcp://localhost:{port}", "--subscribe", "", "--maxmsgsize", 10_000
    )
    notes.ask("await-subscriptions", 2, event="subscribed")

    notes.tell("send", 1000, 0.001)
    system.await_sent("notes", 300)
    relay.ask("cut", event="cut")
    system.await_sent("notes", 600)
    relay.ask("mend", event="mended")
    notes.expect("sent")
    notes.ask("await-subscriptions", 2, event="subscribed")
    notes.ask("send", 100, 0.001, event="sent")
    bounded.ask("finish", event="finished")
    for program in (notes, bounded, relay):
        program.close()

    lost = len(system.truth().missing("notes", "bounded"))
    judge([Way("notes", "bounded")], {("notes → bounded", "reconnect"): lost})


def test_nor_is_it_where_the_connection_stays_cut_and_sizes_differ(system: System, judge) -> None:
    memos = system.sender("memos", "--bind", LOOPBACK, "--sndhwm", 10_000)
    [endpoint] = memos.expect("ready")
    relay = system.start("upstream", "relay", "--target-port", endpoint.rpartition(":")[2])
    [port] = relay.expect("ready")
    bounded = system.receiver(
        "bounded", "--connect", f"tcp://localhost:{port}", "--subscribe", "", "--maxmsgsize", 10_000
    )
    memos.ask("await-subscriptions", 2, event="subscribed")

    for size in (200, 9_000, 300):
        memos.ask("size", size, event="sized")
        memos.ask("send", 60, 0.005, event="sent")
    relay.ask("cut", event="cut")
    for size in (300, 9_000, 200):
        memos.ask("size", size, event="sized")
        memos.ask("send", 60, 0.01, event="sent")
    bounded.ask("finish", event="finished")
    for program in (memos, bounded, relay):
        program.close()

    lost = len(system.truth().missing("memos", "bounded"))
    judge([Way("memos", "bounded")], {("memos → bounded", "reconnect"): lost})


def test_a_conflating_receiver_keeps_the_newest_message_only(system: System, judge) -> None:
    prices = system.sender("prices", "--bind", LOOPBACK, "--sndhwm", 10_000, "--sequence", "payload")
    [endpoint] = prices.expect("ready")
    options = ["--connect", endpoint, "--subscribe", "", "--sequence", "payload"]
    newest = system.receiver("newest", *options, "--conflate", 1, "--delay", 0.01)
    prices.ask("await-subscriptions", 1, event="subscribed")
    every_one = system.receiver("every-one", *options)
    prices.ask("await-subscriptions", 2, event="subscribed")

    prices.ask("send", 1000, 0.001, event="sent")
    for receiver in (newest, every_one):
        receiver.ask("finish", event="finished")
    for program in (prices, newest, every_one):
        program.close()

    truth = system.truth()
    assert not truth.missing("prices", "every-one")
    judge(
        [Way("prices", "newest"), Way("prices", "every-one")],
        {("prices → newest", "conflated"): len(truth.missing("prices", "newest"))},
    )


def test_what_was_sent_before_a_conflating_receiver_came_was_not_thrown_away_for_newer_ones(
    system: System, judge
) -> None:
    prices = system.sender("prices", "--bind", LOOPBACK, "--sndhwm", 10_000, "--sequence", "payload")
    [endpoint] = prices.expect("ready")
    prices.ask("send", 30, 0.02, event="sent")
    about = ("--connect", endpoint, "--subscribe", "", "--sequence", "payload")
    newest = system.receiver("newest", *about, "--conflate", 1)
    prices.ask("await-subscriptions", 1, event="subscribed")

    # read long before the next one comes: there is never more than one to keep
    prices.ask("send", 1, 0, event="sent")
    newest.expect("first")
    prices.ask("send", 20, 0.1, event="sent")
    newest.ask("finish", event="finished")
    for program in (prices, newest):
        program.close()

    missing = system.truth().missing("prices", "newest")
    too_early = sum(number == place for place, (_, number) in enumerate(sorted(missing)))
    truth = {"slow_joiner": too_early}
    if len(missing) > too_early:  # a machine with much to do brings two at once all the same
        truth["conflated"] = len(missing) - too_early
    judge([Way("prices", "newest")], {("prices → newest", cause): lost for cause, lost in truth.items()})


def test_a_full_pipe_beside_a_conflating_receiver_is_not_taken_for_that_ones_doing(
    system: System, judge
) -> None:
    prices = system.sender("prices", "--bind", LOOPBACK, "--sndhwm", 500, "--sequence", "payload")
    [endpoint] = prices.expect("ready")
    options = ["--connect", endpoint, "--subscribe", "", "--sequence", "payload"]
    newest = system.receiver("newest", *options, "--conflate", 1, "--delay", 0.01)
    prices.ask("await-subscriptions", 1, event="subscribed")
    slow = system.receiver("slow", *options, "--delay", 0.004, "--rcvhwm", 10, "--rcvbuf", 4096)
    prices.ask("await-subscriptions", 2, event="subscribed")

    prices.ask("send", 3000, 0.0005, event="sent")
    for receiver in (newest, slow):
        receiver.ask("finish", event="finished")
    for program in (prices, newest, slow):
        program.close()

    truth = system.truth()
    judge(
        [Way("prices", "newest"), Way("prices", "slow")],
        {
            ("prices → newest", "conflated"): len(truth.missing("prices", "newest")),
            ("prices → slow", "slow_receiver"): len(truth.missing("prices", "slow")),
        },
    )


def in_bursts(system: System, sndhwm: int, *options: Any) -> set[tuple[str, int]]:
    """A receiver that has all the time that it needs between two bursts; what it does not get."""
    prices = system.sender("prices", "--bind", LOOPBACK, "--sndhwm", sndhwm, "--sequence", "payload")
    [endpoint] = prices.expect("ready")
    about = ("--connect", endpoint, "--subscribe", "", "--sequence", "payload", "--delay", 0.001)
    board = system.receiver("board", *about, *SMALL_INBOX, *options)
    prices.ask("await-subscriptions", 1, event="subscribed")
    # only samples tell how large bursts are
    system.await_seen("upstream", "prices")
    system.await_seen("downstream", "board")
    for _ in range(5):
        prices.ask("send", 300, 0.0002, event="sent")
        board.ask("finish", event="finished")
    for program in (prices, board):
        program.close()
    return system.truth().missing("prices", "board")


def test_without_conflation_nothing_is_lost_with_the_mark_that_is_advised(system: System, judge) -> None:
    lost = len(in_bursts(system, 10_000, "--conflate", 1))
    assert lost > 0

    def with_the_advised_mark_nothing_is_lost(report: dict[str, Any]) -> None:
        (advice, *_) = report["incidents"][0]["advice"]
        mark = re.search(r"without ZMQ_CONFLATE on board, and set SNDHWM of prices to at least (\d+)", advice)
        assert mark is not None, advice
        with another_system(system.folder / "again") as again:
            assert in_bursts(again, int(mark[1])) == set()

    judge(
        [Way("prices", "board")],
        {("prices → board", "conflated"): lost},
        also=with_the_advised_mark_nothing_is_lost,
    )
