"""Who is killed and comes back to its place: what a sender that connects sent meanwhile went with its connection, and what a proxy counts since reached it."""

import pytest
from landed_folder import LandedFolder, id_of
from stories import Json, hop, incidents, row
from told_connections import ToldConnection

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

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


def no_room_while_it_was_away(story: LandedFolder) -> None:
    """Of 20 messages a second in two lanes, one of either found the queue full that its PUB kept while the proxy was away; it met that in the first lane."""
    story.socket("twin-quotes", "PUB", closed=52, sndhwm=30)
    story.socket("twin-reader", "SUB", closed=60)
    story.subscribe("twin-reader", "")
    for generation, opened, up, down in (("", 0, 0.1, SEEN_TO_GO), ("2", 10.5, 11.6, None)):
        front, back = f"twin-front{generation}", f"twin-back{generation}"
        story.socket(front, "XSUB", opened=opened, closed=None if down else 58)
        story.socket(back, "XPUB", opened=opened, closed=None if down else 58, probed=False)
        story.proxy(f"twin-hub{generation}", front, back)
        story.link(front, "twin-quotes", up=up, down=down)
        story.link(back, "twin-reader", up=0.1 if down else 11.0, down=down)
        story.counters(front, SEEN_TO_GO if down else 56, proxied_in_frames=400 if down else 1596)
    for killed in ("twin-front", "twin-back"):
        story.killed(killed, SEEN_TO_GO + 1)
    story.onset("twin-quotes", 230, 11.5, lane=0, lane_number=115)
    for lane in (0, 1):
        story.sent("twin-quotes", 500, 50, lane=lane, topic=str(lane))
        story.got("twin-reader", "twin-quotes", 499, 0, 499, 55, lane=lane, newest=50)
        number = 230 + lane
        times = ((number - 2) / 20, (number + 2) / 20)
        around = (number - 2, number + 2)
        story.gap(
            "twin-reader", "twin-quotes", 115, 115, times, lane=lane, around=around, received=number - lane
        )


def restarted_broker(story: LandedFolder) -> None:
    """The PUB's pipe to the broker fills up while it is away for two seconds."""
    story.socket("ticks", "PUB", closed=100, sndhwm=1000)
    story.socket("scriptorium", "SUB", closed=105)
    story.subscribe("scriptorium", "")
    for broker in ("old", "new"):
        story.socket(f"{broker}-front", "XSUB", called="front", opened=0 if broker == "old" else 57)
        story.socket(
            f"{broker}-back", "XPUB", called="back", opened=0 if broker == "old" else 57, probed=False
        )
        story.proxy(broker, f"{broker}-front", f"{broker}-back")
    ToldConnection(story, "old-front", "ticks").down(56, told_by="ticks")
    ToldConnection(story, "old-back", "scriptorium").down(56, told_by="scriptorium")
    for side in ("front", "back"):
        story.killed(f"old-{side}", 56.4)
    ToldConnection(story, "new-front", "ticks", up=58)
    ToldConnection(story, "new-back", "scriptorium", up=57.9)
    story.counters("new-front", 104, proxied_in_frames=8000)
    story.onset("ticks", 2400, 56.8)
    story.sent("ticks", 8000, 99)
    story.gap("scriptorium", "ticks", 2300, 3999, (55.9, 58.1))
    story.got("scriptorium", "ticks", 6300, 0, 7999, 99.1, newest=99)


def one_message_too_many(story: LandedFolder) -> None:
    """The pipe takes all but one of what is sent while the worker is away."""
    story.socket("registrar", "PUB", closed=100, sndhwm=1000)
    for reader, opened in (("repository", 0), ("repository anew", 57)):
        story.socket(reader, "SUB", called="repository", opened=opened, closed=105 if opened else None)
        story.subscribe(reader, "", seconds=opened)
    ToldConnection(story, "repository", "registrar").down(56, told_by="registrar")
    story.killed("repository", 56.4)
    ToldConnection(story, "repository anew", "registrar", up=58)
    story.onset("registrar", 3300, 57.5)
    story.sent("registrar", 8000, 99)
    story.got("repository", "registrar", 2300, 0, 2299, 55.9, newest=55.9, final=False)
    story.gap("repository anew", "registrar", 3300, 3300, (57.4, 57.6), received=1001)
    story.got("repository anew", "registrar", 5699, 2300, 7999, 99.1, newest=99)


STORIES = (all_of_them, no_room_while_it_was_away, restarted_broker, one_message_too_many)


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


def test_one_message_that_found_no_room_while_the_proxy_was_away_is_told_so_in_either_lane(
    report: Json,
) -> None:
    assert [(cause, lost) for _, cause, _, lost in incidents(report, "twin-quotes")] == [("reconnect", 2)]


def test_what_a_broker_lacks_that_was_away_was_lost_while_its_connection_was_down(report: Json) -> None:
    told = incidents(report, "ticks")
    assert {(cause, certainty) for _, cause, certainty, _ in told} == {("reconnect", "inferred")}
    assert (
        sum(item["lost"] + item["unexplained"] for item in report["ledger"] if item["name"] == "ticks")
        == 1700
    )


def test_so_is_a_single_message_for_which_the_pipe_of_who_was_there_before_had_no_room(report: Json) -> None:
    told = [(cause, certainty, lost) for _, cause, certainty, lost in incidents(report, "registrar")]
    assert ("reconnect", "inferred", 1) in told
    assert not {cause for cause, _, _ in told} & {"slow_receiver", "hwm_too_low"}


def test_advice_tells_of_a_sender_that_connected(report: Json) -> None:
    told = [item["advice"][0] for item in report["incidents"] if item["hop"].startswith("ticks → ")]
    assert told
    assert all("As the end that connected, ticks keeps up to its SNDHWM" in text for text in told)
