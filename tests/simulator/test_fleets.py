"""Simulated fleets: their books balance, the same seed tells the same, every cause is there, and rows fit their schemas."""

import dataclasses
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hopwatch_agent.landing.schemas import schema_of
from hopwatch_simulate.fleet import Drawn, Fleet, draw, simulate
from hopwatch_simulate.landing import TRUTH, land
from hopwatch_simulate.situations import ALL, CAUSE_OF, EVERY, QUIET, SPARSE
from hypothesis import given, settings
from hypothesis import strategies as st
from small_fleets import of_story, rows

SHARED_OUT = sorted(
    name
    for name in ALL
    if "share" in name or "sharing" in name or name.startswith(("cut_dealer", "cut_pair"))
)


def digests(folder: Path) -> dict[str, str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 1 << 40), hosts=st.integers(1, 3))
def test_the_books_of_every_stream_and_receiver_balance(seed: int, hosts: int) -> None:
    truth = simulate(draw(seed, hosts)).truth
    for row in truth["ledger"]:
        assert row["sent"] == row["delivered"] + row["lost"] + row["in_flight"]
    for hop in truth["hops"]:
        assert hop["lost"] == sum(each["lost"] for each in hop["causes"]) > 0
        for each in hop["causes"]:
            assert each["cause"] in CAUSE_OF.values()
            assert each["lost"] == sum(one["last"] - one["first"] + 1 for one in each["ranges"])


@pytest.mark.parametrize("name", sorted(set(ALL) - {"still_running", "still_losing"}))
def test_what_receivers_counted_at_their_end_is_what_was_delivered_to_them(name: str) -> None:
    fleet = of_story(name)
    counted = {row["socket"]: row["received"] for row in rows(fleet, "counters") if row["final"]}
    delivered = Counter[str]()
    for row in fleet.truth["ledger"]:
        delivered[row["receiver"]] += row["delivered"]
    told = {receiver: counted[receiver] for receiver in delivered if receiver in counted}
    assert told
    assert told == {receiver: delivered[receiver] for receiver in told}


@pytest.mark.parametrize("name", sorted(QUIET))
def test_a_quiet_story_loses_nothing(name: str) -> None:
    truth = of_story(name).truth
    assert truth["hops"] == []
    assert truth["ledger"]


def test_every_story_is_drawn_by_some_seed_but_those_of_sparse_stamps() -> None:
    assert {name for seed in range(3000) for name in draw(seed).stories} == set(EVERY) - set(SPARSE)


@pytest.mark.parametrize("seed", range(4))
def test_no_event_tells_on_which_side_of_a_second_proxy_was_lost_what_was_sent_while_another_took_its_place(
    seed: int,
) -> None:
    truth = of_story("killed_second_proxy", seed).truth
    assert sum(hop["lost"] for hop in truth["hops"]) > 0
    assert {each for hop in truth["hops"] for cause in hop["causes"] for each in cause["unknowable_by"]} == {
        "untraceable"
    }
    assert not any(hop["knowable"] for hop in truth["hops"])
    assert all(row["knowable"] for row in truth["ledger"])


@pytest.mark.parametrize("name", CAUSE_OF)
def test_a_situation_loses_messages_by_its_cause(name: str) -> None:
    assert CAUSE_OF[name] in {each["cause"] for hop in of_story(name).truth["hops"] for each in hop["causes"]}


LANDED_BY_SEED = """
import sys
from pathlib import Path
from hopwatch_simulate.fleet import Drawn, simulate
from hopwatch_simulate.landing import land
land(simulate(Drawn(2, 2, 0.0, ("quiet", "slow_subscriber"))), Path(sys.argv[1]))
"""


def test_the_same_seed_writes_the_same_files(tmp_path: Path) -> None:
    """In whatever order an interpreter has its sets."""
    written = []
    for hash_seed in ("1", "3"):
        folder = tmp_path / hash_seed
        folder.mkdir()
        command = [sys.executable, "-c", LANDED_BY_SEED, str(folder)]
        subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": hash_seed}, check=True)
        written.append(digests(folder))
    assert written[0] == written[1]
    assert TRUTH in written[0]


def test_files_that_come_late_are_named_in_the_truth(tmp_path: Path) -> None:
    fleet = simulate(Drawn(1, 2, 0.0, ("slow_subscriber",)))
    land(dataclasses.replace(fleet, late=frozenset(host.name for host in fleet.hosts)), tmp_path)
    late = json.loads((tmp_path / TRUTH).read_text())["late_files"]
    assert late
    assert all((tmp_path / name).is_file() for name in late)


