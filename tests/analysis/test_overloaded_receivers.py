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
        story.counters("gatherer", second, received=1500 * second, waited_receives=min(second, 2))


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
        times = (met, 2.5 * batch)
        story.gap("clerk", "inbox", first, first + 74, times, received=175 * batch, noticed=times[1] + 2.5)
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
        times, got = (began, began + 1), 1000 * turn - 100 * (turn - 1)
        story.gap("mill", "spring", first, first + 99, times, received=got, noticed=began + 3)
    story.sent("spring", 4000, 40)
    story.got("mill", "spring", 3700, 0, 3999, 42)
    story.counters("pond-front", 45, final=True, proxied_in_frames=2 * 3700)
    story.counters("pond-back", 45, final=True, proxied_out_frames=2 * 3700)


def volleys(story: LandedFolder) -> None:
    """Every eight seconds 3000 at once and nothing between: the pipe takes 2000, which are read in no time, and the receiver waits again."""
    gathering(story, "ranger", "battery", closed=200)
    for volley in range(1, 21):
        fired, sent, read = 8 * volley, 3000 * volley, 2000 * volley
        story.counters("battery", fired + 0.5, sent=sent)
        story.sent("battery", sent, fired + 0.5, final=False)
        story.counters("ranger", fired + 0.5, received=read, waited_receives=volley + 1)
        story.onset("battery", sent - 1000, fired + 0.01)
    for volley in range(1, 20):
        first, fired = 3000 * volley - 1000, 8 * volley
        times, got = (fired + 0.01, fired + 8), 2000 * volley + 1
        story.gap("ranger", "battery", first, first + 999, times, received=got, noticed=times[1] + 0.001)
    story.sent("battery", 60_001, 168)
    story.gap("ranger", "battery", 59_000, 59_999, (160.01, 168), received=40_001, noticed=168.001)
    story.got("ranger", "battery", 40_001, 0, 60_000, 169, newest=168)


def a_volley_a_second(story: LandedFolder) -> None:
    """Of 400 at once, every second, the last 40 find no room; nothing tells whether the receiver, which polls, was busy between."""
    gathering(story, "poller", "clock")
    for second in range(1, 61):
        story.counters("clock", second + 0.5, sent=400 * second)
        story.counters("poller", second + 0.5, received=360 * second)
        story.onset("clock", 400 * second - 40, second + 0.002)
    for second in range(1, 60):
        first = 400 * second - 40
        story.gap(
            "poller", "clock", first, first + 39, (second + 0.002, second + 1), received=360 * second + 1
        )
    story.sent("clock", 24_000, 61)
    story.got("poller", "clock", 360 * 60, 0, 23_959, 61, newest=60.002)


def read_at_once(story: LandedFolder) -> None:
    """The same, and when the next volley begins, its first message is read as it is sent."""
    gathering(story, "sprinter", "pistol")
    for second in range(1, 61):
        story.counters("pistol", second + 0.5, sent=400 * second)
        story.counters("sprinter", second + 0.5, received=360 * second)
        story.onset("pistol", 400 * second - 40, second + 0.002)
    for second in range(1, 60):
        first, got = 400 * second - 40, 360 * second + 1
        times = (second + 0.002, second + 1)
        story.gap("sprinter", "pistol", first, first + 39, times, received=got, noticed=times[1] + 0.001)
    story.sent("pistol", 24_000, 61)
    story.got("sprinter", "pistol", 360 * 60, 0, 23_959, 61, newest=60.002)


def last_word(story: LandedFolder) -> None:
    """3000 at once, of which a third find room, and a minute later one message more."""
    gathering(story, "listener", "speaker")
    story.counters("speaker", 1.5, sent=3000)
    story.sent("speaker", 3000, 1.5, final=False)
    story.counters("listener", 1.5, received=1000)
    story.onset("speaker", 1000, 1.01)
    story.gap("listener", "speaker", 1000, 2999, (1.01, 60), received=1001)
    story.sent("speaker", 3001, 61)
    story.got("listener", "speaker", 1001, 0, 3000, 61, newest=60)


def batches(story: LandedFolder) -> None:
    """A minute of 100 messages at once every 50 ms, of which the pipe takes 50, between quiet times in which the receiver waits."""
    gathering(story, "packer", "conveyor", closed=400)
    for second in (*range(1, 100, 10), 100):
        story.counters("conveyor", second, sent=second)
        story.counters("packer", second, received=second, waited_receives=second)
    for batch in range(1200):
        first, sent_at = 100 + 100 * batch + 50, 100 + batch * 0.05
        times, got = (sent_at + 0.0005, sent_at + 0.05), 101 + 50 * (batch + 1)
        story.onset("conveyor", first, sent_at + 0.0005)
        story.gap("packer", "conveyor", first, first + 49, times, received=got)
    for second in range(101, 161):
        story.counters("conveyor", second, sent=100 + 2000 * (second - 100))
        story.counters("packer", second, received=100 + 1000 * (second - 100), waited_receives=100)
    for second in (*range(161, 300, 10), 300):
        story.counters("conveyor", second, sent=120_100 + second - 160)
        story.counters("packer", second, received=60_100 + second - 160, waited_receives=second - 60)
    story.sent("conveyor", 120_240, 300)
    story.got("packer", "conveyor", 60_240, 0, 120_239, 301, newest=300)


