"""What a receiver is asked to read, by all who send to it and for how long, held against what it reads."""

import pytest
from hopwatch_analysis.job import analyze
from landed_folder import LandedFolder
from pyspark.sql import SparkSession
from stories import Json, hop, incidents, through_proxy

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


def gathering(story: LandedFolder, sub: str, *pubs: str, closed: float = 100) -> None:
    story.socket(sub, "SUB", closed=closed, rcvhwm=100)
    story.subscribe(sub, "")
    for pub in pubs:
        story.socket(pub, "PUB", closed=closed, sndhwm=100)
        story.link(pub, sub)


def two_feeds(story: LandedFolder) -> None:
    """Each sends 1000/s for a minute, and the receiver reads 1500/s in all: each loses 500 of 2000 every two seconds."""
    gathering(story, "gatherer", "feed-1", "feed-2")
    for pub in ("feed-1", "feed-2"):
        for second in range(1, 61):
            story.counters(pub, second, sent=1000 * second, sent_bytes=200_000 * second)
        for burst in range(1, 30):
            first = 2000 * burst + 1000
            story.onset(pub, first, 2 * burst + 1)
            times = (2 * burst + 1, 2 * burst + 1.5)
            story.gap("gatherer", pub, first, first + 499, times, received=3000 * burst + 2000)
        story.sent(pub, 60_000, 61)
        story.got("gatherer", pub, 60_000 - 29 * 500, 0, 59_999, 61)
    for second in range(1, 61):
        story.counters("gatherer", second, received=1500 * second)


def flood_in_a_quiet_hour(story: LandedFolder) -> None:
    """Ten minutes of 2000/s, of which half are read, between quiet times of 1/s in which the receiver waits and gets everything."""
    gathering(story, "desk", "wire", closed=9000)
    for second in (*range(1, 3600, 60), 3600):
        story.counters("wire", second, sent=second)
        story.counters("desk", second, received=second, waited_receives=second)
    for ten in range(1, 61):
        second = 3600 + 10 * ten
        story.counters("wire", second, sent=3600 + 20_000 * ten)
        story.counters("desk", second, received=3600 + 10_000 * ten, waited_receives=3600)
        first = 3600 + 20_000 * (ten - 1) + 5_000
        story.onset("wire", first, second - 7.5)
        times = (second - 7.5, second - 2.5)
        story.gap("desk", "wire", first, first + 9_999, times, received=3600 + 10_000 * ten - 5_000)
    for minute in range(1, 61):
        quiet = 60 * minute
        story.counters("wire", 4200 + quiet, sent=1_203_600 + quiet)
        story.counters("desk", 4200 + quiet, received=603_600 + quiet, waited_receives=3600 + quiet)
    story.sent("wire", 1_207_200, 8000)
    story.got("desk", "wire", 607_200, 0, 1_207_199, 8000)


def restarted(story: LandedFolder) -> None:
    """A feed that comes back as another stream: what it sent before does not add to what it sends now."""
    gathering(story, "follower", "first-life", "second-life")
    for pub, start in (("first-life", 0), ("second-life", 30)):
        for second in range(1, 31):
            story.counters(pub, start + second, sent=1000 * second)
        story.sent(pub, 30_000, start + 30)
        lost = 400 if start else 0
        story.got("follower", pub, 30_000 - lost, 0, 29_999, start + 31)
    story.onset("second-life", 10_000, 40)
    story.gap("follower", "second-life", 10_000, 10_399, (40, 40.2), received=10_001)
    for second in range(1, 61):
        read = 1000 * second - (400 if second > 40 else 0) + (300 if second == 20 else 0)
        story.counters("follower", second, received=read)


def works_through_batches(story: LandedFolder) -> None:
    """It is sent 100/s, takes 175 at once, and is busy with them for 2.5 seconds: there are always more, and in a second at a time it is seen to read 175."""
    gathering(story, "clerk", "inbox")
    for second in range(1, 101):
        story.counters("inbox", second, sent=100 * second)
    for batch in range(1, 40):
        first, met = 250 * batch - 75, 2.5 * batch - 0.75
        story.onset("inbox", first, met)
        story.gap("clerk", "inbox", first, first + 74, (met, 2.5 * batch), received=175 * batch)
        story.counters("clerk", 2.5 * batch - 0.5, received=175 * (batch - 1))
        story.counters("clerk", 2.5 * batch + 0.5, received=175 * batch)
    story.sent("inbox", 10_000, 100)
    story.got("clerk", "inbox", 10_000 - 39 * 75, 0, 9_999, 100, newest=99.4)


