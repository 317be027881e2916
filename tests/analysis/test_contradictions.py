"""Rows that contradict themselves or each other are left out, counted and named, and no cause rests on them."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hopwatch_analysis.files.contradictions import SetAside
from hopwatch_analysis.files.finding import find_landed
from hopwatch_analysis.files.reading import load
from hopwatch_analysis.job import analyze
from hopwatch_analysis.report.records import Analysis
from hopwatch_analysis.report.verdict import verdict
from hopwatch_simulate.landed import write_rows
from landed_folder import START, LandedFolder, at, id_of
from page_reader import read_page
from pyspark.sql import SparkSession
from stories import pub_sub, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

DAY = f"date={START.date().isoformat()}/host=box"
SUB = {"socket": id_of("reader")}
LANE = {**SUB, "stream": id_of("quotes"), "lane": 0}
GAP = {**LANE, "action": "gap", "first": 20, "last": 29, "lost": 10}
GOT = {**LANE, "role": "receive", "state": "final", "count": 90, "first": 0, "next": 100, "since": 0}


def story(folder: Path, wired: bool = False) -> Path:
    """The reader lacks ten of a hundred messages. ``wired``: another one has twenty more than were ever sent, and one has 95 of a hundred and lacks ten."""
    told = LandedFolder()
    pub_sub(told, "quotes", "reader")
    if wired:
        pub_sub(told, "wires", "desk")
        told.sent("wires", 100, 40)
        told.got("desk", "wires", 120, 0, 119, 45)
        pub_sub(told, "cables", "clerk")
        told.sent("cables", 100, 40)
        told.gap("clerk", "cables", 30, 39, (20, 21))
        told.got("clerk", "cables", 95, 0, 99, 45)
    told.sent("quotes", 100, 40)
    told.onset("quotes", 30, 20)
    told.gap("reader", "quotes", 30, 39, (20, 21))
    told.got("reader", "quotes", 90, 0, 99, 45)
    return told.write(folder)


def add(landed: Path, kind: str, told: dict[str, Any], name: str = "more") -> Path:
    """A further file, of one row."""
    path = landed / f"kind={kind}" / DAY / f"{name}.parquet"
    common = {"host": "box", "process": id_of("process of reader"), "at": at(44)}
    write_rows(path, kind, [common | told])
    return path


OPENED = SUB | {"state": "opened", "name": "reader", "n": 1}
PROXY = {"proxy": id_of("hub"), "frontend": id_of("front"), "backend": id_of("back")}
WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("gap", GAP | {"first": 29, "last": 20}, "reversed_range"),
    ("gap", GAP | {"lost": 11}, "more_than_numbered"),
    ("gap", GAP | {"first": 60, "last": 69}, "overlapping_gaps"),
    ("gap", GAP | {"first": 65, "last": 74}, "overlapping_gaps"),
    ("gap", GAP | {"first": 80, "last": 89, "received": 70}, "overlapping_gaps"),
    ("gap", GAP | {"first": 80, "last": 89, "received": 60}, "overlapping_gaps"),
    ("gap", GAP | {"stream": None}, "null_key"),
    ("gap", GAP | {"at": None}, "null_key"),
    ("lane", GOT | {"count": -1}, "negative_count"),
    ("lane", GOT | {"count": 102}, "more_than_numbered"),
    ("lane", GOT | {"first": 100}, "reversed_range"),
    ("counters", SUB | {"final": False, "received": -5}, "negative_count"),
    ("subscription", {"socket": None, "action": "unsubscribe", "topic": ""}, "null_key"),
    ("socket", OPENED | {"type": "PULL"}, "opened_twice"),
    ("process", {"process": None, "state": "exited"}, "null_key"),
    ("process", {"state": None}, "null_key"),
    ("process", {"state": "blue"}, "unknown_value"),
    ("socket", SUB | {"state": "blue"}, "unknown_value"),
    ("endpoint", SUB | {"action": "lick", "endpoint": "tcp://127.0.0.1:1"}, "unknown_value"),
    ("endpoint", SUB | {"action": None, "endpoint": "tcp://127.0.0.1:1"}, "null_key"),
    ("subscription", SUB | {"action": "oversubscribe", "topic": ""}, "unknown_value"),
    ("connection", SUB | {"action": "reconsidered"}, "unknown_value"),
    ("lane", GOT | {"role": "sideways"}, "unknown_value"),
    ("lane", GOT | {"state": "blue"}, "unknown_value"),
    ("lane", GOT | {"state": None}, "null_key"),
    ("gap", GAP | {"action": "abyss"}, "unknown_value"),
    ("proxy", PROXY | {"state": "blue"}, "unknown_value"),
    ("tcp", SUB | {"connection": None, "limited_by": "network"}, "null_key"),
    ("option", SUB | {"option": None, "value": "1"}, "null_key"),
    ("finding", SUB | {"rule": None, "text": "it is risky"}, "null_key"),
    ("usage", {"process": None, "resident": 1}, "null_key"),
    ("memory", {"cgroup": None, "current": 1}, "null_key"),
    ("oom", {"cgroup": None, "kills": 1}, "null_key"),
]


def spoil(landed: Path) -> dict[str | None, str]:
    """Add a file of each wrong row; return the rules that are broken, by file."""
    spoilt: dict[str | None, str] = {
        str(add(landed, kind, wrong, name=f"more-{number}")): rule
        for number, (kind, wrong, rule) in enumerate(WRONG)
    }
    return spoilt | {str(landed / "kind=socket" / DAY / "batch-1.parquet"): "opened_twice"}


def test_rows_that_cannot_be_are_set_aside_with_their_file_the_rule_and_an_example(
    spark: SparkSession, tmp_path: Path
) -> None:
    landed = story(tmp_path / "landed")
    spoilt = spoil(landed)
    read, _ = load(spark, find_landed([str(landed)]))
    assert {each.file: (each.rule, each.rows) for each in read.set_aside} == {
        file: (rule, 1) for file, rule in spoilt.items()
    }
    assert all('"host":"box"' in each.example for each in read.set_aside)
    assert sum('"role":"sideways"' in each.example for each in read.set_aside) == 1
    assert read.unreadable_hosts == {"box"}


@pytest.mark.extended(
    "a whole analysis; test_damaged_pages has one of what hosts with unsound files make unexplained"
)
def test_they_are_named_and_shown_and_nothing_is_said_to_be_lost_by_their_hosts(
    spark: SparkSession, tmp_path: Path
) -> None:
    landed = story(tmp_path / "landed", wired=True)
    spoilt = spoil(landed)
    told: list[str] = []
    report = analyze(spark, [str(landed)], tmp_path / "out", until=at(100), progress=told.append)
    found = {each["file"]: (each["rule"], each["rows"]) for each in report["contradictions"]}
    more_than_sent = {None: ("more_than_sent", 2)}
    assert found == {file: (rule, 1) for file, rule in spoilt.items()} | more_than_sent
    assert all(any(line.startswith(f"1 row of {file}: ") for line in told) for file in spoilt)
    books = row(report, "quotes", "reader")
    assert (books["delivered"], books["lost"], books["unexplained"]) == (90, 0, 10)
    page = read_page((tmp_path / "out" / "report.html").read_text()).text
    assert all(f"1 row of {file}: " in page for file in spoilt)
    assert "a newer one may" in page


def test_rows_that_fit_are_not_set_aside(spark: SparkSession, tmp_path: Path) -> None:
    """Two agents may tell of one opening, and of one gap."""
    landed = story(tmp_path / "landed")
    gaps = landed / "kind=gap" / DAY
    shutil.copy(gaps / "batch-1.parquet", gaps / "batch-2.parquet")
    add(landed, "socket", OPENED | {"type": "SUB"})
    read, _ = load(spark, find_landed([str(landed)]))
    assert list(read.set_aside) == []


def test_the_verdict_names_them_and_does_not_say_that_nothing_was_lost() -> None:
    found = (
        SetAside("gaps.parquet", "reversed_range", 2, "{}"),
        SetAside(None, "more_than_sent", 3, "{...}"),
    )
    text = " ".join(
        verdict(
            Analysis(None, None, hops=(), ledger=(), incidents=(), findings=(), contradictions=found)
        ).split()
    )
    assert "2 rows of gaps.parquet: left out, for ranges that end before they begin ({})" in text
    assert "3 times, a receiver has messages beyond the last" in text
    assert "INCOMPLETE" in text


def hosts_differ(path: Path) -> None:
    write_rows(path, "gap", [{"host": "box", "at": START}, {"host": "bax", "at": START}])


def no_host(path: Path) -> None:
    write_rows(path, "gap", [{"at": START}])


@pytest.mark.parametrize(("write", "other"), [(hosts_differ, "'bax'"), (no_host, "None")])
def test_a_file_in_the_folder_of_another_host_is_left_out_and_named(
    tmp_path: Path, write: Callable[[Path], None], other: str
) -> None:
    landed = story(tmp_path / "landed")
    spoilt = landed / "kind=gap" / DAY / "more.parquet"
    write(spoilt)
    (skipped,) = find_landed([str(landed)]).skipped
    assert (skipped.file, skipped.reason) == (
        str(spoilt),
        f"contradictory: rows of host {other} in the folder of 'box'",
    )


def test_of_merged_files_that_share_some_blocks_one_is_left_out_and_named(tmp_path: Path) -> None:
    landed = story(tmp_path / "landed")
    folder = landed / "kind=gap" / DAY
    files = [folder / f"0a1b-{first:012d}-{last:012d}.parquet" for first, last in ((1, 5), (3, 8), (2, 4))]
    for path in files:
        write_rows(path, "gap", [{"host": "box", "at": START}])
    found = find_landed([str(landed)])
    assert [skipped.file for skipped in found.skipped] == [str(files[1])]
    assert str(files[0]) in found.skipped[0].reason
    assert str(files[0]) in {file.path for file in found.files}
