"""``--from`` behind the end of a stream that went through a proxy: the proxy has counted that one as well."""

import pytest
from hopwatch_analysis.job import analyze
from landed_folder import LandedFolder, at
from pyspark.sql import SparkSession
from stories import Json, hop, row, through_proxy

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

EARLIER_ENDS, BETWEEN, LATER_OPENS, SENT = 30, 35, 40, 1000


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
def told(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Json:
    folder = tmp_path_factory.mktemp("windows")
    story = LandedFolder()
    later_publisher_loses_behind_the_proxy(story)
    later_producer_dies_with_its_queue(story)
    return analyze(spark, [str(story.write(folder / "landed"))], folder, since=at(BETWEEN))


def test_what_the_proxy_counted_of_the_earlier_stream_does_not_hide_where_the_later_one_lost(
    told: Json,
) -> None:
    behind = hop(told, "mast → watchman")
    assert (behind["sent"], behind["lost"], behind["unexplained"]) == (SENT, 10, 0)


def test_nor_does_it_stand_in_for_what_never_came(told: Json) -> None:
    assert row(told, "second-ship", "stevedore")["causes"] == {"unexplained": 200}
    assert [each["hop"] for each in told["incidents"]] == ["mast → watchman"]


def test_what_was_over_before_is_not_told_of(told: Json) -> None:
    assert {each["name"] for each in told["ledger"]} == {"dusk", "second-ship"}
    assert not any(each["hop"].startswith(("dawn", "first-ship")) for each in told["hops"])
    assert [told[name] for name in ("not_checked", "contradictions")] == [[], []]
