"""What a receiver is asked to read, by all who send to it and for how long, held against what it reads."""

import pytest
from landed_folder import LandedFolder
from stories import Json, hop, incidents, through_proxy

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


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


def flood_between_quiet_times(story: LandedFolder) -> None:
    """Forty seconds of 2000/s, of which half are read, between quiet times of 1/s in which the receiver waits and gets everything."""
    gathering(story, "newsroom", "wire", closed=115)
    for second in range(1, 41):
        story.counters("wire", second, sent=second)
        story.counters("newsroom", second, received=second, waited_receives=second)
    for ten in range(1, 5):
        second = 40 + 10 * ten
        story.counters("wire", second, sent=40 + 20_000 * ten)
        story.counters("newsroom", second, received=40 + 10_000 * ten, waited_receives=40)
        first = 40 + 20_000 * (ten - 1) + 5_000
        story.onset("wire", first, second - 7.5)
        times = (second - 7.5, second - 2.5)
        story.gap("newsroom", "wire", first, first + 9_999, times, received=40 + 10_000 * ten - 5_000)
    for quiet in range(1, 31):
        story.counters("wire", 80 + quiet, sent=80_040 + quiet)
        story.counters("newsroom", 80 + quiet, received=40_040 + quiet, waited_receives=40 + quiet)
    story.sent("wire", 80_070, 110)
    story.got("newsroom", "wire", 40_070, 0, 80_069, 110)


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


def one_topic_of_ten(story: LandedFolder) -> None:
    """It is sent a tenth of 1000/s, and reads 300/s when a burst has left it that much."""
    story.socket("board", "PUB", closed=100, sndhwm=100)
    story.socket("one-topic", "SUB", closed=100, rcvhwm=100)
    story.subscribe("one-topic", "t0")
    story.link("board", "one-topic")
    for lane in range(10):
        story.sent("board", 6000, 61, lane=lane, topic=f"t{lane}")
    for second in range(1, 61):
        story.counters("board", second, sent=1000 * second)
    story.got("one-topic", "board", 5900, 0, 5999, 61)
    story.onset("board", 30_000, 30, lane=0, lane_number=3000)
    story.gap("one-topic", "board", 3000, 3099, (30, 30.2), around=(29_999, 30_200), received=3001)
    for second in range(1, 61):
        ahead = 0 if second <= 30 else 100
        story.counters("one-topic", second, received=100 * second - ahead + (200 if second == 30 else 0))