def test_another_seed_is_another_fleet() -> None:
    assert simulate(draw(3, 2)).truth != simulate(draw(4, 2)).truth


def test_landed_files_have_the_schemas_of_their_kinds(tmp_path: Path) -> None:
    land(of_story("slow_behind_a_chain"), tmp_path)
    files = list(tmp_path.glob("kind=*/date=*/host=*/*.parquet"))
    assert files
    for path in files:
        kind = path.relative_to(tmp_path).parts[0].removeprefix("kind=")
        assert pq.read_schema(path).equals(schema_of(kind))


def test_events_of_a_process_are_numbered_without_a_hole() -> None:
    fleet = of_story("cut_and_mended")
    numbers: dict[object, set[object]] = {}
    for host in fleet.hosts:
        for _, row in host.rows:
            if row.get("n") is not None:
                numbers.setdefault(row["process"], set()).add(row["n"])
    assert numbers
    assert all(seen == set(range(1, len(seen) + 1)) for seen in numbers.values())


def test_each_gap_that_a_full_pipe_made_begins_at_an_onset() -> None:
    fleet = of_story("slow_subscriber")
    onsets = {(row["socket"], row["number"]) for row in rows(fleet, "onset")}
    gaps = [row for row in rows(fleet, "gap") if row["lane"] == 0xFFFFFFFF]
    of_topics = [row for row in rows(fleet, "gap") if row["lane"] != 0xFFFFFFFF]
    assert gaps or of_topics
    assert all((row["stream"], row["first"]) in onsets for row in gaps)


def sum_of(column: str, told: list[dict[str, Any]]) -> int:
    return sum(row[column] for row in told)


def lost_by(cause: str, fleet: Fleet) -> int:
    return sum(
        each["lost"] for hop in fleet.truth["hops"] for each in hop["causes"] if each["cause"] == cause
    )


@pytest.mark.parametrize("name", ["strangers", "dealer_goes"])
def test_a_router_tells_of_each_message_that_it_swallowed_in_runs_that_follow_each_other(name: str) -> None:
    fleet = of_story(name)
    runs = rows(fleet, "unroutable")
    final = [row for row in rows(fleet, "counters") if row["final"]]
    assert sum_of("messages", runs) == lost_by("unroutable", fleet) == sum_of("unroutable", final) > 0
    for lane in {row["lane"] for row in runs}:
        told = [(row["lane_number"], row["messages"]) for row in runs if row["lane"] == lane]
        assert all(first + messages == following for (first, messages), (following, _) in pairwise(told))


def test_of_a_full_pipe_of_a_router_the_first_message_of_each_run_is_told_and_all_are_counted() -> None:
    fleet = of_story("slow_dealer")
    gaps = rows(fleet, "gap")
    onsets = {(row["lane"], row["lane_number"]) for row in rows(fleet, "onset")}
    assert {(row["lane"], row["first"]) for row in gaps} <= onsets
    final = [row for row in rows(fleet, "counters") if row["final"]]
    assert sum_of("onsets", final) == lost_by("slow_receiver", fleet) > len(onsets)


@pytest.mark.parametrize("name", ["router_and_dealers", "requests", "pair"])
def test_one_connection_carries_both_ways_and_is_told_of_once_at_each_end(name: str) -> None:
    fleet = of_story(name)
    downs = Counter((row["socket"], row["connection"]) for row in rows(fleet, "connection") if row["action"] == "disconnected")  # fmt: skip
    ups = Counter((row["socket"], row["connection"]) for row in rows(fleet, "connection") if row["action"] == "connected")  # fmt: skip
    assert set(ups.values()) == {1}
    assert set(downs.values()) == {1}
    assert downs.keys() <= ups.keys()
    ends = {(row["stream"], row["receiver"]) for row in fleet.truth["ledger"]}
    assert ends == {(receiver, stream) for stream, receiver in ends}


def test_who_conflates_keeps_the_newest_message() -> None:
    fleet = of_story("conflating_reader")
    newest = next(hop["to"]["sockets"][0] for hop in fleet.truth["hops"])
    last = [row for row in rows(fleet, "lane") if row["socket"] == newest and row["state"] == "final"]
    sent = {row["sent"] for row in fleet.truth["ledger"]}
    assert {row["next"] for row in last} == sent
    assert last[0]["stream"] != fleet.truth["ledger"][0]["stream"]


