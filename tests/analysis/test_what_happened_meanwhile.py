"""What an incident's evidence and advice tell of its hop is of its own time: not of another cut, nor of the goodbye, nor of an overload in another minute."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

CUTS = (20, 60)
TOO_SLOW = range(20, 45)
BURST_AT = 90


def cut_twice_and_closed(story: LandedFolder) -> None:
    """10 messages a second; twice the connection is away for a second, and then its reader closes while the other goes on."""
    story.socket("tram", "PUB", closed=100)
    story.socket("stop", "SUB", closed=95)
    story.subscribe("stop", "")
    lost = 0
    for up, down in zip((0.1, *(cut + 1 for cut in CUTS)), (*CUTS, 95.001), strict=True):
        story.link("tram", "stop", up=up, down=down, sent=int(10 * up))
    for second in range(1, 101):
        story.sent("tram", 10 * second, second, final=False)
        for cut in CUTS:
            if second == cut + 2:
                story.gap(
                    "stop", "tram", 10 * cut, 10 * cut + 9, (cut - 0.1, cut + 1), received=10 * cut - lost
                )
                lost += 10
        if second < 95:
            story.got("stop", "tram", 10 * second - lost, 0, 10 * second - 1, second, final=False)


def too_slow_for_a_while_and_later_a_burst(story: LandedFolder) -> None:
    """100 messages a second, of which it reads half for 25 seconds; long after, one short burst is more than its pipe holds."""
    story.socket("hail", "PUB", closed=110, sndhwm=100)
    story.socket("gutter", "SUB", closed=115, rcvhwm=100)
    story.subscribe("gutter", "")
    story.link("hail", "gutter")
    sent = got = 0
    for second in range(1, 106):
        slow, burst = second in TOO_SLOW, second == BURST_AT
        lost = 50 if slow or burst else 0
        if lost:
            story.onset("hail", sent + 20, second + 0.2)
            story.gap(
                "gutter",
                "hail",
                sent + 20,
                sent + 19 + lost,
                (second + 0.19, second + 0.7),
                received=got + 20,
            )
        sent, got = sent + 100, got + 100 - lost
        story.counters("hail", second + 0.9, sent=sent)
        story.sent("hail", sent, second + 0.9, final=False)
        story.counters("gutter", second + 0.9, received=got, waited_receives=0 if second < 46 else second)
        story.got("gutter", "hail", got, 0, sent - 1, second + 0.95, newest=second + 0.9, final=False)


STORIES = (cut_twice_and_closed, too_slow_for_a_while_and_later_a_burst)


def of(report: Json, hop: str) -> list[Json]:
    return sorted(
        (each for each in report["incidents"] if each["hop"] == hop), key=lambda each: each["started_at"]
    )


def texts(items: list[Json]) -> str:
    return "\n".join(each["text"] for each in items)


def test_each_cut_is_told_once_and_a_goodbye_is_none(joint_report: Json) -> None:
    found = [each for each in of(joint_report, "tram → stop") if each["cause"] != "closed"]
    assert [(each["cause"], each["lost"]) for each in found] == [("reconnect", 10)] * len(CUTS)
    for each in found:
        assert "the connection of tram → stop went down once" in texts(each["evidence"])


def test_a_burst_is_not_told_by_the_rates_of_another_time(joint_report: Json) -> None:
    slow, burst = of(joint_report, "hail → gutter")
    assert sorted(lost for *_, lost in incidents(joint_report, "hail")) == [50, 50 * len(TOO_SLOW)]
    assert slow["cause"] == "slow_receiver"
    assert "while it lost messages, for more than 10 s, gutter was sent" in texts(slow["evidence"])
    assert "while it lost messages, for more than" not in texts(burst["evidence"])
