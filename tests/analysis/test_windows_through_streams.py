"""``--from`` and ``--to`` in the middle of streams: what is told then, and by whose clock the window ends."""

from datetime import timedelta
from pathlib import Path

import pytest
from hopwatch_analysis.job import analyze
from landed_folder import LandedFolder, at
from pyspark.sql import SparkSession
from stories import Json, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def ahead(story: LandedFolder, host: str, seconds: float) -> None:
    """The clock of a host tells all its times so much too late."""
    for each in (each for rows in story.rows.values() for each in rows if each["host"] == host):
        for name in ("at", "counted_at"):
            if each.get(name) is not None:
                each[name] += timedelta(seconds=seconds)


def told_by_a_clock_ahead(story: LandedFolder) -> None:
    """A stream that is over at 50 seconds, and a reader whose host's clock then says that it is 59."""
    story.socket("news", "PUB", host="near", closed=50)
    story.sent("news", 60, 30, final=False)
    story.sent("news", 100, 49)
    for reader, host in (("desk", "early"), ("tape", "third")):
        story.socket(reader, "SUB", host=host, closed=52)
        story.subscribe(reader, "")
        story.link("news", reader)
        story.got(reader, "news", 60, 0, 59, 30, final=False)
        story.got(reader, "news", 100, 0, 99, 49.5)
    ahead(story, "early", 7)


def losing_twice(story: LandedFolder) -> None:
    """Ten messages at 20 seconds and thirty at 80."""
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


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    story = LandedFolder()
    told_by_a_clock_ahead(story)
    losing_twice(story)
    return story.write(tmp_path_factory.mktemp("windows") / "landed")


def books(report: Json, stream: str, receiver: str) -> list[int]:
    told = row(report, stream, receiver)
    return [told[term] for term in ("sent", "delivered", "lost", "in_flight", "unexplained")]


def test_a_window_that_ends_in_a_stream_tells_of_it_as_it_was_then_by_the_clock_that_most_hosts_agree_with(
    spark: SparkSession, landed: Path, tmp_path: Path
) -> None:
    report = analyze(spark, [str(landed)], tmp_path, until=at(56))
    assert {each["host"]: each["ahead_by_ms"] for each in report["clocks"]} == {"early": pytest.approx(7000)}
    assert books(report, "news", "desk") == [100, 100, 0, 0, 0]
    assert books(report, "quotes", "reader") == [290, 280, 10, 0, 0]
    assert [each["lost"] for each in report["incidents"]] == [10]


def test_a_window_that_begins_in_a_stream_leaves_out_those_that_were_over_and_tells_all_of_it(
    spark: SparkSession, landed: Path, tmp_path: Path
) -> None:
    report = analyze(spark, [str(landed)], tmp_path, since=at(60))
    assert {each["name"] for each in report["ledger"]} == {"quotes"}
    assert books(report, "quotes", "reader") == [490, 450, 40, 0, 0]
    assert sorted(each["lost"] for each in report["incidents"]) == [10, 30]