@pytest.mark.parametrize(("name", "calls_again"), [("oversize_to_a_caller", 0), ("oversize_job", 1)])
def test_who_hung_up_is_called_again_only_if_it_is_the_bound_end(name: str, calls_again: int) -> None:
    fleet = of_story(name)
    bounded = {row["socket"] for row in rows(fleet, "option") if row["option"] == "maxmsgsize"}
    ups = [
        row for row in rows(fleet, "connection") if row["socket"] in bounded and row["action"] == "connected"
    ]
    assert len(ups) == 1 + calls_again


def test_the_kernel_is_told_to_have_killed_the_one_that_it_killed() -> None:
    fleet = of_story("killed_for_memory")
    gone = {row["process"] for row in rows(fleet, "process") if row["state"] == "gone"}
    said = {row["process"] for row in rows(fleet, "process") if row["state"] == "exited"}
    (killed,) = rows(fleet, "oom")
    assert len(gone - said) == 2
    assert killed["process"] in gone - said


def test_what_a_source_had_not_passed_on_waits_for_a_worker_that_comes_back() -> None:
    fleet = of_story("killed_bound_worker")
    sent = {row["socket"]: row["sent"] for row in rows(fleet, "counters") if row["final"]}
    shares: dict[str, list[dict[str, Any]]] = {}
    for row in fleet.truth["ledger"]:
        shares.setdefault(row["stream"], []).append(row)
    assert max(len(told) for told in shares.values()) == 2
    for source, told in shares.items():
        assert sent[source] == sum_of("delivered", told) + sum_of("lost", told)


@pytest.mark.parametrize("name", SHARED_OUT)
@pytest.mark.parametrize("seed", range(2))
def test_each_message_of_a_shared_out_stream_is_in_one_of_its_books(name: str, seed: int) -> None:
    fleet = of_story(name, seed)
    sent = {row["socket"]: row["sent"] for row in rows(fleet, "counters") if row["final"]}
    told = Counter[str]()
    for row in fleet.truth["ledger"]:
        told[row["stream"]] += row["sent"]
    assert told
    assert told == {stream: sent[stream] for stream in told}


@pytest.mark.parametrize("seed", range(6))
def test_a_cut_takes_the_queue_of_a_push_that_is_bound_and_not_of_one_that_connected(seed: int) -> None:
    fleet = of_story("cut_and_mended_share", seed)
    (told,) = fleet.truth["ledger"]
    bound = {row["socket"] for row in rows(fleet, "endpoint") if row["action"] == "bind"}
    marks = {row["socket"]: int(row["value"]) for row in rows(fleet, "option") if row["option"] == "sndhwm"}
    in_the_kernel = 12
    if told["stream"] in bound:
        assert in_the_kernel < told["lost"] <= in_the_kernel + marks[told["stream"]]
    else:
        assert told["lost"] == in_the_kernel


@pytest.mark.parametrize("seed", range(6))
def test_a_receiver_that_is_overtaken_in_tells_the_highest_number_that_it_got(seed: int) -> None:
    fleet = of_story("mended_share_then_killed_early", seed)
    (told,) = fleet.truth["ledger"]
    lanes = [row for row in rows(fleet, "lane") if row["socket"] == told["receiver"] and "next" in row]
    assert all(before["next"] <= after["next"] for before, after in pairwise(lanes))
    assert lanes[-1]["count"] == told["delivered"]
    assert lanes[-1]["count"] <= lanes[-1]["next"] - lanes[-1]["first"]


def test_nothing_is_landed_of_a_process_that_is_not_instrumented() -> None:
    fleet = of_story("dark_reader")
    unknowable = [row for row in fleet.truth["ledger"] if not row["knowable"]]
    assert unknowable
    landed = {row["socket"] for row in rows(fleet, "socket")}
    assert not landed & {row["receiver"] for row in unknowable}


def test_a_slow_reader_never_reads_faster_than_it_can() -> None:
    fleet = of_story("slow_subscriber")
    slow = next(hop["to"]["sockets"][0] for hop in fleet.truth["hops"])
    samples = [row for row in rows(fleet, "counters") if row["socket"] == slow and not row["final"]]
    rates = [
        (after["received"] - before["received"]) / (after["at"] - before["at"]).total_seconds()
        for before, after in pairwise(samples)
    ]
    assert rates
    assert max(rates) <= 1 / 0.003 + 1
