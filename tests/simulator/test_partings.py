"""What becomes of messages in the kernel when their sender is gone: over tcp they stay to be read, over ipc the receiver's mark decides."""

from typing import Any

import pytest
from hopwatch_simulate.fleet import Fleet
from small_fleets import of_story, rows

SEEDS = range(4)
READ_ON = ["worker_reads_on", "reader_reads_on", "feed_back_before_all_is_read"]
LEFT_SOME = {
    "worker_reads_on_and_closes": "closed",
    "worker_reads_on_and_is_killed": "receiver_died",
    "reader_reads_on_and_closes": "closed",
    "reader_reads_on_and_is_killed": "receiver_died",
}


def of_receivers(fleet: Fleet, action: str) -> list[dict[str, Any]]:
    receivers = {row["receiver"] for row in fleet.truth["ledger"]}
    found = [row for row in rows(fleet, "connection") if row["socket"] in receivers and row["action"] == action]  # fmt: skip
    return sorted(found, key=lambda row: int(row["n"]))


@pytest.mark.parametrize("name", READ_ON)
@pytest.mark.parametrize("seed", SEEDS)
def test_over_tcp_all_is_read_at_a_low_mark(name: str, seed: int) -> None:
    fleet = of_story(name, seed)
    assert fleet.truth["hops"] == []
    marks = {int(row["value"]) for row in rows(fleet, "option") if row["option"] == "rcvhwm"}
    assert max(marks) < max(row["delivered"] for row in fleet.truth["ledger"])


@pytest.mark.parametrize("name", READ_ON)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_receiver_learns_that_its_sender_is_gone_when_its_inbox_has_taken_in_the_rest(
    name: str, seed: int
) -> None:
    fleet = of_story(name, seed)
    (mark,) = {int(row["value"]) for row in rows(fleet, "option") if row["option"] == "rcvhwm"}
    learnt = of_receivers(fleet, "disconnected")[0]
    assert learnt["received"] >= fleet.truth["ledger"][0]["sent"] - mark


@pytest.mark.parametrize("seed", SEEDS)
def test_it_calls_again_only_then(seed: int) -> None:
    fleet = of_story("feed_back_before_all_is_read", seed)
    (learnt, *_), (_, again) = of_receivers(fleet, "disconnected"), of_receivers(fleet, "connected")
    assert learnt["n"] < again["n"]


@pytest.mark.parametrize(("name", "cause"), sorted(LEFT_SOME.items()))
@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_receiver_leaves_in_the_kernel_is_lost_with_its_own_end(
    name: str, cause: str, seed: int
) -> None:
    fleet = of_story(name, seed)
    (hop,) = fleet.truth["hops"]
    assert [each["cause"] for each in hop["causes"]] == [cause]
    assert hop["lost"] == fleet.truth["ledger"][0]["sent"] - fleet.truth["ledger"][0]["delivered"]


@pytest.mark.parametrize("seed", range(8))
def test_of_a_source_that_was_killed_nothing_tells_how_much_it_had_queued_but_that_the_first_was_not(
    seed: int,
) -> None:
    (hop,) = of_story("worker_outlives_a_killed_source", seed).truth["hops"]
    found = {each["cause"]: each for each in hop["causes"]}
    closed = found.pop("closed")
    assert closed["knowable"]
    assert (closed["at_least"], closed["at_most"]) == (1, hop["lost"])
    assert closed["looks_like"] == ["sender_died"]
    assert all(
        each["unknowable_by"][0] == "untold" and each["cause"] == "sender_died" for each in found.values()
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_over_ipc_the_mark_is_all_that_stays(seed: int) -> None:
    fleet = of_story("source_closes", seed)
    (hop,) = fleet.truth["hops"]
    assert [each["cause"] for each in hop["causes"]] == ["closed"]
    closed = {row["socket"]: row["unread"] for row in rows(fleet, "socket") if row["state"] == "closed"}
    assert not any(closed.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_over_ipc_no_end_has_an_address_and_no_kernel_tells_of_it(seed: int) -> None:
    fleet = of_story("source_closes", seed)
    ups = [row for row in rows(fleet, "connection") if row["action"] == "connected"]
    assert len(ups) == 2
    assert all(row["endpoint"].startswith("ipc:///") for row in ups)
    assert {row[end] for row in ups for end in ("local", "remote")} == {None}
    assert len({row["host"] for row in ups}) == 1
    assert rows(fleet, "tcp") == []