def drains(story: LandedFolder) -> None:
    """It is sent 100/s and works 14 ms on each, in turns of ten, behind each of which it asks for more until there is none."""
    gathering(story, "dispatcher", "counter", closed=200)
    for second in range(1, 121):
        story.counters("counter", second, sent=100 * second)
        story.counters("dispatcher", second, received=70 * second, eagain_receives=7 * second)
        story.onset("counter", 100 * second - 30, second - 0.3)
    for second in range(1, 120):
        first, times = 100 * second - 30, (second - 0.31, second)
        story.gap("dispatcher", "counter", first, first + 29, times, received=70 * second + 1)
    story.sent("counter", 11_970, 119.7)
    story.got("dispatcher", "counter", 8400, 0, 11_969, 121, newest=119.69)


def proxy_with_a_small_pipe(story: LandedFolder) -> None:
    """Of 50,000 a second the proxy takes 35,000; its pipe holds what it takes in ten milliseconds."""
    through_proxy(story, "geyser", "sluice", "basin")
    for second in range(1, 41):
        story.counters("geyser", second, sent=50_000 * second)
        story.onset("geyser", 50_000 * second - 15_000, second - 0.3)
    for second in range(1, 40):
        first, times = 50_000 * second - 15_000, (second - 0.3, second)
        got = 35_000 * second + 1
        story.gap("basin", "geyser", first, first + 14_999, times, received=got, noticed=second + 0.01)
    story.sent("geyser", 1_985_000, 39.7)
    story.got("basin", "geyser", 1_400_000, 0, 1_984_999, 41, newest=39.7)
    story.counters("sluice-front", 45, final=True, proxied_in_frames=2 * 1_400_000)
    story.counters("sluice-back", 45, final=True, proxied_out_frames=2 * 1_400_000)


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
        volleys,
        a_volley_a_second,
        read_at_once,
        last_word,
        batches,
        drains,
        proxy_with_a_small_pipe,
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


def test_each_incident_advises_the_mark_that_holds_what_all_topics_lost_in_the_largest_burst_on_its_hop(
    report: Json,
) -> None:
    found = [item for item in report["incidents"] if item["hop"] == "ticker → reader"]
    assert len(found) > 1
    for item in found:
        told = " ".join(item["advice"])
        assert "from 100 to at least 2200: " in told
        assert "the 1000 that the largest burst" in told
        assert "2100 messages more, about 2.4 MB" in told


def test_a_proxy_whose_readers_get_everything_at_once_again_only_met_a_burst(report: Json) -> None:
    assert incidents(report, "exchange") == [("exchange → relay", "hwm_too_low", "inferred", 2500)]


def test_a_proxy_whose_readers_lag_is_not_seen_to_have_caught_up(report: Json) -> None:
    assert {found[:3] for found in incidents(report, "spring")} == {
        ("spring → pond", "slow_receiver", "inferred")
    }


def test_who_is_idle_between_volleys_has_too_low_a_mark_though_each_volley_loses_some(report: Json) -> None:
    assert incidents(report, "battery") == [("battery → ranger", "hwm_too_low", "inferred", 20_000)]
    assert "the 1000 that the largest burst on this hop lost" in incident(report, "battery")["advice"][0]


def test_who_reads_the_next_message_behind_each_loss_at_once_has_too_low_a_mark(report: Json) -> None:
    assert incidents(report, "pistol") == [("pistol → sprinter", "hwm_too_low", "inferred", 60 * 40)]


@pytest.mark.parametrize("feed", ["clock", "speaker"])
def test_the_time_in_which_a_sender_sent_nothing_does_not_prove_its_receiver_too_slow(
    report: Json, feed: str
) -> None:
    assert {found[2] for found in incidents(report, feed)} <= {"inferred"}
    assert hop(report, f"{feed} → {incident(report, feed)['hop'].split(' → ')[1]}")["lost"] > 0


@pytest.mark.parametrize(
    ("feed", "receiver"), [("conveyor", "packer"), ("counter", "dispatcher"), ("geyser", "sluice")]
)
def test_who_is_too_slow_is_not_told_as_meeting_bursts(report: Json, feed: str, receiver: str) -> None:
    """However its sender sends, however it asks for messages, and however soon it has read what a pipe holds."""
    assert {found[:2] for found in incidents(report, feed)} == {(f"{feed} → {receiver}", "slow_receiver")}
