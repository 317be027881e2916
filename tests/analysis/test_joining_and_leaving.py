"""Receivers that come late, go early or change their subscriptions, landed in one folder and analysed in one run."""

import pytest
from landed_folder import LandedFolder, id_of
from stories import Json, incidents, row, through_proxy

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def late_behind_a_proxy(story: LandedFolder) -> None:
    """It missed the beginning of the first topic, and got the second, which began later, from its first message on."""
    through_proxy(story, "ticker", "bridge", "early-1")
    story.socket("late-1", "SUB", opened=10, closed=55)
    story.subscribe("late-1", "", seconds=10)
    story.link("bridge-back", "late-1", up=10)
    story.sent("ticker", 1500, 40, lane=0, topic="old")
    story.sent("ticker", 500, 40, lane=1, topic="new")
    story.got("early-1", "ticker", 1500, 0, 1499, 40, lane=0)
    story.got("early-1", "ticker", 500, 0, 499, 40, lane=1)
    story.got("late-1", "ticker", 500, 1000, 1499, 40, lane=0)
    story.got("late-1", "ticker", 500, 0, 499, 40, lane=1)


def topic_begins_in_a_full_pipe(story: LandedFolder) -> None:
    """Two were there from the beginning; behind the proxy one of them was slow when the second topic began."""
    through_proxy(story, "lottery", "hall", "alert", "sleepy")
    story.sent("lottery", 100, 40, lane=0, topic="old")
    story.sent("lottery", 100, 40, lane=1, topic="new")
    for reader, first in (("alert", 0), ("sleepy", 30)):
        story.got(reader, "lottery", 100, 0, 99, 40, lane=0)
        story.got(reader, "lottery", 100 - first, first, 99, 40, lane=1)


def topic_ends_before_one_joins(story: LandedFolder) -> None:
    """The sample that finds the first topic at its end is taken after the receiver connected."""
    story.socket("courant", "PUB", closed=50)
    story.socket("late-2", "SUB", opened=9.9, closed=60)
    story.subscribe("late-2", "", seconds=9.9)
    story.link("courant", "late-2", up=10, sent=1000)
    for lane, topic, count in ((0, "past", 500), (1, "present", 700)):
        story.sent("courant", 500, 10.5, lane=lane, topic=topic, final=False)
        story.sent("courant", count, 40, lane=lane, topic=topic)
    story.got("late-2", "courant", 200, 500, 699, 40, lane=1)


def topic_ends_at_about_the_time_that_one_joins(story: LandedFolder) -> None:
    """A third topic, which it did not ask for, leaves open how much was sent for it after it had connected."""
    story.socket("almanac", "PUB", closed=50)
    story.socket("late-3", "SUB", opened=9.9, closed=60)
    story.subscribe("late-3", "past", "present", seconds=9.9)
    story.link("almanac", "late-3", up=10, sent=1000)
    story.sent("almanac", 450, 9.5, lane=0, topic="past", final=False)
    for lane, topic, count in ((0, "past", 500), (1, "present", 700), (2, "future", 500)):
        story.sent("almanac", 500, 10.5, lane=lane, topic=topic, final=False)
        story.sent("almanac", count, 40, lane=lane, topic=topic)
    story.got("late-3", "almanac", 200, 500, 699, 40, lane=1)


def nothing_came_of_what_was_sent_around_the_connection(story: LandedFolder) -> None:
    story.socket("flash", "PUB", closed=10.02)
    story.socket("late-4", "SUB", opened=9.9, closed=60)
    story.subscribe("late-4", "", seconds=9.9)
    story.link("flash", "late-4", up=10, sent=100)
    story.sent("flash", 150, 10.02)


def subscribed_when_the_topic_had_ended(story: LandedFolder) -> None:
    story.socket("journal", "PUB", closed=50)
    story.socket("curious", "SUB", closed=60)
    story.subscribe("curious", "first")
    story.subscribe("curious", "second", seconds=30)
    story.link("journal", "curious")
    story.sent("journal", 100, 20, lane=0, topic="first")
    story.sent("journal", 100, 20, lane=1, topic="second")
    story.got("curious", "journal", 100, 0, 99, 21, lane=0)


def one_is_killed_and_the_sender_goes_on(story: LandedFolder) -> None:
    """The next disconnection that it sees is at its own end a moment later, and so are the lanes behind that."""
    story.socket("evening", "PUB", closed=20.12)
    story.socket("sleeper", "SUB")
    story.subscribe("sleeper", "")
    story.link("evening", "sleeper")
    ends = {"local": "127.0.0.1:5555", "remote": f"127.0.0.1:{story.ports}", "accepted": True}
    down = {"action": "disconnected", "connection": story.connections, "sent": 409, "received": 0}
    story.add("connection", "evening", 20, n=11, **down, **ends)
    for n, seconds, count, state in (
        (12, 20.01, 409, "sample"),
        (14, 20.11, 1500, "sample"),
        (16, 20.12, 1500, "final"),
    ):
        numbers = {"lane": 0, "role": "send", "count": count, "frames": 2 * count, "first": 0, "next": count}
        story.add("lane", "evening", seconds, n=n, stream=id_of("evening"), state=state, **numbers)
    story.got("sleeper", "evening", 44, 0, 43, 19, final=False)
    story.killed("sleeper", 20.5)