def one_topic_of_ten(story: LandedFolder) -> None:
    """It is sent a tenth of 1000/s, and reads 300/s when a burst has left it that much."""
    story.socket("board", "PUB", closed=100, sndhwm=100)
    story.socket("picky", "SUB", closed=100, rcvhwm=100)
    story.subscribe("picky", "t0")
    story.link("board", "picky")
    for lane in range(10):
        story.sent("board", 6000, 61, lane=lane, topic=f"t{lane}")
    for second in range(1, 61):
        story.counters("board", second, sent=1000 * second)
    story.got("picky", "board", 5900, 0, 5999, 61)
    story.onset("board", 30_000, 30, lane=0, lane_number=3000)
    story.gap("picky", "board", 3000, 3099, (30, 30.2), around=(29_999, 30_200), received=3001)
    for second in range(1, 61):
        ahead = 0 if second <= 30 else 100
        story.counters("picky", second, received=100 * second - ahead + (200 if second == 30 else 0))


def burst_of_topics(story: LandedFolder) -> None:
    """Two bursts over 20 topics that lose 50, then 30 of each, and each topic's last before was sent 2 s earlier."""
    gathering(story, "reader", "ticker")
    for lane in range(20):
        story.sent("ticker", 200, 61, lane=lane, topic=f"t{lane}")
        story.got("reader", "ticker", 120, 0, 199, 61, lane=lane)
        for first, last, second in ((40, 89, 20), (140, 169, 40)):
            number = 20 * first + lane
            around = (number - 20, number + 20 * (last - first + 1))
            story.gap("reader", "ticker", first, last, (second, second + 2), lane=lane, around=around)
            story.onset("ticker", number, second, lane=lane, lane_number=first)
    for second, sent in ((1, 40), (20, 800), (22, 1800), (40, 2800), (42, 3400), (60, 4000)):
        story.counters("ticker", second, sent=sent, sent_bytes=1000 * sent)
    for second in range(1, 61):
        waits = {"waited_receives": 10 * second}
        story.counters("reader", second, received=40 * second + (60 if second in (21, 41) else 0), **waits)


def pulses(story: LandedFolder) -> None:
    """Every five seconds 3000 in 60 ms, of which the pipe takes 200: the receiver was never seen to read for long."""
    gathering(story, "pulsed", "metronome")
    for second in range(1, 61):
        pulsed = second // 5
        story.counters("metronome", second, sent=3000 * pulsed + 20 * second)
        story.counters("pulsed", second, received=200 * pulsed + 20 * second)
    for pulse in range(1, 12):
        first, second = 3000 * (pulse - 1) + 100 * pulse + 200, 5 * pulse - 0.5
        story.onset("metronome", first, second)
        story.gap("pulsed", "metronome", first, first + 2799, (second, second + 0.06), received=220 * pulse)
    story.sent("metronome", 37_200, 61)
    story.got("pulsed", "metronome", 37_200 - 11 * 2800, 0, 37_199, 61)


def burst_before_a_proxy(story: LandedFolder) -> None:
    """A second of 5000, of which the pipe to the proxy takes half; before and after it 100/s, which are read as they are sent."""
    through_proxy(story, "exchange", "relay", "trader")
    for second in range(1, 41):
        sent = 100 * second + (4900 if second >= 10 else 0)
        lost = 2500 if second >= 10 else 0
        story.counters("exchange", second, sent=sent)
        story.got("trader", "exchange", sent - lost, 0, sent - 1, second, newest=second - 0.001, final=False)
    story.onset("exchange", 2000, 9.2)
    story.gap("trader", "exchange", 2000, 4499, (9.2, 9.7), received=2000)
    story.sent("exchange", 8900, 40)
    story.got("trader", "exchange", 6400, 0, 8899, 41)
    story.counters("relay-front", 45, final=True, proxied_in_frames=2 * 6400)
    story.counters("relay-back", 45, final=True, proxied_out_frames=2 * 6400)


