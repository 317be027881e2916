"""A proxy that is killed and comes back: what was sent from then on reached it, if it counted as much, and was lost behind it."""

import pytest
from landed_folder import LandedFolder, id_of
from stories import Json, hop, incidents, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

SEEN_TO_GO, CAME_BACK, READER_BACK = 10.0, 12.0, 13.0
SENT, LOST_FROM, SENT_WHEN_GONE, LOST_TO = 1000, 96, 100, 129


def killed_and_back(story: LandedFolder, name: str, counted: int) -> None:
    """Messages 96 to 129 are missing at the reader; at 100 its sender saw the proxy go. The next one counted so many frames."""
    pub, reader = f"{name}-quotes", f"{name}-reader"
    story.socket(pub, "PUB", closed=50)
    story.socket(reader, "SUB", closed=60)
    story.subscribe(reader, "")
    for generation, opened, up, down in (("", 0, 0.1, SEEN_TO_GO), ("2", CAME_BACK, READER_BACK, None)):
        front, back = f"{name}-front{generation}", f"{name}-back{generation}"
        story.socket(front, "XSUB", opened=opened, closed=None if down else 58)
        story.socket(back, "XPUB", opened=opened, closed=None if down else 58, probed=False)
        story.proxy(f"{name}-hub{generation}", front, back)
        story.link(front, pub, up=up - (0.5 if down is None else 0), down=down)
        story.link(back, reader, up=up, down=down)
        frames = counted if down is None else 2 * LOST_FROM
        story.counters(front, 48 if down is None else SEEN_TO_GO, proxied_in_frames=frames)
    for killed in (f"{name}-front", f"{name}-back"):
        story.killed(killed, SEEN_TO_GO + 1)
    number_events(story, pub)
    story.sent(pub, SENT, 40)
    story.got(reader, pub, SENT - (LOST_TO - LOST_FROM + 1), 0, SENT - 1, 45)
    story.gap(reader, pub, LOST_FROM, LOST_TO, (SEEN_TO_GO - 0.1, READER_BACK + 0.1), received=LOST_FROM + 1)


def number_events(story: LandedFolder, pub: str) -> None:
    """The sender writes how far its lanes are numbered right behind the disconnection that it sees."""
    (down,) = (
        each
        for each in story.rows["connection"]
        if each["socket"] == id_of(pub) and each["action"] == "disconnected"
    )
    down["n"] = 7
    numbers = {"count": SENT_WHEN_GONE, "frames": 2 * SENT_WHEN_GONE, "first": 0, "next": SENT_WHEN_GONE}
    about = {"stream": id_of(pub), "lane": 0, "role": "send", "state": "sample"}
    story.add("lane", pub, SEEN_TO_GO, n=8, **about, **numbers)


def all_of_them(story: LandedFolder) -> None:
    killed_and_back(story, "whole", 2 * (SENT - SENT_WHEN_GONE))
    killed_and_back(story, "short", 2 * (SENT - SENT_WHEN_GONE) - 20)


STORIES = (all_of_them,)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def test_what_was_sent_since_is_lost_behind_the_one_that_came(report: Json) -> None:
    assert incidents(report, "whole-hub2") == [("whole-hub2 → whole-reader", "reconnect", "inferred", 30)]
    assert hop(report, "whole-quotes → whole-hub2")["lost"] == 0
    (incident,) = (item for item in report["incidents"] if item["hop"].startswith("whole-"))
    assert [item["kind"] for item in incident["evidence"]] == ["missing", "took_over"]
    assert "in whose place whole-hub2 came" in incident["advice"][0]


def test_what_went_with_the_former_one_is_not_told_of_any_hop(report: Json) -> None:
    assert row(report, "whole-quotes", "whole-reader")["unexplained"] == 4


def test_where_the_one_that_came_counted_less_nothing_is_told_of_any_hop(report: Json) -> None:
    assert incidents(report, "short") == []
    assert row(report, "short-quotes", "short-reader")["unexplained"] == 34