def one_dies_long_after_a_cut_that_was_mended(story: LandedFolder) -> None:
    """Its own last disconnection is the mended one: it did not live to tell of the other."""
    story.socket("morning", "PUB")
    story.socket("riser", "SUB", closed=60)
    story.subscribe("riser", "")
    story.link("morning", "riser", down=10)
    story.link("morning", "riser", up=10.5, sent=500)
    down = {"action": "disconnected", "connection": story.connections, "sent": 0, "received": 900}
    ends = {"local": f"127.0.0.1:{story.ports}", "remote": "127.0.0.1:5555", "accepted": False}
    story.add("connection", "riser", 30, **down, **ends)
    story.sent("morning", 1000, 30, final=False)
    story.got("riser", "morning", 900, 0, 899, 29)
    story.killed("morning", 30.5)


def unsubscribed_from_a_full_pipe(story: LandedFolder) -> None:
    story.socket("chatter", "PUB", closed=50)
    story.socket("tidy", "SUB", closed=21)
    story.subscribe("tidy", "talk")
    story.unsubscribe("tidy", "talk", 20)
    story.link("chatter", "tidy", down=21, sent=3000)
    story.sent("chatter", 3000, 5, topic="talk", final=False)
    story.sent("chatter", 3000, 50, topic="talk")
    story.onset("chatter", 100, 4)
    story.onset("chatter", 2464, 4.8)
    story.got("tidy", "chatter", 150, 0, 2463, 8, newest=4.8)
    story.gap("tidy", "chatter", 100, 2413, (4, 4.7), received=101)


def unsubscribed_in_mid_stream(story: LandedFolder) -> None:
    """One lags behind when it unsubscribes, and samples tell roughly how far; the other had just got the newest."""
    story.socket("tales", "PUB", closed=50)
    for reader, last, newest in (("laggard", 499, 5), ("swift", 1499, 14.95)):
        story.socket(reader, "SUB", closed=30)
        story.subscribe(reader, "talk")
        story.unsubscribe(reader, "talk", 15)
        story.link("tales", reader, down=30)
        story.got(reader, "tales", last + 1, 0, last, 15, newest=newest)
    for seconds, count in ((10, 1000), (20, 2000), (40, 4000)):
        story.sent("tales", count, seconds, topic="talk", final=False)
    story.sent("tales", 4000, 50, topic="talk")


STORIES = (
    late_behind_a_proxy,
    topic_begins_in_a_full_pipe,
    topic_ends_before_one_joins,
    topic_ends_at_about_the_time_that_one_joins,
    nothing_came_of_what_was_sent_around_the_connection,
    subscribed_when_the_topic_had_ended,
    one_is_killed_and_the_sender_goes_on,
    one_dies_long_after_a_cut_that_was_mended,
    unsubscribed_from_a_full_pipe,
    unsubscribed_in_mid_stream,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def test_a_late_receiver_behind_a_proxy_is_no_slow_one(report: Json) -> None:
    assert incidents(report, "bridge") == [("bridge → late-1", "slow_joiner", "inferred", 1000)]


def test_nothing_is_said_of_the_count_of_a_proxy_that_does_not_count(report: Json) -> None:
    found = next(item for item in report["incidents"] if item["hop"] == "bridge → late-1")
    texts = [item["text"] for item in found["evidence"]]
    assert texts[1:] == ["they were sent before the first message that late-1 got"]


def test_who_was_there_before_a_topic_began_did_not_join_late(report: Json) -> None:
    assert incidents(report, "hall") == [("hall → sleepy", "slow_receiver", "inferred", 30)]


def test_a_topic_that_ended_before_its_receiver_joined_was_not_cut_off(report: Json) -> None:
    assert incidents(report, "courant") == [("courant → late-2", "slow_joiner", "exact", 1000)]


def test_a_topic_that_may_have_ended_before_its_receiver_joined_is_inferred_to_have(report: Json) -> None:
    assert incidents(report, "almanac") == [("almanac → late-3", "slow_joiner", "inferred", 1000)]


def test_what_was_sent_before_the_connection_is_told_from_what_was_sent_after(report: Json) -> None:
    assert incidents(report, "flash") == [
        ("flash → late-4", "closed", "inferred", 50),
        ("flash → late-4", "slow_joiner", "exact", 100),
    ]


def test_a_topic_that_ended_before_it_was_subscribed_to_was_not_cut_off(report: Json) -> None:
    assert incidents(report, "journal") == [("journal → curious", "slow_joiner", "inferred", 100)]


def test_unsubscribing_hides_no_losses(report: Json) -> None:
    assert row(report, "chatter", "tidy")["sent"] == 3000
    assert row(report, "chatter", "tidy")["causes"] == {"slow_receiver": 2850}


def test_what_samples_cannot_tell_of_an_unsubscription_is_unexplained(report: Json) -> None:
    assert row(report, "tales", "laggard")["sent"] == 2000
    assert row(report, "tales", "laggard")["causes"] == {"unexplained": 1500}


def test_who_was_reading_the_newest_messages_is_owed_none_after_unsubscribing(report: Json) -> None:
    assert row(report, "tales", "swift")["sent"] == row(report, "tales", "swift")["delivered"] == 1500


def test_who_was_killed_is_owed_what_was_sent_until_the_sender_saw_it_go(report: Json) -> None:
    assert row(report, "evening", "sleeper")["sent"] == 409
    assert incidents(report, "evening") == [("evening → sleeper", "receiver_died", "exact", 365)]


def test_a_cut_that_was_mended_has_nothing_to_do_with_what_a_death_took(report: Json) -> None:
    assert incidents(report, "morning") == [("morning → riser", "sender_died", "exact", 100)]