def burst_of_topics(story: LandedFolder) -> None:
    """Two bursts over 20 topics that lose 50, then 30 of each, and each topic's last before was sent 2 s earlier."""
    gathering(story, "analyst", "tape of all")
    for lane in range(20):
        story.sent("tape of all", 200, 61, lane=lane, topic=f"t{lane}")
        story.got("analyst", "tape of all", 120, 0, 199, 61, lane=lane)
        for first, last, second in ((40, 89, 20), (140, 169, 40)):
            number = 20 * first + lane
            around = (number - 20, number + 20 * (last - first + 1))
            story.gap("analyst", "tape of all", first, last, (second, second + 2), lane=lane, around=around)
            story.onset("tape of all", number, second, lane=lane, lane_number=first)
    for second, sent in ((1, 40), (20, 800), (22, 1800), (40, 2800), (42, 3400), (60, 4000)):
        story.counters("tape of all", second, sent=sent, sent_bytes=1000 * sent)
    for second in range(1, 61):
        waits = {"waited_receives": 10 * second}
        story.counters("analyst", second, received=40 * second + (60 if second in (21, 41) else 0), **waits)


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
    through_proxy(story, "spring", "pond", "watermill")
    for second in range(3, 41):
        dropped = 100 * ((second - 3) // 10)
        newest = 100 * (second - 2) - 1
        story.counters("spring", second, sent=100 * second)
        story.got(
            "watermill", "spring", newest + 1 - dropped, 0, newest, second, newest=second - 2, final=False
        )
    for turn in range(1, 4):
        first, began = 1000 * turn, 10 * turn
        story.onset("spring", first, began)
        times, got = (began, began + 1), 1000 * turn - 100 * (turn - 1)
        story.gap("watermill", "spring", first, first + 99, times, received=got, noticed=began + 3)
    story.sent("spring", 4000, 40)
    story.got("watermill", "spring", 3700, 0, 3999, 42)
    story.counters("pond-front", 45, final=True, proxied_in_frames=2 * 3700)
    story.counters("pond-back", 45, final=True, proxied_out_frames=2 * 3700)


def volleys(story: LandedFolder) -> None:
    """Every eight seconds 3000 at once and nothing between: the pipe takes 2000, which are read in no time, and the receiver waits again."""
    gathering(story, "ranger", "battery", closed=115)
    for volley in range(1, 14):
        fired, sent, read = 8 * volley, 3000 * volley, 2000 * volley
        story.counters("battery", fired + 0.5, sent=sent)
        story.sent("battery", sent, fired + 0.5, final=False)
        story.counters("ranger", fired + 0.5, received=read, waited_receives=volley + 1)
        story.onset("battery", sent - 1000, fired + 0.01)
    for volley in range(1, 13):
        first, fired = 3000 * volley - 1000, 8 * volley
        times, got = (fired + 0.01, fired + 8), 2000 * volley + 1
        story.gap("ranger", "battery", first, first + 999, times, received=got, noticed=times[1] + 0.001)
    story.sent("battery", 39_001, 112)
    story.gap("ranger", "battery", 38_000, 38_999, (104.01, 112), received=26_001, noticed=112.001)
    story.got("ranger", "battery", 26_001, 0, 39_000, 113, newest=112)


def a_volley_a_second(story: LandedFolder) -> None:
    """Of 400 at once, every second, the last 40 find no room; nothing tells whether the receiver, which polls, was busy between."""
    gathering(story, "poller", "timer")
    for second in range(1, 61):
        story.counters("timer", second + 0.5, sent=400 * second)
        story.counters("poller", second + 0.5, received=360 * second)
        story.onset("timer", 400 * second - 40, second + 0.002)
    for second in range(1, 60):
        first = 400 * second - 40
        story.gap(
            "poller", "timer", first, first + 39, (second + 0.002, second + 1), received=360 * second + 1
        )
    story.sent("timer", 24_000, 61)
    story.got("poller", "timer", 360 * 60, 0, 23_959, 61, newest=60.002)


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
    gathering(story, "audience", "speaker")
    story.counters("speaker", 1.5, sent=3000)
    story.sent("speaker", 3000, 1.5, final=False)
    story.counters("audience", 1.5, received=1000)
    story.onset("speaker", 1000, 1.01)
    story.gap("audience", "speaker", 1000, 2999, (1.01, 60), received=1001)
    story.sent("speaker", 3001, 61)
    story.got("audience", "speaker", 1001, 0, 3000, 61, newest=60)


def batches(story: LandedFolder) -> None:
    """Forty seconds of 100 messages at once every 50 ms, of which the pipe takes 50, between quiet times in which the receiver waits."""
    gathering(story, "packer", "conveyor", closed=115)
    for second in (*range(1, 30, 5), 30):
        story.counters("conveyor", second, sent=second)
        story.counters("packer", second, received=second, waited_receives=second)
    for batch in range(800):
        first, sent_at = 30 + 100 * batch + 50, 30 + batch * 0.05
        times, got = (sent_at + 0.0005, sent_at + 0.05), 31 + 50 * (batch + 1)
        story.onset("conveyor", first, sent_at + 0.0005)
        story.gap("packer", "conveyor", first, first + 49, times, received=got)
    for second in range(31, 71):
        story.counters("conveyor", second, sent=30 + 2000 * (second - 30))
        story.counters("packer", second, received=30 + 1000 * (second - 30), waited_receives=30)
    for second in (*range(71, 110, 5), 110):
        story.counters("conveyor", second, sent=80_030 + second - 70)
        story.counters("packer", second, received=40_030 + second - 70, waited_receives=second - 40)
    story.sent("conveyor", 80_070, 110)
    story.got("packer", "conveyor", 40_070, 0, 80_069, 111, newest=110)


def drains(story: LandedFolder) -> None:
    """It is sent 100/s and works 14 ms on each, in turns of ten, behind each of which it asks for more until there is none."""
    gathering(story, "dispatcher", "counter", closed=115)
    for second in range(1, 101):
        story.counters("counter", second, sent=100 * second)
        story.counters("dispatcher", second, received=70 * second, eagain_receives=7 * second)
        story.onset("counter", 100 * second - 30, second - 0.3)
    for second in range(1, 100):
        first, times = 100 * second - 30, (second - 0.31, second)
        story.gap("dispatcher", "counter", first, first + 29, times, received=70 * second + 1)
    story.sent("counter", 9970, 99.7)
    story.got("dispatcher", "counter", 7000, 0, 9969, 101, newest=99.69)


def proxy_with_a_small_pipe(story: LandedFolder) -> None:
    """Of 50,000 a second the proxy takes 35,000; its pipe holds what it takes in ten milliseconds."""
    through_proxy(story, "geyser", "headgate", "basin")
    for second in range(1, 41):
        story.counters("geyser", second, sent=50_000 * second)
        story.onset("geyser", 50_000 * second - 15_000, second - 0.3)
    for second in range(1, 40):
        first, times = 50_000 * second - 15_000, (second - 0.3, second)
        got = 35_000 * second + 1
        story.gap("basin", "geyser", first, first + 14_999, times, received=got, noticed=second + 0.01)
    story.sent("geyser", 1_985_000, 39.7)
    story.got("basin", "geyser", 1_400_000, 0, 1_984_999, 41, newest=39.7)
    story.counters("headgate-front", 45, final=True, proxied_in_frames=2 * 1_400_000)
    story.counters("headgate-back", 45, final=True, proxied_out_frames=2 * 1_400_000)


STORIES = (
    two_feeds,
    flood_between_quiet_times,
    restarted,
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
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


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


def test_a_flood_of_twice_what_it_reads_is_no_burst_though_all_is_quiet_around_it(report: Json) -> None:
    assert incidents(report, "wire") == [("wire → newsroom", "slow_receiver", "exact", 40_000)]
    found = rates(report, "wire", "overload")
    assert (found["asked_rate"], found["read_rate"]) == pytest.approx((2000, 1000), rel=0.01)


def test_streams_that_followed_each_other_are_not_added_up(report: Json) -> None:
    assert incidents(report, "second-life") == [("second-life → follower", "hwm_too_low", "inferred", 400)]
    assert rates(report, "second-life")["asked_rate"] == pytest.approx(1000, rel=0.02)


def test_topics_that_it_is_not_sent_are_nothing_that_it_has_to_read(report: Json) -> None:
    assert incidents(report, "board") == [("board → one-topic", "hwm_too_low", "inferred", 100)]
    assert rates(report, "board")["asked_rate"] == pytest.approx(100, rel=0.01)


def test_a_burst_over_many_topics_lasts_as_long_as_one_of_them(report: Json) -> None:
    found = [item for item in report["incidents"] if item["hop"] == "tape of all → analyst"]
    assert {(item["cause"], item["certainty"]) for item in found} == {("hwm_too_low", "inferred")}
    assert hop(report, "tape of all → analyst")["lost"] == 20 * 80


def test_who_was_not_seen_to_be_busy_all_the_time_is_not_proven_to_be_too_slow(report: Json) -> None:
    assert incident(report, "metronome")["certainty"] == "inferred"


def test_each_incident_advises_the_mark_that_holds_what_all_topics_lost_in_the_largest_burst_on_its_hop(
    report: Json,
) -> None:
    found = [item for item in report["incidents"] if item["hop"] == "tape of all → analyst"]
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
    assert incidents(report, "battery") == [("battery → ranger", "hwm_too_low", "inferred", 13_000)]
    assert "the 1000 that the largest burst on this hop lost" in incident(report, "battery")["advice"][0]


def test_who_reads_the_next_message_behind_each_loss_at_once_has_too_low_a_mark(report: Json) -> None:
    assert incidents(report, "pistol") == [("pistol → sprinter", "hwm_too_low", "inferred", 60 * 40)]


@pytest.mark.parametrize("feed", ["timer", "speaker"])
def test_the_time_in_which_a_sender_sent_nothing_does_not_prove_its_receiver_too_slow(
    report: Json, feed: str
) -> None:
    assert {found[2] for found in incidents(report, feed)} <= {"inferred"}
    assert hop(report, f"{feed} → {incident(report, feed)['hop'].split(' → ')[1]}")["lost"] > 0


@pytest.mark.parametrize(
    ("feed", "receiver"), [("conveyor", "packer"), ("counter", "dispatcher"), ("geyser", "headgate")]
)
def test_who_is_too_slow_is_not_told_as_meeting_bursts(report: Json, feed: str, receiver: str) -> None:
    """However its sender sends, however it asks for messages, and however soon it has read what a pipe holds."""
    assert {found[:2] for found in incidents(report, feed)} == {(f"{feed} → {receiver}", "slow_receiver")}
