"""``--from`` and ``--to`` in the middle of streams: what is told then, and by whose clock the window ends."""

from datetime import timedelta
from pathlib import Path

import pytest
from hopwatch_analysis.job import analyze
from landed_folder import LandedFolder, at
from pyspark.sql import SparkSession
from stories import pub_sub, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


def ahead(story: LandedFolder, host: str, seconds: float) -> None:
    """The clock of a host tells all its times so much too late."""
    for each in (each for rows in story.rows.values() for each in rows if each["host"] == host):
        for name in ("at", "counted_at"):
            if each.get(name) is not None:
                each[name] += timedelta(seconds=seconds)


def test_what_a_host_with_a_clock_ahead_told_within_the_window_is_not_cut_off(
    spark: SparkSession, tmp_path: Path
) -> None:
    story = LandedFolder()
    story.socket("quotes", "PUB", host="near", closed=50)
    story.sent("quotes", 100, 49)
    for reader, host in (("reader", "early"), ("other", "third")):
        story.socket(reader, "SUB", host=host, closed=52)
        story.subscribe(reader, "")
        story.link("quotes", reader)
        story.got(reader, "quotes", 60, 0, 59, 30, final=False)
        story.got(reader, "quotes", 100, 0, 99, 49.5)
    story.sent("quotes", 60, 30, final=False)
    story.socket("clock", "PAIR", opened=120)
    ahead(story, "early", 7)
    landed = story.write(tmp_path / "landed")
    report = analyze(spark, [str(landed)], tmp_path / "out", until=at(56))
    assert {each["host"]: each["ahead_by"] for each in report["clocks"]} == {"early": pytest.approx(7)}
    books = row(report, "quotes", "reader")
    assert [books[term] for term in ("sent", "delivered", "lost", "in_flight", "unexplained")] == [
        100,
        100,
        0,
        0,
        0,
    ]


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stream that loses ten messages at 20 seconds and thirty at 80, and one that is over by 25 seconds."""
    story = LandedFolder()
    story.socket("quotes", "PUB", closed=110)
    story.socket("reader", "SUB", closed=115)
    story.subscribe("reader", "")
    story.link("quotes", "reader")
    lost = 0
    for number, loss, second in ((0, 0, 10), (100, 10, 20), (200, 0, 50), (300, 30, 80), (400, 0, 100)):
        lost += loss
        if loss:
            story.onset("quotes", number, second - 0.5)
            story.gap("reader", "quotes", number, number + loss - 1, (second - 0.5, second))
        story.sent("quotes", number + 90, second, final=second == 100)
        story.got("reader", "quotes", number + 90 - lost, 0, number + 89, second + 0.1, final=second == 100)
    pub_sub(story, "brief", "ear", closed=24)
    story.sent("brief", 10, 23)
    story.got("ear", "brief", 10, 0, 9, 23.5)
    return story.write(tmp_path_factory.mktemp("windows") / "landed")


def test_a_window_that_ends_in_a_stream_tells_of_it_as_it_was_then(
    spark: SparkSession, landed: Path, tmp_path: Path
) -> None:
    report = analyze(spark, [str(landed)], tmp_path, until=at(60))
    books = row(report, "quotes", "reader")
    assert [books[term] for term in ("sent", "delivered", "lost", "in_flight", "unexplained")] == [
        290,
        280,
        10,
        0,
        0,
    ]
    assert [(each["lost"], each["started_at"] < "2026-05-04T12:00:21") for each in report["incidents"]] == [
        (10, True)
    ]
    assert row(report, "brief", "ear")["delivered"] == 10


def test_a_window_that_begins_in_a_stream_leaves_out_those_that_were_over_and_tells_all_of_it(
    spark: SparkSession, landed: Path, tmp_path: Path
) -> None:
    report = analyze(spark, [str(landed)], tmp_path, since=at(60))
    assert {each["name"] for each in report["ledger"]} == {"quotes"}
    books = row(report, "quotes", "reader")
    assert [books[term] for term in ("sent", "delivered", "lost", "in_flight", "unexplained")] == [
        490,
        450,
        40,
        0,
        0,
    ]
    assert sorted(each["lost"] for each in report["incidents"]) == [10, 30]
