"""A window in which nothing landed: it is told so, and nobody is said to have sent without stamps in it."""

from datetime import datetime
from pathlib import Path

import pytest
from hopwatch_analysis.job import analyze
from landed_folder import LandedFolder, at
from pyspark.sql import SparkSession
from stories import pub_sub

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stamped stream, one without stamps, and a ROUTER that swallows: all are closed, or killed, within a minute."""
    story = LandedFolder()
    pub_sub(story, "quotes", "reader")
    story.sent("quotes", 100, 40)
    story.got("reader", "quotes", 90, 0, 89, 45)
    story.bare_socket("plain", "PUSH", closed=50)
    story.bare_socket("worker", "PULL", closed=50)
    story.link("plain", "worker")
    story.counters("plain", 49, final=True, sent=10)
    story.counters("worker", 49, final=True, received=7)
    story.socket("hub", "ROUTER", sequence=None)
    story.unroutable("hub", 5, number=3, lane=None, messages=4)
    story.unroutable("hub", 20.5, number=7, lane=None, messages=2)
    story.add("finding", "hub", 4, rule="router_swallows", text="It swallows.", advice="Look.")
    story.counters("hub", 6, sent=50, unroutable=6)
    story.counters("hub", 20, sent=50, unroutable=6)
    story.killed("hub", 21)
    return story.write(tmp_path_factory.mktemp("windows") / "landed")


@pytest.mark.extended(
    "to analyse nothing takes as long as anything; test_windows_through_streams has windows amid streams"
)
@pytest.mark.parametrize(("since", "until"), [(None, at(-3600)), (at(3600), None)])
def test_nothing_is_told_of_it_but_that(
    spark: SparkSession, landed: Path, tmp_path: Path, since: datetime | None, until: datetime | None
) -> None:
    told: list[str] = []
    report = analyze(spark, [str(landed)], tmp_path, since=since, until=until, progress=told.append)
    assert any(
        "2100-05-04 12:00:00 to 2100-05-04 12:01:00 UTC: --from and --to leave nothing" in line
        for line in told
    )
    assert [report[name] for name in ("ledger", "incidents", "not_checked", "findings")] == [[], [], [], []]


@pytest.mark.extended("one more analysis, of what the joint report shows too")
def test_a_window_that_holds_it_tells_of_all(spark: SparkSession, landed: Path, tmp_path: Path) -> None:
    told: list[str] = []
    report = analyze(spark, [str(landed)], tmp_path, since=at(-60), until=at(3600), progress=told.append)
    assert not any("leave nothing" in line for line in told)
    assert {(row["name"], row["lost"] + row["unexplained"]) for row in report["ledger"]} == {
        ("quotes", 10),
        ("hub", 6),
    }
    assert "unstamped" in {row["reason"] for row in report["not_checked"]}
    assert "router_swallows" in {row["rule"] for row in report["findings"]}
