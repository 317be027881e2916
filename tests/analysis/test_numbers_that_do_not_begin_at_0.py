"""Messages carry numbers of their own: those before the first one that was sent, and those left out, are no messages."""

import pytest
from carried_numbers import SEQUENCE, carry, lack, read
from landed_folder import LandedFolder
from stories import Json, hop, incidents, row
from told_connections import ToldConnection

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def numbered(story: LandedFolder, name: str, type_: str, closed: float | None = None, **about: int) -> None:
    story.socket(name, type_, closed=closed, sequence=SEQUENCE, **about)
    story.watched(name)


def one_of_two_workers_killed(story: LandedFolder) -> None:
    """Jobs 5001 to 6000; the second worker read on when the first one was killed with three jobs in its inbox."""
    numbered(story, "tasks", "PUSH", closed=50, linger=-1)
    numbered(story, "cutter", "PULL")
    numbered(story, "welder", "PULL", closed=60)
    ToldConnection(story, "tasks", "cutter").down(30, 806, told_by="tasks")
    ToldConnection(story, "tasks", "welder").down(50, told_by="welder")
    carry(story, "tasks", (5001, 6000), 49)
    story.counters("tasks", 49.5, final=True, sent=1000)
    read(story, "cutter", 400, (5001, 5799), 29.5, final=False)
    story.killed("cutter", 30.2)
    read(story, "welder", 597, (5002, 6000), 49.2)


def all_was_read(story: LandedFolder, push: str, *pulls: str, first: int) -> None:
    numbered(story, push, "PUSH", closed=50)
    carry(story, push, (first, first + 999), 49)
    story.counters(push, 49.5, final=True, sent=1000)
    each = 1000 // len(pulls)
    for place, pull in enumerate(pulls):
        numbered(story, pull, "PULL", closed=60)
        story.link(push, pull)
        read(story, pull, each, (first + place, first + 1000 - len(pulls) + place), 49.2)


def numbers_left_out(story: LandedFolder) -> None:
    """Numbers 0 to 499, and then 10000 to 10499, of which the only worker has the last 20 unread when it is killed."""
    numbered(story, "leaps", "PUSH")
    numbered(story, "ledge", "PULL")
    ToldConnection(story, "leaps", "ledge").down(40, 1000, told_by="leaps")
    carry(story, "leaps", (0, 10499), 39, left_out=(500, 9999), final=False)
    story.counters("leaps", 39, sent=1000)
    read(story, "ledge", 980, (0, 10479), 39.5, final=False)
    lack(story, "ledge", 500, 9999, 20, received=501)
    story.killed("ledge", 40.2)


def two_lanes(story: LandedFolder) -> None:
    """Two kinds of jobs, each with numbers of its own; the worker is killed with 5 and 7 of them unread."""
    numbered(story, "mixer", "PUSH")
    numbered(story, "bowl", "PULL")
    ToldConnection(story, "mixer", "bowl").down(40, 600, told_by="mixer")
    story.counters("mixer", 39, sent=600)
    for lane, (topic, first, count, unread) in enumerate((("eggs", 1, 200, 5), ("flour", 7000, 400, 7))):
        last = first + count - 1
        carry(story, "mixer", (first, last), 39, lane=lane, topic=topic, final=False)
        read(story, "bowl", count - unread, (first, last - unread), 39.5, lane=lane, topic=topic, final=False)
    story.killed("bowl", 40.2)


def nobody_there(story: LandedFolder) -> None:
    numbered(story, "monologue", "PUSH", closed=50, linger=0)
    carry(story, "monologue", (5001, 6000), 49)
    story.counters("monologue", 49.5, final=True, sent=1000)


def behind_a_proxy_that_got_all(story: LandedFolder) -> None:
    """The proxy counted a frame for each message; its receiver lacks fifty of them."""
    numbered(story, "telegraph", "PUB", closed=50)
    for side, type_ in (("bourse-front", "XSUB"), ("bourse-back", "XPUB")):
        story.socket(side, type_, closed=62, probed=False, sequence=None)
        story.watched(side)
    story.proxy("bourse", "bourse-front", "bourse-back")
    numbered(story, "jobber", "SUB", closed=60)
    story.subscribe("jobber", "")
    story.link("bourse-front", "telegraph")
    story.link("bourse-back", "jobber")
    carry(story, "telegraph", (5001, 6000), 49)
    story.counters("telegraph", 49.5, final=True, sent=1000)
    story.counters("bourse-front", 61, final=True, proxied_in_frames=1000, proxied_at=0)
    read(story, "jobber", 950, (5001, 6000), 49.4)
    lack(story, "jobber", 5301, 5350, 20, received=301)


def all_of_them(story: LandedFolder) -> None:
    one_of_two_workers_killed(story)
    all_was_read(story, "from-one", "reads-all", first=1)
    all_was_read(story, "from-many", "reads-odd", "reads-even", first=5001)
    numbers_left_out(story)
    two_lanes(story)
    nobody_there(story)
    behind_a_proxy_that_got_all(story)


STORIES = (all_of_them,)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def test_a_worker_that_was_killed_took_what_it_had_unread_along_and_none_of_the_numbers_before_the_first(
    report: Json,
) -> None:
    assert incidents(report, "tasks") == [("tasks → cutter", "receiver_died", "exact", 3)]
    assert hop(report, "tasks → welder")["unexplained"] == 0
    assert [item["receiver_name"] for item in report["ledger"] if item["name"] == "tasks"].count(None) == 0


@pytest.mark.parametrize("push", ["from-one", "from-many"])
def test_nothing_is_missing_where_all_messages_came_whatever_their_first_number(
    report: Json, push: str
) -> None:
    rows = [item for item in report["ledger"] if item["name"] == push]
    assert sum(item["sent"] for item in rows) == sum(item["delivered"] for item in rows) == 1000


def test_nor_are_numbers_that_the_application_left_out(report: Json) -> None:
    assert row(report, "leaps", "ledge")["sent"] == 1000
    assert incidents(report, "leaps") == [("leaps → ledge", "receiver_died", "exact", 20)]


def test_lanes_with_numbers_of_their_own_add_up(report: Json) -> None:
    assert row(report, "mixer", "bowl")["sent"] == 600
    assert incidents(report, "mixer") == [("mixer → bowl", "receiver_died", "exact", 12)]


def test_what_nobody_got_is_as_many_messages_as_were_sent(report: Json) -> None:
    assert row(report, "monologue", None)["sent"] == 1000


def test_a_proxy_that_counted_a_frame_for_each_message_got_them_all(report: Json) -> None:
    assert incidents(report, "bourse") == [("bourse → jobber", "slow_receiver", "inferred", 50)]
