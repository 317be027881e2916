"""How much advice says is sent and kept, where streams of very different messages share a way."""

import pytest
from landed_folder import LandedFolder
from stories import Json

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

SECONDS, TICKS_A_SECOND, TICK, SNAPSHOT = 40, 250, 100, 1_000_000


def many_small_and_few_large(story: LandedFolder) -> None:
    """The network behind a proxy takes not all: for two seconds small messages are dropped, and a large one."""
    story.socket("belfry-front", "XSUB", closed=60)
    story.socket("belfry-back", "XPUB", closed=60, probed=False, sndhwm=1000)
    story.proxy("belfry", "belfry-front", "belfry-back")
    story.socket("dale", "SUB", closed=60, host="valley", rcvhwm=1000)
    story.subscribe("dale", "")
    publishes(story, "pulses", TICKS_A_SECOND, TICK, lost=(2500, 2549))
    publishes(story, "panoramas", 1, SNAPSHOT, lost=(10, 10))
    story.link("belfry-back", "dale")
    story.tcp("belfry-back", 3, "neither")
    story.tcp("belfry-back", 10.5, "network", rtt_us=250_000, min_rtt_us=400)
    story.counters(
        "belfry-front",
        59,
        final=True,
        proxied_in_frames=2 * SECONDS * (TICKS_A_SECOND + 1),
        proxied_at=59 * 10**9,
    )
    for second in range(1, SECONDS + 1):
        story.counters("dale", second, received=200 * second, waited_receives=second)


def publishes(story: LandedFolder, pub: str, rate: int, size: int, lost: tuple[int, int]) -> None:
    story.socket(pub, "PUB", closed=50, sndhwm=1000)
    story.link("belfry-front", pub)
    for second in range(1, SECONDS + 1):
        story.counters(pub, second, sent=rate * second, sent_bytes=size * rate * second)
    sent, (first, last) = rate * SECONDS, lost
    story.sent(pub, sent, SECONDS)
    story.gap("dale", pub, first, last, (10, 12), received=first)
    story.got("dale", pub, sent - (last - first + 1), 0, sent - 1, SECONDS + 1)


STORIES = (many_small_and_few_large,)


@pytest.fixture(scope="module")
def advice(joint_report: Json) -> str:
    (found,) = (each for each in joint_report["incidents"] if each["hop"] == "belfry → dale")
    assert (found["cause"], found["lost"]) == ("network", 51)
    return " ".join(found["advice"])


def test_what_is_sent_over_the_network_is_each_streams_rate_times_its_own_size(advice: str) -> None:
    sent = (TICKS_A_SECOND * TICK + SNAPSHOT) * 8 / 1e6
    assert f": {sent:.2g} Mbit/s are sent to dale" in advice


def test_a_queue_holds_some_of_each_stream_of_the_hop(advice: str) -> None:
    assert "1000 messages of SNDHWM" in advice
    assert "raising RCVHWM, changes nothing" in advice
    assert "take about 4.2 MB" in advice
