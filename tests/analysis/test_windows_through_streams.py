"""``--from`` and ``--to`` in the middle of streams: what is told then, and by whose clock the window ends.

A proxy has also counted the streams that were over before the window.
"""

from datetime import timedelta
from pathlib import Path

import pytest
from hopwatch_analysis.job import analyze
from landed_folder import LandedFolder, at
from pyspark.sql import SparkSession
from stories import Json, hop, losing_twice, row, through_proxy

pytestmark = [
    pytest.mark.spark,
    pytest.mark.timeout(900),
    pytest.mark.extended("one more analysis; the joint report is of a window too"),
]

EARLIER_ENDS, BETWEEN, LATER_OPENS, WINDOW_ENDS, SENT = 30, 35, 40, 61, 1000


def ahead(story: LandedFolder, host: str, seconds: float) -> None:
    """The clock of a host tells all its times so much too late."""
    for each in (each for rows in story.rows.values() for each in rows if each["host"] == host):
        for name in ("at", "counted_at"):
            if each.get(name) is not None:
                each[name] += timedelta(seconds=seconds)


def told_by_a_clock_ahead(story: LandedFolder) -> None:
    """A stream that is over at 50 seconds, and a reader whose host's clock then says that it is 64."""
    story.socket("news", "PUB", host="near", closed=50)
    story.sent("news", 60, 30, final=False)
    story.sent("news", 100, 49)
    for reader, host in (("desk", "early"), ("tape", "third")):
        story.socket(reader, "SUB", host=host, closed=52)
        story.subscribe(reader, "")
        story.link("news", reader)
        story.got(reader, "news", 60, 0, 59, 30, final=False)
        story.got(reader, "news", 100, 0, 99, 49.5)
    ahead(story, "early", 12)


def later_publisher_loses_behind_the_proxy(story: LandedFolder) -> None:
    """The earlier one sends all that it has to the reader; of the later one's, ten come to the proxy and no further."""
    through_proxy(story, "dawn", "mast", "watchman", closed=EARLIER_ENDS)
    story.sent("dawn", SENT, 25)
    story.got("watchman", "dawn", SENT, 0, SENT - 1, 27)
    story.socket("dusk", "PUB", opened=LATER_OPENS, closed=50, sndhwm=1000)
    story.link("mast-front", "dusk", up=LATER_OPENS + 0.1)
    story.sent("dusk", SENT, 45)
    story.gap("watchman", "dusk", 500, 509, (43, 43.1), received=500)
    story.got("watchman", "dusk", SENT - 10, 0, SENT - 1, 46)
    story.counters("mast-front", 59, final=True, proxied_in_frames=2 * 2 * SENT)


def later_producer_dies_with_its_queue(story: LandedFolder) -> None:
    """Nothing of the earlier one is lost; of the later one's, 200 never come to the proxy."""
    story.socket("crane-front", "PULL", closed=60)
    story.socket("crane-back", "PUSH", closed=60)
    story.proxy("crane", "crane-front", "crane-back")
    story.socket("stevedore", "PULL", closed=59)
    story.link("crane-back", "stevedore")
    story.socket("first-ship", "PUSH", closed=EARLIER_ENDS)
    story.link("crane-front", "first-ship", down=EARLIER_ENDS)
    story.sent("first-ship", SENT, 25)
    story.got("stevedore", "first-ship", SENT, 0, SENT - 1, 27)
    story.socket("second-ship", "PUSH", opened=LATER_OPENS)
    story.link("crane-front", "second-ship", up=LATER_OPENS + 0.1, down=50)
    story.killed("second-ship", 50)
    story.sent("second-ship", SENT, 49)
    story.got("stevedore", "second-ship", SENT - 200, 0, SENT - 201, 52)
    story.counters("crane-front", 59, final=True, proxied_in_frames=2 * (2 * SENT - 200))


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    story = LandedFolder()
    told_by_a_clock_ahead(story)
    losing_twice(story, "quotes", "reader", again=80, ends=100)
    later_publisher_loses_behind_the_proxy(story)
    later_producer_dies_with_its_queue(story)
    return story.write(tmp_path_factory.mktemp("windows") / "landed")


@pytest.fixture(scope="module")
def report(spark: SparkSession, landed: Path, tmp_path_factory: pytest.TempPathFactory) -> Json:
    """The report of a window that begins between the earlier streams and the later ones, and ends before "quotes" does."""
    out = tmp_path_factory.mktemp("window")
    return analyze(spark, [str(landed)], out, since=at(BETWEEN), until=at(WINDOW_ENDS))


def books(report: Json, stream: str, receiver: str) -> list[int]:
    told = row(report, stream, receiver)
    return [told[term] for term in ("sent", "delivered", "lost", "in_flight", "unexplained")]


def test_a_window_ends_by_the_clock_that_most_hosts_agree_with(report: Json) -> None:
    assert {each["host"]: each["ahead_by_ms"] for each in report["clocks"]} == {
        "early": pytest.approx(12_000)
    }
    assert books(report, "news", "desk") == [100, 100, 0, 0, 0]


def test_a_stream_that_goes_on_before_and_after_it_is_told_of_from_its_beginning_to_the_end_of_the_window(
    report: Json,
) -> None:
    assert books(report, "quotes", "reader") == [290, 280, 10, 0, 0]
    assert [each["lost"] for each in report["incidents"] if each["hop"].startswith("quotes")] == [10]


def test_what_the_proxy_counted_of_the_earlier_stream_does_not_hide_where_the_later_one_lost(
    report: Json,
) -> None:
    behind = hop(report, "mast → watchman")
    assert (behind["sent"], behind["lost"], behind["unexplained"]) == (SENT, 10, 0)


def test_nor_does_it_stand_in_for_what_never_came(report: Json) -> None:
    assert row(report, "second-ship", "stevedore")["causes"] == {"unexplained": 200}
    others = {each["hop"] for each in report["incidents"]} - {"quotes → reader"}
    assert others == {"mast → watchman"}


def test_what_was_over_before_is_not_told_of(report: Json) -> None:
    assert {each["name"] for each in report["ledger"]} == {"quotes", "news", "dusk", "second-ship"}
    assert not any(each["hop"].startswith(("dawn", "first-ship")) for each in report["hops"])
    assert [report[name] for name in ("not_checked", "contradictions")] == [[], []]