def proxy_that_lags(story: LandedFolder) -> None:
    """Every ten seconds the pipe to the proxy drops a second's messages; what passes it is read two seconds after it was sent."""
    through_proxy(story, "spring", "pond", "mill")
    for second in range(3, 41):
        dropped = 100 * ((second - 3) // 10)
        newest = 100 * (second - 2) - 1
        story.counters("spring", second, sent=100 * second)
        story.got("mill", "spring", newest + 1 - dropped, 0, newest, second, newest=second - 2, final=False)
    for turn in range(1, 4):
        first, began = 1000 * turn, 10 * turn
        story.onset("spring", first, began)
        story.gap(
            "mill", "spring", first, first + 99, (began, began + 1), received=1000 * turn - 100 * (turn - 1)
        )
    story.sent("spring", 4000, 40)
    story.got("mill", "spring", 3700, 0, 3999, 42)
    story.counters("pond-front", 45, final=True, proxied_in_frames=2 * 3700)
    story.counters("pond-back", 45, final=True, proxied_out_frames=2 * 3700)


@pytest.fixture(scope="module")
def report(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Json:
    story = LandedFolder()
    for tell in (
        two_feeds,
        flood_in_a_quiet_hour,
        restarted,
        works_through_batches,
        one_topic_of_ten,
        burst_of_topics,
        pulses,
        burst_before_a_proxy,
        proxy_that_lags,
    ):
        tell(story)
    folder = tmp_path_factory.mktemp("overloaded")
    return analyze(spark, [str(story.write(folder / "landed"))], folder / "out")


def incident(report: Json, sender: str) -> Json:
    [found] = (item for item in report["incidents"] if item["hop"].startswith(f"{sender} →"))
    return dict(found)


def rates(report: Json, sender: str, kind: str = "rates") -> Json:
    [found] = (item for item in incident(report, sender)["evidence"] if item["kind"] == kind)
    return dict(found)


@pytest.mark.parametrize("feed", ["feed-1", "feed-2"])
def test_who_reads_less_than_all_its_senders_send_together_is_too_slow(report: Json, feed: str) -> None:
    assert incidents(report, feed) == [(f"{feed} → gatherer", "slow_receiver", "exact", 29 * 500)]
    assert rates(report, feed)["mean_rate"] == pytest.approx(1000, rel=0.01)
    assert rates(report, feed)["asked_rate"] == pytest.approx(2000, rel=0.01)
    assert "it reads 1500 messages/s, and gets sent 2000" in incident(report, feed)["advice"][0]


def test_ten_minutes_at_twice_what_it_reads_are_no_burst_though_hours_around_them_are_quiet(
    report: Json,
) -> None:
    assert incidents(report, "wire") == [("wire → desk", "slow_receiver", "exact", 600_000)]
    found = rates(report, "wire", "overload")
    assert (found["asked_rate"], found["read_rate"]) == pytest.approx((2000, 1000), rel=0.01)


def test_streams_that_followed_each_other_are_not_added_up(report: Json) -> None:
    assert incidents(report, "second-life") == [("second-life → follower", "hwm_too_low", "inferred", 400)]
    assert rates(report, "second-life")["asked_rate"] == pytest.approx(1000, rel=0.02)


def test_who_loses_again_and_again_and_never_catches_up_is_slow_however_fast_it_reads_at_times(
    report: Json,
) -> None:
    assert incidents(report, "inbox") == [("inbox → clerk", "slow_receiver", "inferred", 39 * 75)]
    assert rates(report, "inbox")["capacity"] > rates(report, "inbox")["asked_rate"]


def test_topics_that_it_is_not_sent_are_nothing_that_it_has_to_read(report: Json) -> None:
    assert incidents(report, "board") == [("board → picky", "hwm_too_low", "inferred", 100)]
    assert rates(report, "board")["asked_rate"] == pytest.approx(100, rel=0.01)


def test_a_burst_over_many_topics_lasts_as_long_as_one_of_them(report: Json) -> None:
    found = [item for item in report["incidents"] if item["hop"] == "ticker → reader"]
    assert {(item["cause"], item["certainty"]) for item in found} == {("hwm_too_low", "inferred")}
    assert hop(report, "ticker → reader")["lost"] == 20 * 80


def test_who_was_not_seen_to_be_busy_all_the_time_is_not_proven_to_be_too_slow(report: Json) -> None:
    assert incident(report, "metronome")["certainty"] == "inferred"


def test_a_mark_is_raised_by_what_all_topics_lost_in_one_burst(report: Json) -> None:
    advised = [
        text for item in report["incidents"] if item["hop"] == "ticker → reader" for text in item["advice"]
    ]
    assert any(
        "from 100 to at least 2200: " in text and "the 1000 that the largest burst" in text
        for text in advised
    )
    assert any("2100 messages more, about 2.1 MB" in text for text in advised)


def test_a_proxy_whose_readers_get_everything_at_once_again_only_met_a_burst(report: Json) -> None:
    assert incidents(report, "exchange") == [("exchange → relay", "hwm_too_low", "inferred", 2500)]


def test_a_proxy_whose_readers_lag_is_not_seen_to_have_caught_up(report: Json) -> None:
    assert {found[:3] for found in incidents(report, "spring")} == {
        ("spring → pond", "slow_receiver", "inferred")
    }
